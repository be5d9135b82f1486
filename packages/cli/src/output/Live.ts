/**
 * A picture that is shown once, or again and again: on a terminal in the same place, elsewhere one below the other. As
 * JSON each picture is one line.
 */
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Terminal from "effect/Terminal"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Style from "./Style.ts"

export interface Picture {
  readonly lines: (style: Style.Style) => ReadonlyArray<string>
  readonly json: unknown
}

const HOME = "\u001b[H"
const CLEAR_SCREEN = "\u001b[2J"
const CLEAR_LINE_END = "\u001b[K"
const CLEAR_BELOW = "\u001b[J"

export const show = Effect.fnUntraced(function* <E, R>(
  picture: Effect.Effect<Picture, E, R>,
  options: { readonly watch: Option.Option<number>; readonly json: boolean }
) {
  const style = yield* Style.current
  const { canAnimate } = yield* TerminalCapabilities.TerminalCapabilities
  if (Option.isNone(options.watch)) {
    return yield* print(yield* picture, options.json, style)
  }
  const inPlace = canAnimate && !options.json
  if (inPlace) {
    yield* display(CLEAR_SCREEN)
  }
  const interval = Duration.seconds(options.watch.value)
  for (let isFirst = true; ; isFirst = false) {
    const now = yield* picture
    if (inPlace) {
      yield* draw(now, style)
    } else {
      if (!isFirst && !options.json) {
        yield* Console.log("")
      }
      yield* print(now, options.json, style)
    }
    yield* Effect.sleep(interval)
  }
})

const print = (picture: Picture, asJson: boolean, style: Style.Style): Effect.Effect<void> =>
  Console.log(asJson ? JSON.stringify(picture.json) : picture.lines(style).join("\n"))

const display = Effect.fnUntraced(function* (text: string) {
  const terminal = yield* Terminal.Terminal
  yield* Effect.ignore(terminal.display(text))
})

/** What does not fit the screen would scroll it: the rest is left out, and said. */
const draw = Effect.fnUntraced(function* (picture: Picture, style: Style.Style) {
  const terminal = yield* Terminal.Terminal
  const rows = yield* terminal.rows
  const lines = picture.lines(style)
  const fitting = lines.length < rows ? lines : lines.slice(0, rows - 2)
  const rest =
    fitting.length < lines.length ? [style.faint(`… ${lines.length - fitting.length} more lines; filter them`)] : []
  yield* display(HOME + [...fitting, ...rest].map((line) => `${line}${CLEAR_LINE_END}`).join("\n") + CLEAR_BELOW)
})
