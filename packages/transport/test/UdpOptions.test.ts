/** What options and channels choose, over real sockets: loss on purpose, flow control, congestion control and ports. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Client from "../src/Client.ts"
import type { MediaDriverOptions } from "../src/MediaDriverConfig.ts"
import * as Publication from "../src/Publication.ts"
import * as Subscription from "../src/Subscription.ts"
import { bytesOf, embedded, freePort, reasonOf, textOf, until } from "./fixtures/embedded.ts"

const numbered = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `${index}`.padEnd(1000, "."))

/** Publishes to a subscription of this driver; gives the driver's counters after the last message was received. */
const carry = Effect.fnUntraced(function* (parameters: {
  readonly publication?: string
  readonly subscription?: string
}) {
  const channel = `aeron:udp?endpoint=localhost:${yield* freePort()}|term-length=64k`
  const streamId = 1001
  const subscription = yield* Subscription.make({ channel: `${channel}${parameters.subscription ?? ""}`, streamId })
  const publication = yield* Publication.make({ channel: `${channel}${parameters.publication ?? ""}`, streamId })
  const sent = numbered(500)
  yield* Effect.forkScoped(publication.publishMany(sent.map(bytesOf)))
  const received = yield* Stream.runCollect(Stream.take(subscription.stream, sent.length))
  assert.deepStrictEqual(received.map(textOf), sent)
  const { counters } = yield* Client.Client
  return yield* counters
})

const run = <E, R>(options: MediaDriverOptions, effect: Effect.Effect<void, E, R>) =>
  Effect.scoped(effect).pipe(Effect.provide(embedded(options)))

/** Sender and receiver read one clock, each with an error of its own. */
const CLOCK_ERROR_NS = 1_000_000n

const valueOf = (counters: ReadonlyArray<{ readonly label: string; readonly value: bigint }>, label: string): number =>
  Number(counters.find((counter) => counter.label.startsWith(label))?.value ?? -1)

describe("options and channels over real sockets", () => {
  it.live("lose what a seed says, and the stream is whole all the same", () =>
    run(
      { incomingInterceptors: "loss", lossArguments: "rate=0.2|seed=42|recv-msg-mask=0x2" },
      Effect.gen(function* () {
        const counters = yield* carry({})
        assert.isAbove(valueOf(counters, "NAKs sent"), 0)
        assert.isAbove(valueOf(counters, "Retransmits sent"), 0)
      })
    )
  )

  it.live("have the pace of the slowest of a group when the options choose it, which the channel may not", () =>
    run(
      { unicastFlowControl: "tagged", flowControlGroupTag: 7n, flowControlGroupMinSize: 1 },
      Effect.gen(function* () {
        const counters = yield* carry({ subscription: "|gtag=7" })
        assert.strictEqual(valueOf(counters, "fc-receivers"), 1)
        const channel = `aeron:udp?endpoint=localhost:${yield* freePort()}|fc=min`
        const reason = yield* reasonOf(Effect.asVoid(Publication.make({ channel, streamId: 1001 })))
        assert.include(reason.message, "GENERIC_ERROR (11): fc=min is not valid")
      })
    )
  )

  it.live("measure the round trip with the congestion control cubic, by channel", () =>
    run(
      { cubicMeasureRtt: true },
      Effect.gen(function* () {
        const counters = yield* carry({ subscription: "|cc=cubic" })
        assert.isAbove(valueOf(counters, "rcv-cc-cubic-rtt"), 0)
        assert.isAbove(valueOf(counters, "rcv-cc-cubic-wnd"), 0)
      })
    )
  )

  it.live.each(["native", "portable"] as const)(
    "have the times of sending and receiving in their messages (%s)",
    (media) =>
      run(
        { media },
        Effect.gen(function* () {
          const channel = `aeron:udp?endpoint=localhost:${yield* freePort()}`
          const timestamps = "channel-snd-ts-offset=8|channel-rcv-ts-offset=reserved"
          const stream = { channel: `${channel}|${timestamps}`, streamId: 1001 }
          const subscription = yield* Subscription.make(stream)
          const publication = yield* Publication.make(stream)
          const beginNs = BigInt(Date.now()) * 1_000_000n
          yield* publication.publishMany([16, 24, 100].map((length) => new Uint8Array(length)))
          const received: Array<readonly [sentNs: bigint, receivedNs: bigint]> = []
          const poll = subscription.poll((bytes, offset, _length, { reservedValue }) => {
            received.push([new DataView(bytes.buffer, bytes.byteOffset + offset).getBigInt64(8, true), reservedValue])
          }, 10)
          yield* until(Effect.map(poll, () => received.length === 3))
          for (const [sentNs, receivedNs] of received) {
            assert.isTrue(
              sentNs >= beginNs && receivedNs >= sentNs - CLOCK_ERROR_NS,
              `sent at ${sentNs}, received at ${receivedNs}`
            )
          }
          const media = yield* reasonOf(
            Effect.asVoid(Subscription.make({ ...stream, channel: `${channel}|media-rcv-ts-offset=8` }))
          )
          assert.include(media.message, "INVALID_CHANNEL (1): media-rcv-ts-offset=8 is not valid")
        })
      )
  )

  it.live("give ports of the range to subscriptions that say 0, and say when there is none left", () =>
    Effect.gen(function* () {
      const port = yield* freePort()
      const receive = Subscription.make({ channel: "aeron:udp?endpoint=localhost:0", streamId: 1001 })
      yield* run(
        { receiverWildcardPortRange: `${port} ${port}` },
        Effect.gen(function* () {
          yield* receive
          const reason = yield* reasonOf(Effect.asVoid(receive))
          assert.include(reason.message, `no available ports in range ${port} ${port}`)
        })
      )
    })
  )
})
