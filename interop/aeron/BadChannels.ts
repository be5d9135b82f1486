/** Channels that are none, with the same answer from Aeron's driver and from ours, as our client understands it. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Client from "../../packages/transport/src/Client.ts"
import * as Publication from "../../packages/transport/src/Publication.ts"
import * as Subscription from "../../packages/transport/src/Subscription.ts"
import { CommandRefused, type TransportError } from "../../packages/transport/src/TransportError.ts"
import type { Context } from "../Part.ts"
import { type Peer, withDrivers } from "./Streams.ts"

const UDP = "aeron:udp?endpoint=localhost:40999"
const UNKNOWN = "aeron:udp?endpoint=no.such.host.invalid:40123"

/** What is wrong with a publication's channel, and with a subscription's. */
const OF_PUBLICATIONS: ReadonlyArray<string> = [
  "term-length=5k",
  "term-length=x",
  "mtu=1400",
  "mtu=65504|term-length=64k",
  "pub-wnd=1024",
  "linger=fast",
  "session-id=many",
  "session-id=tag:99",
  "stream-id=1002",
  "init-term-id=7",
  "tags=1,-1",
  "max-resend=257",
  "init-term-id=7|term-id=7|term-offset=33",
  "response-correlation-id=-2",
  "fc=max",
  "so-sndbuf=x",
  "nak-delay=x",
  "gtag=x",
  "control-mode=dynamic",
  "interface=bogus",
  "interface=10.99.0.0/16",
  "channel-snd-ts-offset=x"
].map((parameters) => `${UDP}|${parameters}`)
const OF_SUBSCRIPTIONS: ReadonlyArray<string> = [
  "session-id=x",
  "session-id=tag:3",
  "init-term-id=7",
  "init-term-id=7|term-id=7|term-offset=33",
  "rcv-wnd=x",
  "rcv-wnd=4m",
  "so-rcvbuf=x",
  "gtag=x",
  "channel-rcv-ts-offset=x",
  "media-rcv-ts-offset=0"
].map((parameters) => `${UDP}|${parameters}`)
const OF_BOTH: ReadonlyArray<string> = [
  "aeron:udp",
  "aeron:udp?endpoint",
  "aeron:udp?endpoint=localhost",
  "aeron:udp?endpoint=localhost:99999",
  "aeron:tcp?endpoint=localhost:1",
  "bogus:udp?endpoint=localhost:1",
  "aeron:udp?mtu=1408",
  "aeron:udp?=x",
  UNKNOWN
]

const FIRST_ENDPOINT_PORT = 41_000

/** Options of a socket that a second channel of it may not have otherwise, for a publication and for a subscription. */
const OF_ENDPOINTS: ReadonlyArray<readonly [first: string, second: string]> = [
  ["channel-snd-ts-offset=reserved", "channel-snd-ts-offset=8"],
  ["channel-rcv-ts-offset=0", "channel-rcv-ts-offset=-1"],
  ["so-sndbuf=64k", "so-sndbuf=128k"],
  ["so-rcvbuf=128k", "so-rcvbuf=256k"]
].map(([first, second], index) => {
  // A publication that was closed lingers, and its endpoint with it.
  const endpoint = `aeron:udp?endpoint=localhost:${FIRST_ENDPOINT_PORT + index}`
  return [`${endpoint}|${first}`, `${endpoint}|${second}`]
})

/** The code of a channel that is none. */
const INVALID_CHANNEL = 1
const UNKNOWN_HOST = 9
const GENERIC_ERROR = 11
const NO_ERROR = 0

/** C's driver has a code for it, and ours too. */
const OTHERWISE_IN_JAVA: Readonly<Record<string, number>> = {
  [`publication ${UNKNOWN}`]: INVALID_CHANNEL,
  [`subscription ${UNKNOWN}`]: INVALID_CHANNEL
}

/** What C's driver takes, and what it names otherwise; Java's refuses them, and so does ours. */
const OTHERWISE_IN_C: Readonly<Record<string, number>> = {
  [`publication ${UDP}|mtu=65504|term-length=64k`]: NO_ERROR,
  [`publication ${UDP}|stream-id=1002`]: NO_ERROR,
  [`publication ${UDP}|tags=1,-1`]: NO_ERROR,
  [`publication ${UDP}|fc=max`]: NO_ERROR,
  [`publication ${UDP}|nak-delay=x`]: NO_ERROR,
  [`publication ${UDP}|gtag=x`]: NO_ERROR,
  [`publication ${UDP}|interface=bogus`]: UNKNOWN_HOST,
  [`subscription ${UDP}|init-term-id=7`]: NO_ERROR,
  [`subscription ${UDP}|init-term-id=7|term-id=7|term-offset=33`]: NO_ERROR
}

type Codes = Readonly<Record<string, number>>

/** C's driver has a general error for most of what Java's names an invalid channel. */
const withoutInvalidChannel = (codes: Codes): Codes =>
  Object.fromEntries(
    Object.entries(codes).map(([channel, code]) => [channel, code === INVALID_CHANNEL ? GENERIC_ERROR : code])
  )

const codeOf = <A>(made: Effect.Effect<A, TransportError, Client.Client | Scope.Scope>) =>
  Effect.scoped(made).pipe(
    Effect.match({
      onSuccess: () => NO_ERROR,
      onFailure: ({ reason }) => (reason instanceof CommandRefused ? reason.code : -1)
    })
  )

const codes = (directory: string): Promise<Codes> =>
  Effect.gen(function* () {
    const streamId = 1001
    const answers: Record<string, number> = {}
    for (const channel of [...OF_PUBLICATIONS, ...OF_BOTH]) {
      answers[`publication ${channel}`] = yield* codeOf(Publication.make({ channel, streamId }))
    }
    for (const channel of [...OF_SUBSCRIPTIONS, ...OF_BOTH]) {
      answers[`subscription ${channel}`] = yield* codeOf(Subscription.make({ channel, streamId }))
    }
    for (const [first, second] of OF_ENDPOINTS) {
      const besidePublication = Effect.andThen(
        Publication.make({ channel: first, streamId }),
        codeOf(Publication.make({ channel: second, streamId }))
      )
      const besideSubscription = Effect.andThen(
        Subscription.make({ channel: first, streamId }),
        codeOf(Subscription.make({ channel: second, streamId }))
      )
      answers[`publication ${second} beside ${first}`] = yield* Effect.scoped(besidePublication)
      answers[`subscription ${second} beside ${first}`] = yield* Effect.scoped(besideSubscription)
    }
    return answers
  }).pipe(Effect.provide(Client.layerWith({ directory })), Effect.runPromise)

export const run = ({ report }: Context, _count: number, peer: Peer): Promise<void> =>
  withDrivers([peer, "millrace"], async (theirs, ours) => {
    const [found, expected] = [await codes(theirs), await codes(ours)]
    report.equal(
      "the codes of bad channels",
      { name: peer, value: peer === "c" ? withoutInvalidChannel(found) : found },
      {
        name: "millrace",
        value:
          peer === "c"
            ? { ...withoutInvalidChannel(expected), ...OTHERWISE_IN_C }
            : { ...expected, ...OTHERWISE_IN_JAVA }
      }
    )
  })
