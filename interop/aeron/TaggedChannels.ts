/**
 * Channels of one place with tags and without, one after the other on Aeron's driver and on ours: what each is answered
 * with, and how many endpoints there are then.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Client from "../../packages/transport/src/Client.ts"
import * as Counters from "../../packages/transport/src/Counters.ts"
import * as Publication from "../../packages/transport/src/Publication.ts"
import * as Subscription from "../../packages/transport/src/Subscription.ts"
import { CommandRefused, type TransportError } from "../../packages/transport/src/TransportError.ts"
import type { Context } from "../Part.ts"
import { type Peer, withDrivers } from "./Streams.ts"

type Answers = Readonly<Record<string, string>>

/** Each beside those before it. `@` is an endpoint, another one in each story; the other is `@2`. */
const STORIES: ReadonlyArray<ReadonlyArray<string>> = [
  ["@|tags=1", "@|tags=2"],
  ["@|tags=1", "@|tags=1"],
  ["@|tags=1", "@"],
  ["@", "@|tags=1", "@|tags=2"],
  ["@|tags=1", "@2|tags=1"],
  ["@|tags=1", "@2|tags=2", "@2|tags=1"],
  ["@|tags=1", "@|tags=1,7", "@|tags=1,8"],
  ["@|tags=1", "@|tags=2", "@"],
  ["@|tags=1", "@|tags=2", "@|tags=1"],
  ["@|tags=1", "tags=1", "tags=2"],
  ["@|tags=1|session-id=5", "@|tags=2|session-id=5"],
  ["@|tags=1|reliable=true", "@|tags=1|reliable=false"],
  ["@|reliable=true", "@|tags=1|reliable=false"],
  ["@|tags=1|reliable=true", "@|reliable=false"],
  ["@|tags=1|rejoin=true", "@|tags=2|rejoin=false"],
  ["@|tags=1|so-sndbuf=64k", "@|tags=2|so-sndbuf=128k"],
  ["@|tags=1|interface=127.0.0.1", "@|tags=1"],
  ["0|tags=1", "0|tags=2", "0|tags=1"]
]

/**
 * Java's driver forgets the older of two endpoints of one place (C's does not), keeps one of a publication that it has
 * refused, and listens somewhere for a tag that nobody has.
 */
const OTHERWISE_IN_JAVA: Answers = {
  "publication @|tags=1 then @|tags=2 then @|tags=1": "0, endpoints 3",
  "publication @|tags=1|session-id=5 then @|tags=2|session-id=5": "1, endpoints 2",
  "subscription @|tags=1 then tags=1 then tags=2": "0, endpoints 2"
}

/** Below those that a system gives away by itself, and those of the other runs. */
const FIRST_PORT = 9_500
const STREAM_ID = 1001
const NO_ERROR = 0
const SEND_CHANNEL_STATUS = 6
const RECEIVE_CHANNEL_STATUS = 7

/** Of the status of a channel of the story: they name their port, or a tag that begins with it. */
const isEndpointOf =
  (port: number) =>
  ({ label, typeId }: Counters.CounterRecord): boolean =>
    (typeId === SEND_CHANNEL_STATUS || typeId === RECEIVE_CHANNEL_STATUS) && label.includes(String(port))

const codeOf = <A>(made: Effect.Effect<A, TransportError, Client.Client | Scope.Scope>) =>
  Effect.match(made, {
    onSuccess: () => NO_ERROR,
    onFailure: ({ reason }) => (reason instanceof CommandRefused ? reason.code : -1)
  })

const channelOf = (text: string, port: number): string => {
  const places: ReadonlyArray<readonly [name: string, port: number]> = [
    ["@2", port + 1],
    ["@", port],
    ["0", 0]
  ]
  const [name, chosen] = places.find(([start]) => text.startsWith(start)) ?? ["", -1]
  const parameters = text.slice(name.length).replace("tags=", `tags=${port}`)
  return name === "" ? `aeron:udp?${parameters}` : `aeron:udp?endpoint=localhost:${chosen}${parameters}`
}

const answers = (directory: string, firstPort: number): Promise<Answers> =>
  Effect.gen(function* () {
    const { list } = yield* Counters.Counters
    const told: Record<string, string> = {}
    let port = firstPort
    for (const kind of ["publication", "subscription"] as const) {
      const make = (channel: string) =>
        kind === "publication"
          ? codeOf(Publication.make({ channel, streamId: STREAM_ID }))
          : codeOf(Subscription.make({ channel, streamId: STREAM_ID }))
      for (const story of STORIES) {
        port += 2
        yield* Effect.scoped(
          Effect.gen(function* () {
            for (const [index, text] of story.entries()) {
              const code = yield* make(channelOf(text, port))
              const endpoints = (yield* list).filter(isEndpointOf(port)).length
              told[`${kind} ${story.slice(0, index + 1).join(" then ")}`] = `${code}, endpoints ${endpoints}`
            }
          })
        )
      }
    }
    return told
  }).pipe(Effect.provide(Counters.layer.pipe(Layer.provideMerge(Client.layerWith({ directory })))), Effect.runPromise)

export const run = ({ report }: Context, _count: number, peer: Peer): Promise<void> =>
  withDrivers([peer, "millrace"], async (theirs, ours) => {
    const [found, expected] = [await answers(theirs, FIRST_PORT), await answers(ours, FIRST_PORT + 100)]
    report.equal(
      "channels of one place with tags",
      { name: peer, value: found },
      { name: "millrace", value: { ...expected, ...OTHERWISE_IN_JAVA } }
    )
  })
