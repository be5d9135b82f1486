import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Channel from "../src/Channel.ts"
import * as ChannelUri from "../src/channel/ChannelUri.ts"
import * as PublicationParameters from "../src/channel/PublicationParameters.ts"
import * as SubscriptionParameters from "../src/channel/SubscriptionParameters.ts"
import * as UdpChannel from "../src/channel/UdpChannel.ts"
import { reasonOf } from "./fixtures/embedded.ts"

/** Every option of a channel over UDP, none with its default. */
const everything: Required<Channel.UdpOptions> = {
  interface: "127.0.0.1/8",
  termLength: 128 * 1024,
  mtu: 4096,
  sessionId: -5,
  streamId: 1001,
  initialPosition: { initialTermId: 7, termId: 9, termOffset: 64 },
  publicationWindow: 8192,
  linger: "250 millis",
  eos: false,
  sparse: true,
  tether: false,
  rejoin: false,
  untetheredWindowLimitTimeout: "1 second",
  untetheredLingerTimeout: "2 seconds",
  untetheredRestingTimeout: "3 seconds",
  tags: { channel: 3n, entity: 4n },
  spiesSimulateConnection: true,
  alias: "trades",
  reliable: false,
  congestionControl: "cubic",
  receiverWindow: 64 * 1024,
  socketReceiveBuffer: 256 * 1024,
  socketSendBuffer: 128 * 1024,
  maxResend: 3,
  nakDelay: "2 millis",
  sendTimestampOffset: 8,
  receiveTimestampOffset: "reserved",
  mediaReceiveTimestampOffset: 16
}

const publicationDefaults = {
  termLength: 64 * 1024,
  mtuLength: 1408,
  termWindowLength: 0,
  lingerTimeoutNs: 5e9,
  isSparse: false,
  spiesSimulateConnection: false,
  untetheredWindowLimitTimeoutNs: 5e9,
  untetheredLingerTimeoutNs: undefined,
  untetheredRestingTimeoutNs: 10e9,
  maxResend: 16
}

describe("Channel", () => {
  it("writes every option as the driver reads it", () => {
    const uri = ChannelUri.parse(Channel.udp("localhost:40123", everything).uri)
    const publication = PublicationParameters.parse(uri, 1001, publicationDefaults)
    assert.deepInclude(publication, {
      termLength: 128 * 1024,
      mtuLength: 4096,
      publicationWindowLength: 8192,
      lingerTimeoutNs: 250e6,
      entityTag: 4n,
      sessionId: -5,
      signalEos: false,
      isSparse: true,
      spiesSimulateConnection: true,
      untetheredWindowLimitTimeoutNs: 1e9,
      untetheredLingerTimeoutNs: 2e9,
      untetheredRestingTimeoutNs: 3e9,
      maxResend: 3
    })
    assert.deepInclude(publication.initialPosition, { initialTermId: 7, termId: 9, termOffset: 64 })
    const subscription = SubscriptionParameters.parse(uri, {
      isReliable: true,
      isTether: true,
      isRejoin: true,
      isSparse: false,
      receiverWindowLength: 128 * 1024,
      congestionControl: "static",
      untetheredWindowLimitTimeoutNs: 5e9,
      untetheredLingerTimeoutNs: undefined,
      untetheredRestingTimeoutNs: 10e9
    })
    assert.deepInclude(subscription, {
      sessionId: -5,
      isReliable: false,
      isTether: false,
      isRejoin: false,
      congestionControl: "cubic"
    })
    const udp = UdpChannel.parse(uri)
    assert.deepInclude(udp, {
      endpoint: "localhost:40123",
      interfaceText: "127.0.0.1/8",
      tag: 3n,
      receiveBufferLength: 256 * 1024,
      sendBufferLength: 128 * 1024,
      receiverWindowLength: 64 * 1024,
      nakDelayNs: 2e6
    })
    assert.strictEqual(uri.get("alias"), "trades")
    assert.strictEqual(uri.get("channel-snd-ts-offset"), "8")
    assert.strictEqual(uri.get("channel-rcv-ts-offset"), "reserved")
    assert.strictEqual(uri.get("media-rcv-ts-offset"), "16")
  })

  it("says nothing of what is not given, and refers to a tag instead of a session", () => {
    assert.strictEqual(Channel.ipc().uri, "aeron:ipc")
    assert.strictEqual(Channel.udp("[::1]:40123").uri, "aeron:udp?endpoint=[::1]:40123")
    assert.strictEqual(Channel.ipc({ sessionId: { tag: 7n } }).uri, "aeron:ipc?session-id=tag:7")
    assert.strictEqual(Channel.ipc({ tags: { channel: 7n } }).uri, "aeron:ipc?tags=7")
  })

  it("lets no value become another parameter, and no duration that is none", () => {
    assert.throws(() => Channel.ipc({ alias: "a|sparse=true" }), /\|/)
    assert.throws(() => Channel.udp("localhost:1|reliable=false"), /\|/)
    assert.throws(() => Channel.ipc({ linger: "Infinity" }), /finite/)
  })

  it.effect("reads a URI, or says what is wrong with it", () =>
    Effect.gen(function* () {
      const channel = yield* Channel.parse("aeron:udp?endpoint=localhost:40123|mtu=8k")
      assert.strictEqual(channel.uri, "aeron:udp?endpoint=localhost:40123|mtu=8k")
      const reason = yield* reasonOf(Channel.parse("aeron:tcp?endpoint=localhost:40123"))
      assert(reason._tag === "InvalidChannel")
      assert.strictEqual(reason.parameter, "media")
    })
  )
})
