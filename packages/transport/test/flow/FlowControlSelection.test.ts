/** Which flow control a channel and the driver's options choose. */
import { assert, describe, it } from "@effect/vitest"
import * as ChannelUri from "../../src/channel/ChannelUri.ts"
import { InvalidChannel } from "../../src/channel/InvalidChannel.ts"
import * as FlowControlSelection from "../../src/flow/FlowControlSelection.ts"
import { MaxFlowControl } from "../../src/flow/MaxFlowControl.ts"
import { MinFlowControl } from "../../src/flow/MinFlowControl.ts"
import { UnicastFlowControl } from "../../src/flow/UnicastFlowControl.ts"

const defaults: FlowControlSelection.FlowControlDefaults = {
  unicast: "unicast",
  multicast: "max",
  unicastWindowMultiple: 16,
  multicastWindowMultiple: 4,
  receiverTimeoutNs: 5e9,
  groupTag: -1n,
  groupMinSize: 0
}

const uri = (fc?: string) =>
  ChannelUri.parse(`aeron:udp?endpoint=224.0.1.1:40456${fc === undefined ? "" : `|fc=${fc}`}`)

const choose = (
  fc: string | undefined,
  isGroup: boolean,
  more: Partial<FlowControlSelection.FlowControlDefaults> = {}
) => FlowControlSelection.choose(uri(fc), isGroup, { ...defaults, ...more })

const rest = { receiverTimeoutNs: 5e9, groupTag: -1n, groupMinSize: 0 }

describe("the flow control of a publication", () => {
  it("is that of the options when the channel says nothing", () => {
    assert.deepStrictEqual(choose(undefined, false), { strategy: "unicast", windowMultiple: 16, ...rest })
    assert.deepStrictEqual(choose(undefined, true), { strategy: "max", windowMultiple: 4, ...rest })
    assert.strictEqual(choose(undefined, false, { unicast: "min" }).strategy, "min")
    assert.strictEqual(choose(undefined, true, { multicast: "tagged" }).strategy, "tagged")
  })

  it.each([
    ["max", { strategy: "max", windowMultiple: 4, ...rest }],
    ["max,rrwm:7", { strategy: "max", windowMultiple: 7, ...rest }],
    ["min", { strategy: "min", windowMultiple: 4, ...rest }],
    ["min,t:2s,g:/3", { strategy: "min", windowMultiple: 4, ...rest, receiverTimeoutNs: 2e9, groupMinSize: 3 }],
    ["min,g:9/3", { strategy: "min", windowMultiple: 4, ...rest, groupMinSize: 3 }],
    ["tagged,g:-7", { strategy: "tagged", windowMultiple: 4, ...rest, groupTag: -7n }],
    [
      "tagged,g:123/2,t:250ms,rrwm:1",
      { strategy: "tagged", windowMultiple: 1, receiverTimeoutNs: 250e6, groupTag: 123n, groupMinSize: 2 }
    ],
    ["tagged,g:/2", { strategy: "tagged", windowMultiple: 4, ...rest, groupMinSize: 2 }]
  ])("to a group is what fc=%s says", (fc, expected) => {
    assert.deepStrictEqual(choose(fc, true), expected)
  })

  it.each([
    "",
    "fast",
    "Max",
    "max,g:1",
    "max,t:1s",
    "min,x:1",
    "min,rrwm:0",
    "min,rrwm:many",
    "min,t:soon",
    "min,g:/-1",
    "min,g:/x",
    "tagged,g:tag",
    "tagged,"
  ])("to a group is refused as fc=%j, generically, naming what is allowed", (fc) => {
    const refused = (): unknown => choose(fc, true)
    assert.throws(refused, InvalidChannel, /^fc=.* is not valid: allowed is /)
    try {
      refused()
    } catch (error) {
      assert.isTrue((error as InvalidChannel).isGeneric)
    }
  })

  it("to one receiver is none of the channel's to choose", () => {
    for (const fc of ["max", "min", "tagged,g:1", "nonsense"]) {
      assert.throws(() => choose(fc, false), `fc=${fc} is not valid: allowed is no flow control for one receiver`)
    }
  })

  it("counts receivers where it waits for them", () => {
    const counts: Array<number> = []
    const receivers = { onCount: (count: number) => counts.push(count), onClose: () => counts.push(-1) }
    const made = (["unicast", "max", "min", "tagged"] as const).map((strategy) => {
      const choice = { ...choose(undefined, false), strategy, groupTag: 7n }
      return [FlowControlSelection.isCounting(choice), FlowControlSelection.make(choice, receivers)] as const
    })
    assert.deepStrictEqual(
      made.map(([isCounting]) => isCounting),
      [false, false, true, true]
    )
    const [unicast, max, min, tagged] = made.map(([, strategy]) => strategy)
    assert.instanceOf(unicast, UnicastFlowControl)
    assert.instanceOf(max, MaxFlowControl)
    assert.instanceOf(min, MinFlowControl)
    const status = { position: 0, windowLength: 1000, receiverId: 1n, groupTag: undefined, isEndOfStream: false }
    tagged!.onStatusMessage(status, 0, 0)
    assert.deepStrictEqual(counts, [], "without the tag it is no member")
    tagged!.onStatusMessage({ ...status, groupTag: 7n }, 0, 0)
    min.close()
    assert.deepStrictEqual(counts, [1, -1])
  })
})
