/** Publishes what a replay gives, at the pace of who subscribes. */
import type * as Replayer from "@millrace/store/Replayer"
import * as Client from "@millrace/transport/Client"
import * as Publication from "@millrace/transport/Publication"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { CommandError, NotRead } from "../CommandError.ts"
import * as Progress from "../output/Progress.ts"
import { bytes, plural } from "../output/Quantity.ts"
import * as Rates from "../output/Rates.ts"
import { drained } from "./drained.ts"

export interface PublishOptions {
  readonly channel: string
  readonly streamId: number
  readonly topic: string
  readonly json: boolean
  readonly count: Option.Option<number>
  /** Seconds that it waits for a subscriber. */
  readonly timeout: Option.Option<number>
  /** Tells once a second how much went out. */
  readonly follow: boolean
}

interface Sent {
  readonly tally: Rates.Tally
  readonly gaps: number
}

export const publishReplay = Effect.fnUntraced(function* <E, R>(
  elements: Stream.Stream<Replayer.Element, E, R>,
  options: PublishOptions
) {
  const { channel, count, follow, json, streamId, timeout } = options
  const connectTimeout = Option.map(timeout, (seconds) => ({ connectTimeout: Duration.seconds(seconds) }))
  const publication = yield* Publication.make({ channel, streamId, ...Option.getOrUndefined(connectTimeout) })
  const tally = { messages: 0, bytes: 0 }
  let gaps = 0
  const replaying = Effect.scoped(
    Effect.gen(function* () {
      const total = Option.getOrUndefined(count)
      const progress = follow ? Progress.silent : yield* Progress.make({ label: "replay", noun: "messages", total })
      if (follow) {
        yield* Rates.follow(tally, json)
      }
      yield* elements.pipe(
        Stream.filter((element) => {
          gaps += element._tag === "Gap" ? 1 : 0
          return element._tag === "Message"
        }),
        Stream.map(({ payload }) => payload),
        Stream.take(Option.getOrElse(count, () => Infinity)),
        Stream.runForEachArray((payloads) =>
          Effect.flatMap(publication.publishMany(payloads), () => {
            tally.messages += payloads.length
            tally.bytes += payloads.reduce((sum, { length }) => sum + length, 0)
            return progress.update(tally.messages)
          })
        )
      )
    })
  )
  yield* replaying
  yield* end(publication, options, { tally, gaps })
})

/** Waits until subscribers have read everything, and tells what it was. */
const end = Effect.fnUntraced(function* (
  publication: Publication.Publication,
  { channel, json, streamId, topic }: PublishOptions,
  { gaps, tally }: Sent
) {
  const unread = yield* drained(yield* Client.Client, publication)
  if (tally.messages > 0 && unread > 0) {
    return yield* new CommandError({ reason: new NotRead({ channel, streamId, unread }) })
  }
  const missing = gaps === 0 ? "" : `, over ${plural(gaps, "gap")}`
  const sent = `replayed ${plural(tally.messages, "message")}, ${bytes(tally.bytes)}`
  yield* Console.log(
    json
      ? JSON.stringify({ topic, ...tally, gaps, position: yield* publication.position })
      : `${sent}, of topic ${topic} to stream ${streamId} on ${channel}${missing}`
  )
})
