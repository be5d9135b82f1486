import { assert, describe, it } from "vitest"
import type { Agent } from "../../src/agent/Agent.ts"
import { CompositeAgent } from "../../src/agent/CompositeAgent.ts"

const throwing = (message: string) => (): never => {
  throw new Error(message)
}

describe("CompositeAgent", () => {
  const calls: Array<string> = []
  const part = (roleName: string, overrides: Partial<Agent> = {}): Agent => ({
    roleName,
    onStart: () => void calls.push(`start ${roleName}`),
    doWork: () => {
      calls.push(`work ${roleName}`)
      return 2
    },
    onClose: () => void calls.push(`close ${roleName}`),
    ...overrides
  })
  const callsOf = (act: () => void): ReadonlyArray<string> => {
    calls.length = 0
    act()
    return [...calls]
  }

  it("works in order and adds up what was done", () => {
    const agent = new CompositeAgent([part("a"), part("b")])
    assert.strictEqual(agent.roleName, "[a,b]")
    assert.deepStrictEqual(
      callsOf(() => {
        agent.onStart(0)
        assert.strictEqual(agent.doWork(0), 4)
        agent.onClose()
      }),
      ["start a", "start b", "work a", "work b", "close a", "close b"]
    )
  })

  it("goes on behind the part that threw", () => {
    const agent = new CompositeAgent([part("a"), part("b", { doWork: throwing("b fails") }), part("c")])
    assert.deepStrictEqual(
      callsOf(() => {
        assert.throws(() => agent.doWork(0), "b fails")
        assert.strictEqual(agent.doWork(0), 2)
        assert.throws(() => agent.doWork(0), "b fails")
      }),
      ["work a", "work c", "work a"]
    )
  })

  it("starts none behind the part that cannot start, and closes those it tried", () => {
    const agent = new CompositeAgent([part("a"), part("b", { onStart: throwing("b cannot") }), part("c")])
    assert.deepStrictEqual(
      callsOf(() => {
        assert.throws(() => agent.onStart(0), "b cannot")
        agent.onClose()
        agent.onClose()
      }),
      ["start a", "close a", "close b"]
    )
  })

  it("closes every part although some throw", () => {
    const agent = new CompositeAgent([
      part("a", { onClose: throwing("a") }),
      part("b"),
      part("c", { onClose: throwing("c") })
    ])
    agent.onStart(0)
    const closed = callsOf(() => assert.throws(() => agent.onClose(), AggregateError, "several agents"))
    assert.deepStrictEqual(closed, ["close b"])
  })

  it("has parts", () => {
    assert.throws(() => new CompositeAgent([]), /at least one part/)
  })

  it("gives the descriptors of all parts, the same array until one of theirs changes", () => {
    let fds: ReadonlyArray<number> = [4]
    const fixed = [9]
    const agent = new CompositeAgent([
      part("a", { descriptors: () => fds }),
      part("b"),
      part("c", { descriptors: () => fixed })
    ])
    const first = agent.descriptors()
    assert.deepStrictEqual(first, [4, 9])
    assert.strictEqual(agent.descriptors(), first)
    fds = [4, 5]
    assert.deepStrictEqual(agent.descriptors(), [4, 5, 9])
  })
})
