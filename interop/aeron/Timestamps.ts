/**
 * Messages that say when they were sent and when they were received: stamped by Aeron's driver and ours, read by our
 * client and Aeron's, over UDP both ways.
 */
import { deepStrictEqual, ok } from "node:assert/strict"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Client from "../../packages/transport/src/Client.ts"
import * as Publication from "../../packages/transport/src/Publication.ts"
import * as Subscription from "../../packages/transport/src/Subscription.ts"
import type { TransportError } from "../../packages/transport/src/TransportError.ts"
import type { Context } from "../Part.ts"
import { check, client, freePort, type Peer, withDrivers } from "./Streams.ts"

const COUNT = 100
const MESSAGE_LENGTH = 1000
const RESERVED_VALUE = 5n
const ONES = 0x0101010101010101n
/** Two programs of one machine read one clock, each with an error of its own. */
const CLOCK_ERROR_NS = 1_000_000n
const PATIENCE_NS = 120_000_000_000n

/** The reserved value of a message, and what lies at 0, 8 and 16 of its payload. */
type Numbers = ReadonlyArray<bigint>

/** Where in `Numbers` each time is: the two parameters of a channel, and the two places. */
interface Offsets {
  readonly parameters: Readonly<Record<"send" | "receive", string>>
  readonly sent: number
  readonly received: number
}

const OFFSETS: ReadonlyArray<Offsets> = [
  { parameters: { send: "channel-snd-ts-offset=reserved", receive: "channel-rcv-ts-offset=8" }, sent: 0, received: 2 },
  { parameters: { send: "channel-snd-ts-offset=0", receive: "channel-rcv-ts-offset=reserved" }, sent: 1, received: 0 }
]

interface Place {
  readonly directory: string
  readonly channel: string
  readonly streamId: number
}

const runClient = <A>(
  { directory }: Place,
  effect: Effect.Effect<A, TransportError, Client.Client | Scope.Scope>
): Promise<A> => Effect.runPromise(Effect.scoped(effect).pipe(Effect.provide(Client.layerWith({ directory }))))

const publish = (place: Place): Promise<void> =>
  runClient(
    place,
    Effect.gen(function* () {
      const publication = yield* Publication.make({ ...place })
      const message = new Uint8Array(MESSAGE_LENGTH).fill(1)
      for (let accepted = 0; accepted < COUNT;) {
        const { _tag } = yield* publication.offer(message, () => RESERVED_VALUE)
        accepted += _tag === "Accepted" ? 1 : 0
        yield* _tag === "Accepted" ? Effect.void : Effect.sleep(1)
      }
    })
  )

/** `onSubscribed` is called when publishers may begin. */
const subscribe = (place: Place, onSubscribed: () => void): Promise<ReadonlyArray<Numbers>> =>
  runClient(
    place,
    Effect.gen(function* () {
      const subscription = yield* Subscription.make({ ...place })
      onSubscribed()
      const messages: Array<Numbers> = []
      while (messages.length < COUNT) {
        const count = yield* subscription.poll((bytes, offset, length, { reservedValue }) => {
          const view = new DataView(bytes.buffer, bytes.byteOffset + offset, length)
          messages.push([reservedValue, ...[0, 8, 16].map((at) => view.getBigInt64(at, true))])
        }, 10)
        yield* count > 0 ? Effect.void : Effect.sleep(1)
      }
      return messages
    })
  )

const peerArgs = ({ channel, directory, streamId }: Place, what: string): ReadonlyArray<string> => [
  directory,
  channel,
  String(streamId),
  String(COUNT),
  what
]
const peerPublishes = (peer: Peer, place: Place): Promise<void> =>
  client(peer, "timestamps", peerArgs(place, "publish")).end("published")

const peerSubscribes = async (peer: Peer, place: Place, onSubscribed: () => void): Promise<ReadonlyArray<Numbers>> => {
  const subscriber = client(peer, "timestamps", peerArgs(place, "subscribe"))
  await subscriber.line("subscribed")
  onSubscribed()
  await subscriber.end("")
  return subscriber.output
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.split(" ").map(BigInt))
}

const checkTimes = (messages: ReadonlyArray<Numbers>, { received, sent }: Offsets): void => {
  deepStrictEqual(messages.length, COUNT)
  const nowNs = BigInt(Date.now()) * 1_000_000n
  for (const numbers of messages) {
    const sentNs = numbers[sent]!
    const receivedNs = numbers[received]!
    const text = numbers.join(" ")
    ok(sentNs > nowNs - PATIENCE_NS && sentNs <= nowNs + CLOCK_ERROR_NS, `a time of sending that is none: ${text}`)
    ok(
      receivedNs >= sentNs - CLOCK_ERROR_NS && receivedNs <= nowNs + CLOCK_ERROR_NS,
      `received before it was sent: ${text}`
    )
    const untouched = numbers.map((value, index) => (index === sent || index === received ? undefined : value))
    const expected = [RESERVED_VALUE, ONES, ONES, ONES].map((value, index) =>
      index === sent || index === received ? undefined : value
    )
    deepStrictEqual(untouched, expected)
  }
}

export const run = async (context: Context, _count: number, peer: Peer): Promise<void> => {
  await withDrivers([peer, "millrace"], async (theirs, ours) => {
    let streamId = 5000
    for (const [publisher, subscriber] of [
      [peer, "millrace"],
      ["millrace", peer]
    ] as const) {
      for (const offsets of OFFSETS) {
        const { receive, send } = offsets.parameters
        const endpoint = `aeron:udp?endpoint=localhost:${await freePort()}`
        const from = {
          directory: publisher === peer ? theirs : ours,
          channel: `${endpoint}|${send}`,
          streamId: ++streamId
        }
        const to = { directory: subscriber === peer ? theirs : ours, channel: `${endpoint}|${receive}`, streamId }
        await check(context, `${publisher} stamps by ${send}, ${subscriber} by ${receive}`, async () => {
          let publishing: Promise<void> = Promise.resolve()
          const begin = (): void => {
            publishing = publisher === peer ? peerPublishes(peer, from) : publish(from)
          }
          const messages = await (subscriber === peer ? peerSubscribes(peer, to, begin) : subscribe(to, begin))
          await publishing
          checkTimes(messages, offsets)
        })
      }
    }
  })
}
