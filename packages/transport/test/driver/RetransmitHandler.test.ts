/** Answers to NAKs: once for a range in its time, after a delay, and within a budget. */
import { assert, describe, it } from "@effect/vitest"
import { RetransmitBudget } from "../../src/driver/RetransmitBudget.ts"
import { RetransmitHandler, type RetransmitOptions } from "../../src/driver/RetransmitHandler.ts"

const MTU = 1408
const LINGER_NS = 10e6

const make = (options: Partial<RetransmitOptions> = {}, bytesPerSecond = 0) => {
  const resent: Array<string> = []
  let overflows = 0
  const handler = new RetransmitHandler({
    delayNs: 0,
    lingerNs: LINGER_NS,
    isGroup: false,
    maxResend: 2,
    budget: new RetransmitBudget(bytesPerSecond, MTU, 0),
    resend: (termId, termOffset, length) => resent.push(`${termId}:${termOffset}+${length}`),
    onOverflow: () => overflows++,
    ...options
  })
  return { handler, resent, overflows: () => overflows }
}

describe("RetransmitHandler", () => {
  it("answers once for a range, until its time is over", () => {
    const { handler, resent } = make()
    handler.onNak(1, 0, 1024, 0)
    handler.onNak(1, 512, 64, 1)
    handler.processTimeouts(LINGER_NS)
    handler.onNak(1, 0, 1024, LINGER_NS)
    assert.deepStrictEqual(resent, ["1:0+1024"])
    handler.processTimeouts(LINGER_NS + 1)
    handler.onNak(1, 0, 1024, LINGER_NS + 2)
    assert.deepStrictEqual(resent, ["1:0+1024", "1:0+1024"])
  })

  it("answers a NAK of nothing with nothing", () => {
    const { handler, resent } = make()
    handler.onNak(1, 0, 0, 0)
    assert.deepStrictEqual(resent, [])
  })

  it("with one receiver forgets a range for another, with a group drops the NAK that finds no room", () => {
    const alone = make()
    const group = make({ isGroup: true })
    for (const { handler } of [alone, group]) {
      for (const offset of [0, 1024, 2048]) {
        handler.onNak(1, offset, 64, 0)
      }
    }
    assert.deepStrictEqual(alone.resent, ["1:0+64", "1:1024+64", "1:2048+64"])
    assert.deepStrictEqual(group.resent, ["1:0+64", "1:1024+64"])
    assert.deepStrictEqual([alone.overflows(), group.overflows()], [0, 1])
  })

  it("waits with its answer when there is a delay, and answers once for what is asked meanwhile", () => {
    const { handler, resent } = make({ delayNs: 5e6 })
    handler.onNak(1, 0, 64, 0)
    handler.onNak(1, 0, 64, 1e6)
    handler.processTimeouts(5e6)
    assert.deepStrictEqual(resent, [])
    handler.processTimeouts(5e6 + 1)
    assert.deepStrictEqual(resent, ["1:0+64"])
    handler.processTimeouts(5e6 + 2 + LINGER_NS)
    handler.onNak(1, 0, 64, 5e6 + 2 + LINGER_NS)
    handler.processTimeouts(10e6 + 3 + LINGER_NS)
    assert.deepStrictEqual(resent, ["1:0+64", "1:0+64"])
  })

  it("sends again no more than its budget has, counts the rest, and answers when it has grown", () => {
    const { handler, overflows, resent } = make({}, 100_000)
    handler.onNak(1, 0, 64_000, 0)
    handler.onNak(2, 0, 64_000, 0)
    assert.deepStrictEqual(resent, ["1:0+9984"])
    assert.strictEqual(overflows(), 1)
    handler.onNak(2, 0, 64_000, 50e6)
    assert.deepStrictEqual(resent, ["1:0+9984", "2:0+4992"])
  })
})

describe("RetransmitBudget", () => {
  it("has a tenth of a second at once and no more, however long nothing was asked for", () => {
    const budget = new RetransmitBudget(1_000_000, MTU, 0)
    assert.strictEqual(budget.take(10_000_000, 3600e9), 100_000)
    assert.strictEqual(budget.take(10_000_000, 3600e9), 0)
    assert.strictEqual(budget.take(64, 3600e9 + 64_000), 64)
  })

  it("lets a stream of NAKs have its bytes a second and the first tenth, not more", () => {
    const budget = new RetransmitBudget(1_000_000, MTU, 0)
    let granted = 0
    for (let ms = 1; ms <= 1000; ms++) {
      granted += budget.take(2 * 1024 * 1024, ms * 1e6)
    }
    assert.isAtMost(granted, 1_100_000)
    assert.isAtLeast(granted, 1_090_000)
  })

  it("always has room for one datagram in the end", () => {
    const budget = new RetransmitBudget(10, MTU, 0)
    assert.strictEqual(budget.take(MTU, 0), MTU)
    assert.strictEqual(budget.take(MTU, 1e9), 0)
    assert.strictEqual(budget.take(MTU, 141e9), MTU)
  })

  it("of 0 is no limit", () => {
    assert.strictEqual(new RetransmitBudget(0, MTU, 0).take(2 ** 40, 0), 2 ** 40)
  })
})
