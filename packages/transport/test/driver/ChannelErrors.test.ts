/**
 * Each parameter of a channel with values that are none: the code that Aeron's Java driver 1.51.0 answers with, and a
 * message that names the parameter, the value and what is allowed.
 */
import { assert, describe, it } from "@effect/vitest"
import * as ErrorCode from "../../src/command/ErrorCode.ts"
import { type HeapClient, STREAM } from "../client/HeapClient.ts"
import { HeapNetwork } from "./HeapNetwork.ts"

const UDP = "aeron:udp?endpoint=10.0.0.2:40456"
const IPC = "aeron:ipc?alias=x"
const { GENERIC_ERROR, INVALID_CHANNEL } = ErrorCode

type Side = "publication" | "subscription"

const refusal = (client: HeapClient, side: Side, channel: string) => {
  const failure = client.refusal((handlers) =>
    side === "publication"
      ? client.conductor.addPublication(channel, STREAM, false, handlers)
      : client.conductor.addSubscription(channel, STREAM, handlers)
  )
  assert(failure._tag === "Refused")
  return failure
}

/** Parameters, code, and what the message has between parameter and channel, if that is not their text. */
type Case = readonly [parameters: string, code: number, named?: string]

const OF_PUBLICATIONS: ReadonlyArray<Case> = [
  ["term-length=5k", GENERIC_ERROR, "term-length=5120"],
  ["term-length=2g", GENERIC_ERROR],
  ["term-length=x", GENERIC_ERROR],
  ["mtu=1400", GENERIC_ERROR],
  ["mtu=32", GENERIC_ERROR],
  ["mtu=65536", GENERIC_ERROR],
  ["mtu=x", GENERIC_ERROR],
  ["mtu=65504|term-length=64k", INVALID_CHANNEL, "mtu=65504"],
  ["pub-wnd=1024", INVALID_CHANNEL],
  ["pub-wnd=16m", INVALID_CHANNEL, "pub-wnd=16777216"],
  ["pub-wnd=x", GENERIC_ERROR],
  ["linger=fast", GENERIC_ERROR],
  ["linger=-1", GENERIC_ERROR],
  ["session-id=many", INVALID_CHANNEL],
  ["session-id=tag:x", INVALID_CHANNEL, "session-id=x"],
  ["session-id=tag:99", INVALID_CHANNEL],
  ["stream-id=1002", INVALID_CHANNEL],
  ["stream-id=x", INVALID_CHANNEL],
  ["init-term-id=7", INVALID_CHANNEL, "init-term-id,term-id,term-offset=only init-term-id"],
  ["init-term-id=7|term-id=6|term-offset=0", INVALID_CHANNEL, "term-id=6"],
  ["init-term-id=7|term-id=x|term-offset=0", INVALID_CHANNEL, "term-id=x"],
  ["init-term-id=7|term-id=7|term-offset=33", INVALID_CHANNEL, "term-offset=33"],
  ["init-term-id=7|term-id=7|term-offset=-32", INVALID_CHANNEL, "term-offset=-32"],
  ["init-term-id=7|term-id=7|term-offset=131072|term-length=64k", INVALID_CHANNEL, "term-offset=131072"],
  ["tags=1,-1", INVALID_CHANNEL, "tags=-1"],
  ["tags=1,x", INVALID_CHANNEL, "tags=x"],
  ["max-resend=0", INVALID_CHANNEL],
  ["max-resend=257", INVALID_CHANNEL],
  ["max-resend=x", INVALID_CHANNEL],
  ["response-correlation-id=-2", INVALID_CHANNEL],
  ["response-correlation-id=x", INVALID_CHANNEL],
  ["untethered-window-limit-timeout=x", GENERIC_ERROR],
  ["untethered-linger-timeout=x", GENERIC_ERROR],
  ["untethered-resting-timeout=x", GENERIC_ERROR]
]

const OF_UDP_PUBLICATIONS: ReadonlyArray<Case> = [
  ["fc=max", GENERIC_ERROR],
  ["fc=bogus", GENERIC_ERROR],
  ["so-sndbuf=x", INVALID_CHANNEL],
  ["so-rcvbuf=-5", INVALID_CHANNEL],
  ["so-sndbuf=4g", INVALID_CHANNEL],
  ["rcv-wnd=x", INVALID_CHANNEL],
  ["nak-delay=x", INVALID_CHANNEL],
  ["gtag=x", INVALID_CHANNEL],
  ["tags=x", INVALID_CHANNEL],
  ["control-mode=dynamic", INVALID_CHANNEL],
  ["interface=bogus", INVALID_CHANNEL],
  ["interface=10.99.0.0/16", INVALID_CHANNEL],
  ["interface={nope}", INVALID_CHANNEL],
  ["channel-snd-ts-offset=x", INVALID_CHANNEL],
  ["channel-rcv-ts-offset=x", INVALID_CHANNEL]
]

const OF_SUBSCRIPTIONS: ReadonlyArray<Case> = [
  ["session-id=x", GENERIC_ERROR],
  ["session-id=tag:3", GENERIC_ERROR],
  ["init-term-id=7", GENERIC_ERROR, "init-term-id,term-id,term-offset=only init-term-id"],
  ["init-term-id=7|term-id=6|term-offset=0", GENERIC_ERROR, "term-id=6"],
  ["init-term-id=7|term-id=7|term-offset=33", GENERIC_ERROR, "term-offset=33"],
  ["init-term-id=x|term-id=7|term-offset=32", GENERIC_ERROR, "init-term-id=x"],
  ["untethered-window-limit-timeout=x", GENERIC_ERROR]
]

