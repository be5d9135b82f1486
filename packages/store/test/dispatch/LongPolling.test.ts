import { assert, describe, it } from "vitest"
import type { QueueState } from "../../src/consumequeue/QueueTable.ts"
import { ANY_QUEUE, LongPolling } from "../../src/dispatch/LongPolling.ts"

const queue = (topic: string, queueId: number) => ({ topic: { name: topic }, queueId }) as unknown as QueueState

const make = () => {
  const pending: Array<() => void> = []
  const polling = new LongPolling((run) => pending.push(run))
  const woken: Array<string> = []
  return {
    polling,
    woken,
    wait: (name: string, topic: string, queueId: number) => polling.add(topic, queueId, () => woken.push(name)),
    settle: () => pending.splice(0).forEach((run) => run())
  }
}

describe("LongPolling", () => {
  it("wakes who waits for the queue or for any of its topic, once", () => {
    const { polling, settle, wait, woken } = make()
    wait("queue 0", "t", 0)
    wait("queue 1", "t", 1)
    wait("any", "t", ANY_QUEUE)
    wait("other topic", "u", 0)
    polling.onArrival(queue("t", 0))
    settle()
    assert.deepStrictEqual(woken, ["queue 0", "any"])
    assert.strictEqual(polling.count, 2)
    polling.onArrival(queue("t", 0))
    settle()
    assert.lengthOf(woken, 2)
  })

  it("wakes nobody during the step that brings the message", () => {
    const { polling, settle, wait, woken } = make()
    wait("a", "t", 0)
    polling.onArrival(queue("t", 0))
    assert.isEmpty(woken)
    settle()
    assert.deepStrictEqual(woken, ["a"])
  })

  it("keeps who begins to wait while others are being woken", () => {
    const { polling, settle, wait, woken } = make()
    polling.add("t", 0, () => {
      polling.onArrival(queue("t", 1))
      wait("later", "t", 0)
      polling.onArrival(queue("t", 2))
    })
    polling.onArrival(queue("t", 0))
    settle()
    assert.strictEqual(polling.count, 1)
    polling.onArrival(queue("t", 0))
    settle()
    assert.deepStrictEqual(woken, ["later"])
  })

  it("forgets who no longer waits", () => {
    const { polling, settle, wait, woken } = make()
    const stop = wait("a", "t", 0)
    wait("b", "t", 0)
    stop()
    stop()
    assert.strictEqual(polling.count, 1)
    polling.onArrival(queue("t", 0))
    settle()
    assert.deepStrictEqual(woken, ["b"])
  })

  it("has nobody to wake when the only one who waits for a topic stops", () => {
    const { polling, settle, wait, woken } = make()
    wait("a", "t", 0)()
    wait("b", "t", 1)()
    assert.strictEqual(polling.count, 0)
    polling.onArrival(queue("t", 0))
    settle()
    assert.isEmpty(woken)
  })

  it("holds ten thousand at once and wakes them all when the store closes", () => {
    const { polling, settle, wait, woken } = make()
    for (let index = 0; index < 10_000; index++) {
      wait(String(index), `t${index % 100}`, index % 7)
    }
    assert.strictEqual(polling.count, 10_000)
    polling.wakeAll()
    settle()
    assert.lengthOf(woken, 10_000)
    assert.strictEqual(polling.count, 0)
  })
})
