/**
 * Turns the messages of one image into records and tells a whole stream from one that was cut off: only the end record
 * ends it well.
 */
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { badInput, CommandError, PublisherLost, StreamDiffers } from "../CommandError.ts"
import type { DataRecord } from "./DataFormat.ts"
import * as Envelope from "./Envelope.ts"

/** The records before the end record. `tally` counts them; `expected` is what the sender has to send. */
export const recordsOf = <E, R>(
  messages: Stream.Stream<Uint8Array, E, R>,
  tally: Envelope.Tally,
  expected: number
): Stream.Stream<DataRecord, E | CommandError, R> =>
  Stream.suspend(() => {
    let endMessage: Uint8Array | undefined
    const isEnd = (message: Uint8Array): boolean => {
      endMessage = message[0] === Envelope.END ? message : undefined
      return endMessage !== undefined
    }
    const decodeOne = (message: Uint8Array): DataRecord => {
      const record = Envelope.recordOf(message)
      tally.add(message)
      return record
    }
    const decode = (messages: NonEmptyReadonlyArray<Uint8Array>) =>
      Effect.try({
        try: () => messages.map(decodeOne) as unknown as NonEmptyReadonlyArray<DataRecord>,
        catch: () => stranger(tally)
      })
    const end = Effect.suspend(() =>
      endMessage === undefined
        ? Effect.fail(new CommandError({ reason: new PublisherLost({ received: tally.count, expected }) }))
        : checkEnd(endMessage, tally)
    )
    return messages.pipe(
      Stream.takeUntil(isEnd, { excludeLast: true }),
      Stream.mapArrayEffect(decode),
      Stream.concat(Stream.fromEffectDrain(end))
    )
  })

const stranger = (tally: Envelope.Tally): CommandError =>
  badInput("the stream", `message ${tally.count + 1} is neither a record nor an end record`)

const checkEnd = Effect.fnUntraced(function* (message: Uint8Array, tally: Envelope.Tally) {
  const sent = yield* Effect.try({ try: () => Envelope.endOf(message), catch: () => stranger(tally) })
  const received = tally.end()
  if (received.count !== sent.count || received.checksum !== sent.checksum) {
    return yield* new CommandError({
      reason: new StreamDiffers({
        received: received.count,
        sent: sent.count,
        receivedChecksum: received.checksum,
        sentChecksum: sent.checksum
      })
    })
  }
})