const OF_IPC_SUBSCRIPTIONS: ReadonlyArray<Case> = [["rcv-wnd=x", GENERIC_ERROR]]

const OF_UDP_SUBSCRIPTIONS: ReadonlyArray<Case> = [
  ["rcv-wnd=x", INVALID_CHANNEL],
  ["rcv-wnd=3g", INVALID_CHANNEL],
  ["so-rcvbuf=x", INVALID_CHANNEL],
  ["nak-delay=x", INVALID_CHANNEL],
  ["gtag=x", INVALID_CHANNEL],
  ["tags=x", INVALID_CHANNEL],
  ["channel-rcv-ts-offset=x", INVALID_CHANNEL],
  ["media-rcv-ts-offset=0", INVALID_CHANNEL],
  ["interface=bogus", INVALID_CHANNEL],
  ["interface=10.99.0.0/16", INVALID_CHANNEL]
]

/** Whole channels, for either side. */
const OF_BOTH: ReadonlyArray<readonly [channel: string, code: number, named: string]> = [
  ["aeron:udp", INVALID_CHANNEL, "endpoint="],
  ["aeron:udp?", INVALID_CHANNEL, "channel="],
  ["aeron:udp?endpoint", INVALID_CHANNEL, "channel=endpoint"],
  ["aeron:udp?endpoint=10.0.0.2", INVALID_CHANNEL, "endpoint=10.0.0.2"],
  ["aeron:udp?endpoint=10.0.0.2:99999", INVALID_CHANNEL, "endpoint=10.0.0.2:99999"],
  ["aeron:udp?endpoint=10.0.0.2:x", INVALID_CHANNEL, "endpoint=10.0.0.2:x"],
  ["aeron:udp?endpoint=[", INVALID_CHANNEL, "endpoint=["],
  ["aeron:udp?=x", INVALID_CHANNEL, "channel==x"],
  ["aeron:tcp?endpoint=10.0.0.2:1", INVALID_CHANNEL, "media=tcp"],
  ["aeron:", INVALID_CHANNEL, "media="],
  ["bogus:udp?endpoint=10.0.0.2:1", INVALID_CHANNEL, "channel=bogus:udp"],
  ["aeron:udp?mtu=1408", INVALID_CHANNEL, "endpoint="]
]

const check = (client: HeapClient, side: Side, channel: string, code: number, named: string): void => {
  const { code: answered, message } = refusal(client, side, channel)
  assert.strictEqual(answered, code, message)
  assert.include(message, named)
  assert.match(message, / is not valid: allowed is .+; invalid channel=/)
}

const suite = (side: Side, prefix: string, cases: ReadonlyArray<Case>): void => {
  const named = cases.map(([parameters, code, name = parameters]) => ({ parameters, code, name }))
  it.each(named)(
    `of a ${side} on ${prefix.slice(0, 9)}, $parameters, has the code $code`,
    ({ parameters, code, name }) => {
      const world = new HeapNetwork(1)
      check(side === "publication" ? world.publisher : world.subscriber, side, `${prefix}|${parameters}`, code, name)
    }
  )
}

describe("a bad channel", () => {
  suite("publication", UDP, [...OF_PUBLICATIONS, ...OF_UDP_PUBLICATIONS])
  suite("publication", IPC, OF_PUBLICATIONS)
  suite("subscription", UDP, [...OF_SUBSCRIPTIONS, ...OF_UDP_SUBSCRIPTIONS])
  suite("subscription", IPC, [...OF_SUBSCRIPTIONS, ...OF_IPC_SUBSCRIPTIONS])

  it.each(OF_BOTH)("as a whole, %s, has the code %i on either side", (channel, code, named) => {
    const world = new HeapNetwork(1)
    check(world.publisher, "publication", channel, code, named)
    check(world.subscriber, "subscription", channel, code, named)
  })

  it("of a publication has no port to send to", () => {
    const world = new HeapNetwork(1)
    check(world.publisher, "publication", "aeron:udp?endpoint=10.0.0.2:0", GENERIC_ERROR, "endpoint=10.0.0.2:0")
  })

  it("of a subscription names a congestion control that there is", () => {
    // Aeron's drivers take it and then have no image: here the subscriber is told at once.
    check(new HeapNetwork(1).subscriber, "subscription", `${UDP}|cc=reno`, INVALID_CHANNEL, "cc=reno")
  })

  it.each(["eos=maybe", "sparse=maybe", "ssc=maybe", "ttl=300", "control-mode=bogus", "group=maybe", "cc=cubic"])(
    "is none of %s: switches have no wrong values, and Aeron does not look at the rest of a publication",
    (parameters) => {
      const world = new HeapNetwork(1)
      assert.isDefined(world.publisher.addPublication(`${UDP}|${parameters}`))
      assert.isDefined(world.subscriber.addSubscription(`${UDP}|${parameters}`))
    }
  )

  it("longer than 4,095 characters is answered with its beginning", () => {
    const { code, message } = refusal(new HeapNetwork(1).publisher, "publication", `${UDP}|alias=${"x".repeat(5000)}`)
    assert.strictEqual(code, INVALID_CHANNEL)
    assert.include(message, "length=")
    assert.include(message, "at most 4095 characters")
  })
})
