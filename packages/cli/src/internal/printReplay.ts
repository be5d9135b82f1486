/** Prints what a replay gives, a line a message. */
import type * as Replayer from "@millrace/store/Replayer"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { CommandError, MessagesMissing } from "../CommandError.ts"
import { formatOf } from "../output/MessageText.ts"
import { grouped } from "../output/Quantity.ts"

export interface PrintOptions {
  readonly hex: boolean
  readonly json: boolean
  /** Ends after so many messages. */
  readonly count: Option.Option<number>
  /** Fails when it has not ended after so many seconds. */
  readonly timeout: Option.Option<number>
}

const placeOf = ({ position, recordedAt, sessionId, streamId }: Replayer.Replayed) => ({
  streamId,
  sessionId,
  position,
  recordedAt: recordedAt ?? null
})

/** A gap is no message: it stands among the lines of JSON, and beside those of text. */
const gapLine = ({ fromPosition, sessionId, streamId, toPosition }: Replayer.Gap, asJson: boolean) =>
  asJson
    ? Effect.succeed([
        Buffer.from(`${JSON.stringify({ streamId, sessionId, missingFrom: fromPosition, missingTo: toPosition })}\n`)
      ])
    : Effect.as(
        Console.error(
          `millrace: positions ${grouped(fromPosition)} to ${grouped(toPosition)} of session ${sessionId} are not in the recording`
        ),
        []
      )

export const printReplay = Effect.fnUntraced(function* <E, R>(
  elements: Stream.Stream<Replayer.Element, E, R>,
  options: PrintOptions
) {
  const stdio = yield* Stdio.Stdio
  const format = formatOf(options)
  const most = Option.getOrElse(options.count, () => Infinity)
  let printed = 0
  const printing = elements.pipe(
    // One write for all the lines that came together.
    Stream.mapArrayEffect(
      Effect.fnUntraced(function* (together) {
        const lines: Array<Uint8Array> = []
        for (const element of together) {
          if (printed === most) {
            break
          }
          if (element._tag === "Gap") {
            lines.push(...(yield* gapLine(element, options.json)))
          } else {
            printed++
            lines.push(format(element.payload, () => placeOf(element)))
          }
        }
        return [Buffer.concat(lines)] as const
      })
    ),
    Stream.takeUntil(() => printed === most),
    Stream.run(stdio.stdout())
  )
  yield* Option.match(options.timeout, {
    onNone: () => printing,
    onSome: (seconds) =>
      Effect.timeoutOrElse(printing, {
        duration: Duration.seconds(seconds),
        orElse: () => {
          const total = Option.isSome(options.count) ? { expected: options.count.value } : {}
          const reason = new MessagesMissing({ received: printed, why: `${seconds} s have passed`, ...total })
          return Effect.fail(new CommandError({ reason }))
        }
      })
  })
})
