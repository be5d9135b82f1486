import { assert, describe, it } from "@effect/vitest"
import * as ChannelUri from "../../src/channel/ChannelUri.ts"
import { InvalidChannel } from "../../src/channel/InvalidChannel.ts"
import * as SubscriptionParameters from "../../src/channel/SubscriptionParameters.ts"

const defaults: SubscriptionParameters.SubscriptionDefaults = {
  isReliable: true,
  isTether: true,
  isRejoin: true,
  isSparse: false,
  congestionControl: "static",
  receiverWindowLength: 128 * 1024,
  untetheredWindowLimitTimeoutNs: 5e9,
  untetheredLingerTimeoutNs: undefined,
  untetheredRestingTimeoutNs: 10e9
}

const parse = (parameters: string): SubscriptionParameters.SubscriptionParameters =>
  SubscriptionParameters.parse(ChannelUri.parse(`aeron:ipc?${parameters}`), defaults)

describe("SubscriptionParameters", () => {
  it("takes the defaults for what a channel does not say", () => {
    const parameters = parse("alias=y")
    assert.strictEqual(parameters.sessionId, undefined)
    assert.isTrue(parameters.isTether && parameters.isReliable && parameters.isRejoin)
    assert.strictEqual(parameters.untetheredLingerTimeoutNs, 5e9)
  })

  it("switches on by the literal true alone, as Aeron does", () => {
    assert.isFalse(parse("tether=false").isTether)
    assert.isFalse(parse("tether=TRUE").isTether)
    assert.isTrue(parse("sparse=true").isSparse)
  })

  it("accepts one session when the channel names it", () => {
    assert.strictEqual(parse("session-id=-5").sessionId, -5)
  })

  it("knows the ways to control congestion by name", () => {
    assert.strictEqual(parse("alias=y").congestionControl, "static")
    assert.strictEqual(parse("cc=cubic").congestionControl, "cubic")
    assert.throws(() => parse("cc=reno"), "cc=reno is not valid: allowed is static or cubic")
  })

  it.each([
    ["session-id=tag:7", "session-id"],
    ["session-id=x", "session-id"],
    ["rcv-wnd=lots", "rcv-wnd"],
    ["term-id=1", "init-term-id,term-id,term-offset"]
  ])("refuses %s as a generic error", (parameters, parameter) => {
    try {
      parse(parameters)
    } catch (error) {
      assert(error instanceof InvalidChannel)
      assert.strictEqual(error.parameter, parameter)
      assert.isTrue(error.isGeneric)
      return
    }
    assert.fail(`${parameters} was accepted`)
  })
})
