/** What the commands do that show a driver's directory: who the driver is, and below it what the command is about. */
import * as Inspector from "@millrace/transport/Inspector"
import type { TransportError } from "@millrace/transport/TransportError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { driverHead, driverJson } from "../output/DriverHead.ts"
import * as Live from "../output/Live.ts"
import type { Style } from "../output/Style.ts"

interface Look {
  readonly directory: Option.Option<string>
  readonly watch: Option.Option<number>
  readonly json: boolean
}

interface Content {
  readonly lines: (style: Style) => ReadonlyArray<string>
  readonly json: object
}

export const lookAtDriver = <F>(
  content: (inspector: Inspector.Inspector, filter: F) => Effect.Effect<Content, TransportError>
) =>
  Effect.fnUntraced(function* (look: Look & F) {
    const { directory } = look
    const inspector = yield* Inspector.open(Option.isSome(directory) ? { directory: directory.value } : {})
    const picture = Effect.map(
      Effect.all([inspector.status, content(inspector, look)]),
      ([status, { json, lines }]): Live.Picture => ({
        lines: (style) => [driverHead(status, style), ...lines(style)],
        json: { ...driverJson(status), ...json }
      })
    )
    yield* Live.show(picture, look)
  }, Effect.scoped)
