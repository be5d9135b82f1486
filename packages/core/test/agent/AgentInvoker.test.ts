import { assert, describe, it } from "vitest"
import { AgentTermination, type Agent } from "../../src/agent/Agent.ts"
import { AgentInvoker } from "../../src/agent/AgentInvoker.ts"

const recorded = (overrides: Partial<Agent>): { readonly agent: Agent; readonly calls: Array<string> } => {
  const calls: Array<string> = []
  return {
    calls,
    agent: {
      roleName: "recorded",
      onStart: (nowNs) => void calls.push(`start ${nowNs}`),
      doWork: (nowNs) => calls.push(`work ${nowNs}`),
      onClose: () => void calls.push("close"),
      ...overrides
    }
  }
}

const noError = (error: unknown): void => assert.fail(`an error was reported: ${String(error)}`)

describe("AgentInvoker", () => {
  it("starts, works and closes with the time it is given", () => {
    const { agent, calls } = recorded({})
    const invoker = new AgentInvoker(agent, noError)
    invoker.start(5)
    assert.strictEqual(invoker.invoke(6), 2)
    invoker.close()
    invoker.close()
    assert.deepStrictEqual(calls, ["start 5", "work 6", "close"])
  })

  it("does nothing before it was started and after it was closed", () => {
    const { agent, calls } = recorded({})
    const invoker = new AgentInvoker(agent, noError)
    assert.strictEqual(invoker.invoke(1), 0)
    invoker.close()
    assert.strictEqual(invoker.invoke(2), 0)
    assert.deepStrictEqual(calls, [])
  })

  it("reports and counts what an agent throws, and goes on", () => {
    const errors: Array<unknown> = []
    const failure = new Error("bad cycle")
    let cycles = 0
    const { agent } = recorded({
      doWork: () => {
        if (++cycles % 2 === 0) {
          throw failure
        }
        return 3
      }
    })
    const invoker = new AgentInvoker(agent, (error) => errors.push(error))
    invoker.start(0)
    assert.deepStrictEqual(
      [1, 2, 3, 4, 5].map((nowNs) => invoker.invoke(nowNs)),
      [3, 0, 3, 0, 3]
    )
    assert.deepStrictEqual(errors, [failure, failure])
    assert.strictEqual(invoker.errorCount, 2)
    assert.isTrue(invoker.isStarted)
  })

  it("closes an agent that has nothing more to do, without an error", () => {
    const { agent, calls } = recorded({
      doWork: () => {
        throw new AgentTermination()
      }
    })
    const invoker = new AgentInvoker(agent, noError)
    invoker.start(0)
    assert.strictEqual(invoker.invoke(1), 0)
    assert.isTrue(invoker.isClosed)
    assert.deepStrictEqual(calls, ["start 0", "close"])
  })

  it("closes an agent that cannot start, and says why", () => {
    const { agent, calls } = recorded({
      onStart: () => {
        throw new RangeError("no room")
      }
    })
    const invoker = new AgentInvoker(agent, noError)
    assert.throws(() => invoker.start(0), RangeError, "no room")
    assert.isTrue(invoker.isClosed)
    assert.deepStrictEqual(calls, ["close"])
  })

  it("reports what an agent throws while it closes", () => {
    const errors: Array<unknown> = []
    const { agent } = recorded({
      onClose: () => {
        throw new Error("cannot close")
      }
    })
    const invoker = new AgentInvoker(agent, (error) => errors.push(error))
    invoker.start(0)
    invoker.close()
    assert.strictEqual(errors.length, 1)
    assert.isTrue(invoker.isClosed)
  })

  it("is started once", () => {
    const invoker = new AgentInvoker(recorded({}).agent, noError)
    invoker.start(0)
    assert.throws(() => invoker.start(0), /started once/)
  })
})
