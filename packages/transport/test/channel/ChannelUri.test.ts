import { assert, describe, it } from "@effect/vitest"
import * as ChannelUri from "../../src/channel/ChannelUri.ts"
import { InvalidChannel } from "../../src/channel/InvalidChannel.ts"

const refusal = (channel: string): InvalidChannel => {
  try {
    ChannelUri.parse(channel)
  } catch (error) {
    assert(error instanceof InvalidChannel)
    return error
  }
  return assert.fail(`${channel} was accepted`)
}

describe("ChannelUri", () => {
  it("reads media without parameters", () => {
    assert.strictEqual(ChannelUri.parse("aeron:udp").media, "udp")
    assert.isTrue(ChannelUri.parse("aeron:ipc").isIpc)
  })

  it("reads parameters whose values hold colons, equals signs and brackets", () => {
    const uri = ChannelUri.parse(
      "aeron:udp?endpoint=[::1]:40456|interface=[fe80::1%eth0]:0/64|fc=tagged,g:-5/2,t:200ms"
    )
    assert.strictEqual(uri.get("endpoint"), "[::1]:40456")
    assert.strictEqual(uri.get("interface"), "[fe80::1%eth0]:0/64")
    assert.strictEqual(uri.get("fc"), "tagged,g:-5/2,t:200ms")
    assert.strictEqual(ChannelUri.parse("aeron:ipc?alias=a=b=c").get("alias"), "a=b=c")
  })

  it("keeps the last value of a key that comes twice", () => {
    assert.strictEqual(ChannelUri.parse("aeron:ipc?mtu=1408|mtu=8192").get("mtu"), "8192")
  })

  it("takes an empty value", () => {
    assert.strictEqual(ChannelUri.parse("aeron:udp?endpoint=").get("endpoint"), "")
  })

  it("reads the spy prefix", () => {
    const uri = ChannelUri.parse("aeron-spy:aeron:udp?endpoint=localhost:40123")
    assert.isTrue(uri.isSpy)
    assert.strictEqual(uri.toString(), "aeron-spy:aeron:udp?endpoint=localhost:40123")
  })

  it("splits tags into that of the channel and that of the entity", () => {
    const uri = ChannelUri.parse("aeron:ipc?tags=3,7")
    assert.strictEqual(uri.channelTag, "3")
    assert.strictEqual(uri.entityTag, "7")
    assert.strictEqual(ChannelUri.parse("aeron:ipc?tags=3").entityTag, undefined)
  })

  it("tells a reference to a tag from a plain value", () => {
    assert.strictEqual(ChannelUri.referencedTag("tag:42"), "42")
    assert.strictEqual(ChannelUri.referencedTag("42"), undefined)
  })

  it("prints what it parsed", () => {
    for (const channel of [
      "aeron:ipc",
      "aeron:udp?endpoint=224.10.9.9:4050|interface=127.0.0.1|ttl=3",
      "aeron:udp?control-mode=manual",
      "aeron:ipc?session-id=tag:7|term-length=64k|init-term-id=-7|term-id=7|term-offset=96"
    ]) {
      assert.strictEqual(ChannelUri.parse(channel).toString(), channel)
    }
  })

  it("takes a channel of the greatest length and refuses a longer one, quoting no more than that", () => {
    const longest = `aeron:ipc?alias=${"x".repeat(ChannelUri.LENGTH_MAX - "aeron:ipc?alias=".length)}`
    assert.strictEqual(ChannelUri.parse(longest).channel.length, ChannelUri.LENGTH_MAX)
    const refused = refusal(`${longest}x`)
    assert.strictEqual(refused.parameter, "length")
    assert.strictEqual(refused.channel.length, ChannelUri.LENGTH_MAX)
  })

  it.each([
    ["", "a URI that starts with aeron:"],
    ["udp?endpoint=localhost:1", "a URI that starts with aeron:"],
    ["aeron-spy:udp", "a URI that starts with aeron:"],
    ["aeron:tcp?endpoint=localhost:1", "udp or ipc"],
    ["aeron:", "udp or ipc"],
    ["aeron:udp:ipc", "udp or ipc"],
    ["aeron:udp|mtu=1408", "udp or ipc"],
    ["aeron:udp=?mtu=1408", "udp or ipc"],
    ["aeron:udp?", "key=value between each two |"],
    ["aeron:udp?mtu", "key=value between each two |"],
    ["aeron:udp?mtu|ttl=4", "key=value between each two |"],
    ["aeron:udp?mtu=1408|", "key=value between each two |"],
    ["aeron:udp?=1408", "a key before each ="]
  ])("refuses %s", (channel, allowed) => {
    assert.strictEqual(refusal(channel).allowed, allowed)
    assert.isFalse(refusal(channel).isGeneric)
  })
})
