import { assert, describe, it } from "vitest"
import type { QueueState } from "../../src/consumequeue/QueueTable.ts"
import { PutTrail } from "../../src/dispatch/PutTrail.ts"
import { SimulatedStore } from "../fixtures/SimulatedStore.ts"

const states = ["a", "b"].map((name): QueueState => {
  const store = new SimulatedStore(1).open()
  const { queues } = store.engine
  return queues.queue(queues.topic(name), 0)
})
const [a, b] = states as [QueueState, QueueState]

describe("PutTrail", () => {
  it("knows the queue of each record that was noted, once and in their order", () => {
    const trail = new PutTrail()
    trail.note(0, a)
    trail.note(100, b)
    trail.note(200, a)
    assert.strictEqual(trail.take(0), a)
    assert.isUndefined(trail.take(50))
    assert.strictEqual(trail.take(100), b)
    assert.isUndefined(trail.take(100))
    assert.strictEqual(trail.take(200), a)
    assert.isUndefined(trail.take(300))
  })

  it("drops what was noted of records that nobody asks for", () => {
    const trail = new PutTrail()
    trail.note(0, a)
    trail.note(100, b)
    assert.strictEqual(trail.take(100), b)
    assert.isUndefined(trail.take(0))
  })

  it("notes nothing more while it is full, and goes on when records were taken", () => {
    const trail = new PutTrail()
    const count = 10_000
    for (let position = 0; position < count; position++) {
      trail.note(position, a)
    }
    let known = 0
    for (let position = 0; position < count; position++) {
      known += trail.take(position) === a ? 1 : 0
    }
    assert.isAbove(known, 1000)
    assert.isBelow(known, count)
    trail.note(count, b)
    assert.strictEqual(trail.take(count), b)
  })

  it("knows nothing of records that did not get into the log", () => {
    const store = new SimulatedStore(1, { flushDiskType: "ASYNC_FLUSH" }).open()
    const put = (topic: string) => ({ topic, queueId: 0, body: Buffer.from("body") })
    store.disk.fault = (operation, path) => (operation === "write" && path.includes("commitlog") ? "EIO" : undefined)
    store.tryPut(put("lost"), put("lost"))
    store.disk.fault = () => undefined
    store.put(put("kept"), put("kept"))
    store.engine.catchUp()
    assert.strictEqual(store.engine.queues.find("kept", 0)?.queue.maxOffset, 2)
    assert.strictEqual(store.engine.queues.find("lost", 0)?.queue.maxOffset, 0)
  })
})
