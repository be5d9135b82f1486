/** How far a publication may send, by each strategy, from the status messages of its receivers. */
import { assert, describe, it } from "@effect/vitest"
import type { ReceiverStatus } from "../../src/flow/FlowControl.ts"
import { MaxFlowControl } from "../../src/flow/MaxFlowControl.ts"
import { MinFlowControl, type MinFlowControlOptions } from "../../src/flow/MinFlowControl.ts"
import { UnicastFlowControl } from "../../src/flow/UnicastFlowControl.ts"

const WINDOW = 1000
const TERM_LENGTH = 64 * 1024
const TIMEOUT_NS = 5e9

const status = (receiverId: bigint, position: number, more: Partial<ReceiverStatus> = {}): ReceiverStatus => ({
  position,
  windowLength: WINDOW,
  receiverId,
  groupTag: undefined,
  isEndOfStream: false,
  ...more
})

const min = (options: Partial<MinFlowControlOptions> = {}) => {
  const counts: Array<number> = []
  const strategy = new MinFlowControl({
    receiverTimeoutNs: TIMEOUT_NS,
    groupMinSize: 0,
    groupTag: undefined,
    windowMultiple: 4,
    onCount: (count) => counts.push(count),
    onClose: () => counts.push(-1),
    ...options
  })
  return { counts, strategy }
}

describe("unicast flow control", () => {
  it("goes to the end of the last window, and never back", () => {
    const strategy = new UnicastFlowControl()
    assert.strictEqual(strategy.onStatusMessage(status(1n, 500), 0), 1500)
    assert.strictEqual(strategy.onStatusMessage(status(1n, 100), 1500), 1500)
    assert.strictEqual(strategy.onIdle(0, 1500), 1500)
    assert.isTrue(strategy.hasRequiredReceivers)
  })

  it("sends no more again than was asked for, nor beyond the end of the term", () => {
    const strategy = new UnicastFlowControl()
    assert.strictEqual(strategy.maxRetransmissionLength(0, 64, TERM_LENGTH), 64)
    assert.strictEqual(strategy.maxRetransmissionLength(TERM_LENGTH - 96, 4096, TERM_LENGTH), 96)
  })
})

describe("max flow control", () => {
  it("follows the fastest receiver", () => {
    const strategy = new MaxFlowControl()
    const first = strategy.onStatusMessage(status(1n, 5000), 0)
    assert.strictEqual(first, 6000)
    assert.strictEqual(strategy.onStatusMessage(status(2n, 100), first), 6000)
    assert.strictEqual(strategy.onStatusMessage(status(2n, 9000), first), 10_000)
  })

  it("stays where it is when receivers are silent", () => {
    const strategy = new MaxFlowControl()
    assert.strictEqual(strategy.onIdle(100 * TIMEOUT_NS, strategy.onStatusMessage(status(1n, 5000), 0)), 6000)
  })

  it("sends at most a few windows again", () => {
    const long = 1024 ** 2
    assert.strictEqual(new MaxFlowControl().maxRetransmissionLength(0, long, 16 * long), 4 * 128 * 1024)
    assert.strictEqual(new MaxFlowControl(2).maxRetransmissionLength(0, long, 16 * long), 2 * 128 * 1024)
  })
})

