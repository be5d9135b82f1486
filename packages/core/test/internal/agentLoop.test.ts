import { assert, describe, it, vi } from "vitest"
import type { Agent } from "../../src/agent/Agent.ts"
import { AgentInvoker } from "../../src/agent/AgentInvoker.ts"
import { type IdleStrategy, SPIN, TURN, YIELD } from "../../src/agent/IdleStrategy.ts"
import { AgentLoop } from "../../src/internal/agentLoop.ts"
import { EventLoopPark } from "../../src/internal/eventLoopPark.ts"
import { yieldProcessor } from "../../src/native/Processor.ts"

vi.mock("../../src/native/Processor.ts", () => ({ yieldProcessor: vi.fn<() => void>() }))

/** Runs an agent under a scripted strategy and a scripted clock, and records the cycles of each turn of the event loop. */
const cyclesPerTurn = async (options: {
  readonly isThreadOwned: boolean
  readonly turns: number
  /** How far the clock goes with each cycle. */
  readonly cycleNs: number
  readonly workCount: number
  readonly waitNs: number
}): Promise<ReadonlyArray<number>> => {
  let nowNs = 0
  let cycles = 0
  const agent: Agent = {
    roleName: "scripted",
    doWork: () => {
      cycles++
      nowNs += options.cycleNs
      return options.workCount
    }
  }
  const idle: IdleStrategy = { idle: () => options.waitNs }
  const loop = new AgentLoop({
    invoker: new AgentInvoker(agent, (error) => assert.fail(String(error))),
    idle,
    clock: { nanoTime: () => nowNs, epochMs: () => 0 },
    park: new EventLoopPark(agent),
    isThreadOwned: options.isThreadOwned,
    onEnd: () => {}
  })
  loop.start()
  const perTurn: Array<number> = []
  for (let turn = 0; turn < options.turns; turn++) {
    const before = cycles
    await new Promise((resolve) => setImmediate(resolve))
    perTurn.push(cycles - before)
  }
  loop.stop()
  const stopped = cycles
  await new Promise((resolve) => setImmediate(resolve))
  assert.strictEqual(cycles, stopped)
  return perTurn
}

const busy = { turns: 3, cycleNs: 100_000, workCount: 1, waitNs: SPIN }
const idle = { ...busy, workCount: 0 }

describe("AgentLoop", () => {
  it("runs cycles with work for a millisecond and then gives the event loop its turn", async () => {
    assert.deepStrictEqual(await cyclesPerTurn({ ...busy, isThreadOwned: false }), [10, 10, 10])
    assert.deepStrictEqual(await cyclesPerTurn({ ...busy, isThreadOwned: true }), [10, 10, 10])
  })

  it("spins without work on a thread of its own only", async () => {
    assert.deepStrictEqual(await cyclesPerTurn({ ...idle, isThreadOwned: true }), [10, 10, 10])
    assert.deepStrictEqual(await cyclesPerTurn({ ...idle, isThreadOwned: false }), [1, 1, 1])
  })

  it("gives the event loop its turn for a yield on any thread", async () => {
    assert.deepStrictEqual(await cyclesPerTurn({ ...idle, waitNs: YIELD, isThreadOwned: true }), [1, 1, 1])
    assert.deepStrictEqual(await cyclesPerTurn({ ...idle, waitNs: TURN, isThreadOwned: true }), [1, 1, 1])
    assert.deepStrictEqual(await cyclesPerTurn({ ...idle, waitNs: YIELD, isThreadOwned: false }), [1, 1, 1])
  })

  it("gives the processor away for a yield on a thread of its own, and leaves it to an application", async () => {
    const yields = vi.mocked(yieldProcessor)
    yields.mockClear()
    await cyclesPerTurn({ ...idle, waitNs: YIELD, isThreadOwned: false })
    await cyclesPerTurn({ ...idle, waitNs: SPIN, isThreadOwned: true })
    await cyclesPerTurn({ ...idle, waitNs: TURN, isThreadOwned: true })
    assert.strictEqual(yields.mock.calls.length, 0)
    await cyclesPerTurn({ ...idle, waitNs: YIELD, isThreadOwned: true })
    assert.strictEqual(yields.mock.calls.length, 3)
  })

  it("takes waits below a millisecond inside the turn on a thread of its own only", async () => {
    assert.deepStrictEqual(await cyclesPerTurn({ ...idle, waitNs: 10_000, isThreadOwned: true }), [10, 10, 10])
    assert.deepStrictEqual(await cyclesPerTurn({ ...idle, waitNs: 10_000, isThreadOwned: false }), [1, 1, 1])
  })

  it("leaves the event loop alone during a park", async () => {
    const waitNs = 3_600_000_000_000
    assert.deepStrictEqual(await cyclesPerTurn({ ...idle, waitNs, isThreadOwned: true }), [1, 0, 0])
    assert.deepStrictEqual(await cyclesPerTurn({ ...idle, waitNs, isThreadOwned: false }), [1, 0, 0])
  })

  it("lets an agent end its park from a callback of its own thread", async () => {
    let wake = (): void => assert.fail("nobody said how to wake")
    let cycles = 0
    const agent: Agent = {
      roleName: "woken",
      onWakeable: (given) => {
        wake = given
      },
      doWork: () => {
        cycles++
        return 0
      }
    }
    const loop = new AgentLoop({
      invoker: new AgentInvoker(agent, (error) => assert.fail(String(error))),
      idle: { idle: () => 60e9 },
      clock: { nanoTime: () => 0, epochMs: () => 0 },
      park: new EventLoopPark(agent),
      isThreadOwned: true,
      onEnd: () => {}
    })
    loop.start()
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
    await turn()
    await turn()
    assert.strictEqual(cycles, 1)
    wake()
    await turn()
    await turn()
    assert.strictEqual(cycles, 2)
    loop.stop()
  })
})
