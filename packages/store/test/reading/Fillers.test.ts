import { assert, describe, it } from "vitest"
import * as GetMessage from "../../src/reading/GetMessage.ts"
import * as OffsetByTime from "../../src/reading/OffsetByTime.ts"
import { SimulatedStore } from "../fixtures/SimulatedStore.ts"

const STEP_MS = 1000

/** A store whose queue has a message at each of the offsets, a second between one and the next, and fillers elsewhere. */
const storeWith = (offsets: ReadonlyArray<number>) => {
  const store = new SimulatedStore(1).open()
  const begin = store.nowMs
  for (const offset of offsets) {
    const queue = store.engine.queues.find("topic", 0)
    if (queue !== undefined) {
      queue.nextOffset = offset
    }
    store.nowMs = begin + offset * STEP_MS
    store.put({ topic: "topic", queueId: 0, body: Buffer.from(String(offset)) })
  }
  store.run(100)
  return { begin, store }
}

const queueOf = ({ engine }: SimulatedStore) => engine.queues.find("topic", 0)!.queue

describe("a queue with fillers in its middle", () => {
  for (const offsets of [
    [0, 1, 3, 4],
    [0, 4],
    [0, 1, 2, 9, 10],
    [0, 5, 6, 7]
  ]) {
    const last = offsets.at(-1)!

    it(`keeps its messages when it is opened again (${offsets.join(" ")})`, () => {
      const { store } = storeWith(offsets)
      store.run(300)
      store.close()
      store.open()
      assert.strictEqual(queueOf(store).minOffset, 0)
      assert.strictEqual(queueOf(store).maxOffset, last + 1)
    })

    it(`finds the offset of every time (${offsets.join(" ")})`, () => {
      const { begin, store } = storeWith(offsets)
      const find = (timeMs: number, boundary: OffsetByTime.Boundary) =>
        OffsetByTime.find(store.engine.commitLog, queueOf(store), timeMs, boundary)
      for (let tick = -1; tick <= last + 1; tick++) {
        const lower = offsets.find((offset) => offset >= tick) ?? last + 1
        const upper = offsets.findLast((offset) => offset <= tick) ?? 0
        assert.strictEqual(find(begin + tick * STEP_MS, "lower"), lower, `at or after ${tick}`)
        assert.strictEqual(find(begin + tick * STEP_MS, "upper"), upper, `at or before ${tick}`)
      }
    })

    it(`is read in one call, however few bytes a filler leaves (${offsets.join(" ")})`, () => {
      const { store } = storeWith(offsets)
      const found: Array<number> = []
      const limits = { countMax: 100, bytesMax: 100_000 }
      const { status } = GetMessage.get(store.engine.commitLog, queueOf(store), 0, limits, undefined, (_, offset) =>
        found.push(offset)
      )
      assert.strictEqual(status, "FOUND")
      assert.deepStrictEqual(found, [...offsets])
    })
  }
})