describe("min flow control", () => {
  it("follows the slowest receiver", () => {
    const { counts, strategy } = min()
    assert.strictEqual(strategy.onStatusMessage(status(1n, 0), 0, 0), 1000)
    assert.strictEqual(strategy.onStatusMessage(status(2n, 200), 1000, 0), 1000)
    assert.strictEqual(strategy.onStatusMessage(status(1n, 2000), 1000, 0), 1200)
    assert.strictEqual(strategy.onStatusMessage(status(2n, 1500), 1200, 0), 2500)
    assert.deepStrictEqual(counts, [1, 2])
  })

  it("takes nothing back when a window shrinks", () => {
    const { strategy } = min()
    assert.strictEqual(strategy.onStatusMessage(status(1n, 5000), 0, 0), 6000)
    assert.strictEqual(strategy.onStatusMessage(status(1n, 5000, { windowLength: 100 }), 6000, 1), 6000)
    assert.strictEqual(strategy.onIdle(2, 6000), 6000)
  })

  it("goes on without a receiver that is silent for the timeout", () => {
    const { counts, strategy } = min()
    strategy.onStatusMessage(status(1n, 0), 0, 0)
    strategy.onStatusMessage(status(2n, 0), 1000, 0)
    strategy.onStatusMessage(status(2n, 3000), 1000, TIMEOUT_NS)
    assert.strictEqual(strategy.onIdle(TIMEOUT_NS, 1000), 1000)
    assert.strictEqual(strategy.onIdle(TIMEOUT_NS + 1, 1000), 4000)
    assert.deepStrictEqual(counts, [1, 2, 1])
  })

  it.each([
    [
      "says that it is at the end",
      (strategy: MinFlowControl) => strategy.onStatusMessage(status(1n, 0, { isEndOfStream: true }), 1000, 1)
    ],
    ["rejected the stream", (strategy: MinFlowControl) => strategy.onError(1n, undefined)]
  ])("goes on without a receiver that %s", (_title, leave) => {
    const { strategy } = min()
    strategy.onStatusMessage(status(1n, 0), 0, 0)
    strategy.onStatusMessage(status(2n, 500), 1000, 0)
    leave(strategy)
    assert.strictEqual(strategy.onIdle(2, 1000), 1500)
  })

  it("does not wait for a newcomer that is more than a window behind", () => {
    const { counts, strategy } = min()
    strategy.onStatusMessage(status(1n, 10_000), 0, 0)
    assert.strictEqual(strategy.onStatusMessage(status(2n, 8_999), 11_000, 0), 11_000)
    assert.deepStrictEqual(counts, [1])
    strategy.onStatusMessage(status(2n, 9_000), 11_000, 0)
    assert.deepStrictEqual(counts, [1, 2])
    assert.strictEqual(strategy.onIdle(1, 9000), 10_000)
  })

  it("stands still, not connected, while the group is smaller than it must be", () => {
    const { strategy } = min({ groupMinSize: 2 })
    assert.strictEqual(strategy.onStatusMessage(status(1n, 0), 0, 0), 0)
    assert.isFalse(strategy.hasRequiredReceivers)
    assert.strictEqual(strategy.onStatusMessage(status(2n, 100), 0, 0), 1000)
    assert.isTrue(strategy.hasRequiredReceivers)
  })

  it("keeps the limit of a SETUP until those who asked for it have joined", () => {
    const { strategy } = min()
    strategy.onStatusMessage(status(1n, 5000), 0, 0)
    strategy.onTriggerSetup(status(2n, 0))
    strategy.onSetup(6000, 0)
    assert.strictEqual(strategy.onStatusMessage(status(1n, 9000), 6000, 1), 6000)
    assert.strictEqual(strategy.onIdle(200e6, 6000), 10_000)
  })

  it("tells when it is closed", () => {
    const { counts, strategy } = min()
    strategy.close()
    assert.deepStrictEqual(counts, [-1])
  })
})

describe("tagged flow control", () => {
  it("waits for the receivers of its group alone", () => {
    const { counts, strategy } = min({ groupTag: 7n })
    const tagged = { groupTag: 7n }
    strategy.onStatusMessage(status(1n, 5000, tagged), 0, 0)
    assert.strictEqual(strategy.onStatusMessage(status(2n, 0), 6000, 0), 6000)
    strategy.onStatusMessage(status(3n, 0, { groupTag: 8n }), 6000, 0)
    strategy.onError(1n, 8n)
    assert.deepStrictEqual(counts, [1])
    assert.strictEqual(strategy.onIdle(1, 6000), 6000)
  })

  it("goes by whoever answers while its group is empty", () => {
    const { strategy } = min({ groupTag: 7n })
    assert.strictEqual(strategy.onStatusMessage(status(2n, 500), 0, 0), 1500)
  })
})
