import { assert, describe, it } from "@effect/vitest"
import * as ChannelUri from "../../src/channel/ChannelUri.ts"
import { InvalidChannel } from "../../src/channel/InvalidChannel.ts"
import * as PublicationParameters from "../../src/channel/PublicationParameters.ts"

const defaults: PublicationParameters.PublicationDefaults = {
  termLength: 16 * 1024 * 1024,
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

const parse = (
  parameters: string,
  tagged?: PublicationParameters.TaggedPublication
): PublicationParameters.PublicationParameters =>
  PublicationParameters.parse(ChannelUri.parse(`aeron:ipc?alias=x|${parameters}`), 1001, defaults, tagged)

const refusal = (parameters: string, tagged?: PublicationParameters.TaggedPublication): InvalidChannel => {
  try {
    parse(parameters, tagged)
  } catch (error) {
    assert(error instanceof InvalidChannel)
    return error
  }
  return assert.fail(`${parameters} was accepted`)
}

describe("PublicationParameters", () => {
  it("takes the defaults for what a channel does not say", () => {
    const parameters = parse("alias=y")
    assert.strictEqual(parameters.termLength, 16 * 1024 * 1024)
    assert.strictEqual(parameters.publicationWindowLength, 8 * 1024 * 1024)
    assert.strictEqual(parameters.untetheredLingerTimeoutNs, 5e9)
    assert.strictEqual(parameters.sessionId, undefined)
    assert.strictEqual(parameters.initialPosition, undefined)
    assert.strictEqual(parameters.entityTag, PublicationParameters.NULL_VALUE)
    assert.isTrue(parameters.signalEos)
  })

  it("reads sizes with k, m and g in either case", () => {
    assert.strictEqual(parse("term-length=64k").termLength, 65_536)
    assert.strictEqual(parse("term-length=4M").termLength, 4_194_304)
    assert.strictEqual(parse("term-length=1g").termLength, 1_073_741_824)
    assert.strictEqual(parse("term-length=131072|pub-wnd=2k").publicationWindowLength, 2048)
  })

  it("reads durations with ns, us, ms, s and without a unit", () => {
    assert.strictEqual(parse("linger=200ms").lingerTimeoutNs, 200e6)
    assert.strictEqual(parse("linger=3us").lingerTimeoutNs, 3000)
    assert.strictEqual(parse("linger=7ns").lingerTimeoutNs, 7)
    assert.strictEqual(parse("linger=2s").lingerTimeoutNs, 2e9)
    assert.strictEqual(parse("linger=0").lingerTimeoutNs, 0)
  })

  it("reads an initial position whose term ids wrap", () => {
    assert.deepStrictEqual(parse("init-term-id=2147483647|term-id=-2147483648|term-offset=64").initialPosition, {
      initialTermId: 2_147_483_647,
      termId: -2_147_483_648,
      termOffset: 64
    })
  })

  it("lets untethered subscriptions linger as long as their window limit says", () => {
    assert.strictEqual(parse("untethered-window-limit-timeout=1s").untetheredLingerTimeoutNs, 1e9)
    assert.strictEqual(
      parse("untethered-window-limit-timeout=1s|untethered-linger-timeout=9s").untetheredLingerTimeoutNs,
      9e9
    )
  })

  it("takes session, mtu and term length of the publication that a session tag names", () => {
    const tagged = { sessionId: 77, mtuLength: 4096, termLength: 65_536 }
    const parameters = parse("session-id=tag:5", tagged)
    assert.strictEqual(PublicationParameters.sessionTag(ChannelUri.parse("aeron:ipc?session-id=tag:5")), 5n)
    assert.strictEqual(parameters.sessionId, 77)
    assert.strictEqual(parameters.mtuLength, 4096)
    assert.strictEqual(parameters.termLength, 65_536)
    assert.strictEqual(refusal("session-id=tag:5|mtu=1408", tagged).parameter, "mtu")
    assert.strictEqual(refusal("session-id=tag:5|term-length=1m", tagged).parameter, "term-length")
  })

  it("makes the terms of a prototype as short as they can be", () => {
    const parameters = parse("response-correlation-id=prototype")
    assert.strictEqual(parameters.responseCorrelationId, PublicationParameters.PROTOTYPE_CORRELATION_ID)
    assert.strictEqual(parameters.termLength, PublicationParameters.TERM_LENGTH_MIN)
  })

  // The error code of Aeron: values its number parsers and buffer checks refuse are generic errors.
  it.each([
    ["term-length=5k", "term-length", true],
    ["term-length=32k", "term-length", true],
    ["term-length=2g", "term-length", true],
    ["term-length=x", "term-length", true],
    ["term-length=-1", "term-length", true],
    ["mtu=1400", "mtu", true],
    ["mtu=32", "mtu", true],
    ["mtu=65536", "mtu", true],
    ["mtu=65504|term-length=64k", "mtu", false],
    ["pub-wnd=1024", "pub-wnd", false],
    ["pub-wnd=16m", "pub-wnd", false],
    ["linger=fast", "linger", true],
    ["linger=1.5s", "linger", true],
    ["session-id=many", "session-id", false],
    ["session-id=4294967296", "session-id", false],
    ["stream-id=1002", "stream-id", false],
    ["init-term-id=7", "init-term-id,term-id,term-offset", false],
    ["init-term-id=7|term-id=7", "init-term-id,term-id,term-offset", false],
    ["init-term-id=7|term-id=6|term-offset=0", "term-id", false],
    ["init-term-id=7|term-id=7|term-offset=33", "term-offset", false],
    ["init-term-id=7|term-id=7|term-offset=-32", "term-offset", false],
    ["init-term-id=7|term-id=7|term-offset=131072|term-length=64k", "term-offset", false],
    ["tags=1,-1", "tags", false],
    ["tags=1,x", "tags", false],
    ["max-resend=0", "max-resend", false],
    ["max-resend=257", "max-resend", false],
    ["response-correlation-id=-2", "response-correlation-id", false]
  ])("refuses %s", (parameters, parameter, isGeneric) => {
    const refused = refusal(parameters)
    assert.strictEqual(refused.parameter, parameter)
    assert.strictEqual(refused.isGeneric, isGeneric)
    assert.include(refused.message, parameter)
  })
})
