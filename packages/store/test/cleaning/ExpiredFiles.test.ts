import { assert, describe, it } from "vitest"
import { PutRefusal } from "../../src/engine/PutResult.ts"
import * as StorePaths from "../../src/engine/StorePaths.ts"
import { FileFailure } from "../../src/mapped/FileSystem.ts"
import * as GetMessage from "../../src/reading/GetMessage.ts"
import { SimulatedStore } from "../fixtures/SimulatedStore.ts"

const HOUR_MS = 3_600_000

const message = (id: number) => ({
  topic: "topic",
  queueId: 0,
  body: Buffer.from(String(id).padEnd(200)),
  keys: `key${id}`
})

const filled = (store: SimulatedStore, count: number) => {
  for (let id = 0; id < count; id++) {
    store.put(message(id))
    store.run(0)
  }
  store.run(100)
  return store
}

const fileCount = ({ engine }: SimulatedStore) => engine.commitLog.files.files.length

const get = ({ engine }: SimulatedStore, offset: number) =>
  GetMessage.get(
    engine.commitLog,
    engine.queues.find("topic", 0)!.queue,
    offset,
    { countMax: 1, bytesMax: 1 },
    undefined,
    () => undefined
  )

describe("ExpiredFiles", () => {
  it("removes files when all their messages are old enough, at the hour of cleaning, but never the last", () => {
    const store = filled(new SimulatedStore(1).open(), 200)
    const before = fileCount(store)
    store.nowMs += 2 * HOUR_MS
    store.run(500)
    assert.strictEqual(fileCount(store), before)
    store.hour = 4
    store.run(1000)
    assert.strictEqual(fileCount(store), 1)
    const { queue } = store.engine.queues.find("topic", 0)!
    assert.isAbove(queue.minOffset, 0)
    assert.strictEqual(queue.maxOffset, 200)
    assert.strictEqual(get(store, 0).status, "OFFSET_TOO_SMALL")
    assert.strictEqual(get(store, 0).nextOffset, queue.minOffset)
    assert.strictEqual(get(store, queue.minOffset).status, "FOUND")
  })

  it("leaves no gap between files, whichever names a failure of power brings back", () => {
    for (let seed = 1; seed <= 8; seed++) {
      const store = filled(new SimulatedStore(seed, { mappedFileSizeConsumeQueue: 20 * 8 }).open(), 200)
      store.nowMs += 2 * HOUR_MS
      store.hour = 4
      store.run(60)
      store.crash()
      const { maxOffset, minOffset } = store.open().engine.queues.find("topic", 0)!.queue
      assert.strictEqual(maxOffset, 200)
      assert.strictEqual(get(store, minOffset).status, "FOUND")
      store.kill()
    }
  })

  it("keeps young files whatever the hour", () => {
    const store = filled(new SimulatedStore(1).open(), 200)
    const before = fileCount(store)
    store.hour = 4
    store.run(1000)
    assert.strictEqual(fileCount(store), before)
  })

  it("removes no more than its batch in a round, with a pause between", () => {
    const pauseMs = 30
    const options = { cleanResourceInterval: 1000, deleteCommitLogFilesInterval: pauseMs }
    const store = filled(new SimulatedStore(1, options).open(), 300)
    assert.isAbove(fileCount(store), 5)
    store.nowMs += 2 * HOUR_MS
    store.hour = 4
    const removedAt: Array<number> = []
    for (let step = 0; step < 60; step++) {
      const before = fileCount(store)
      store.run(0)
      removedAt.push(...Array.from({ length: before - fileCount(store) }, () => store.nowMs))
    }
    assert.lengthOf(removedAt, 3)
    assert.isTrue(removedAt.every((timeMs, index) => index === 0 || timeMs - removedAt[index - 1]! >= pauseMs))
  })

  it("keeps a file of a queue whose end is fillers and whose beginning is still read", () => {
    const store = new SimulatedStore(1, { cleanResourceInterval: 1000, deleteFileBatchMax: 1 }).open()
    const put = (offset: number) => {
      const queue = store.engine.queues.find("topic", 0)
      if (queue !== undefined) {
        queue.nextOffset = offset
      }
      store.put({ ...message(offset), body: Buffer.alloc(2000) })
    }
    for (const offset of [0, 1, 2, 3, 4, 5, 6, 7, 25, 26]) {
      put(offset)
    }
    store.run(100)
    store.nowMs += 2 * HOUR_MS
    store.hour = 4
    store.run(20)
    const { queue } = store.engine.queues.find("topic", 0)!
    assert.isAbove(store.engine.commitLog.minOffset, 0)
    assert.isAbove(queue.minOffset, 0)
    assert.isBelow(queue.minOffset, 7)
    assert.strictEqual(get(store, 7).status, "FOUND")
  })

  it("takes the age from the records, not from the files", () => {
    const store = filled(new SimulatedStore(1).open(), 200)
    store.close()
    store.nowMs += 2 * HOUR_MS
    store.hour = 4
    store.open()
    store.put(message(1000))
    store.run(1000)
    assert.strictEqual(fileCount(store), 1)
  })

  it("removes the oldest files of a device that is nearly full, and refuses puts only while it stays so", () => {
    const store = new SimulatedStore(1, { cleanFileForciblyEnable: true }, 90_000).open()
    let refused = 0
    for (let id = 0; id < 600; id++) {
      refused += store.tryPut(message(id)) instanceof PutRefusal ? 1 : 0
      store.run(20)
    }
    assert.isBelow(refused, 60)
    assert.isAbove(store.engine.commitLog.minOffset, 0)
    const { queue } = store.engine.queues.find("topic", 0)!
    assert.strictEqual(get(store, queue.maxOffset - 1).status, "FOUND")
    store.kill()
    store.open()
    assert.strictEqual(get(store, store.engine.queues.find("topic", 0)!.queue.minOffset).status, "FOUND")
  })

  it("refuses puts on a full device that it may not clean, and takes them again when there is room", () => {
    const store = new SimulatedStore(1, { cleanFileForciblyEnable: false }, 90_000).open()
    let refusal: PutRefusal | undefined = undefined
    for (let id = 0; id < 600 && refusal === undefined; id++) {
      const outcome = store.tryPut(message(id))
      refusal = outcome instanceof PutRefusal ? outcome : undefined
      store.run(20)
    }
    assert.isDefined(refusal)
    store.run(200)
    assert.isDefined(store.engine.health.diskFull)
    store.disk.capacityBytes = 1 << 20
    store.run(200)
    assert.isUndefined(store.engine.health.diskFull)
    assert.notInstanceOf(store.tryPut(message(1)), PutRefusal)
  })

  for (const [what, directory] of [
    ["the log", StorePaths.commitLog("/store")],
    ["a queue", StorePaths.consumeQueues("/store")],
    ["the index", StorePaths.index("/store")]
  ] as const) {
    it(`says why a file of ${what} cannot be removed, goes on, and removes it when that is over`, () => {
      const store = filled(new SimulatedStore(1).open(), 300)
      const { disk, engine } = store
      const before = disk.paths.filter((path) => path.startsWith(directory))
      const remove = disk.remove.bind(disk)
      let isFailing = true
      disk.remove = (path) => {
        if (isFailing && path.startsWith(directory)) {
          throw new FileFailure({ code: "EIO", operation: "remove", path })
        }
        remove(path)
      }
      store.nowMs += 2 * HOUR_MS
      store.hour = 4
      store.run(500)
      assert.strictEqual(engine.health.cleaningFailure?.code, "EIO")
      assert.isTrue(engine.health.isWriteable)
      assert.includeMembers(disk.paths.slice(), before.slice())
      store.put(message(1000))
      const { queue } = engine.queues.find("topic", 0)!
      assert.strictEqual(get(store, queue.minOffset).status, "FOUND")
      isFailing = false
      store.run(2000)
      assert.isUndefined(engine.health.cleaningFailure)
      assert.strictEqual(fileCount(store), 1)
      assert.isBelow(disk.paths.filter((path) => path.startsWith(directory)).length, before.length)
      store.close()
      store.open()
      assert.strictEqual(fileCount(store), 1)
    })
  }

  it("cleans and takes messages when a device cannot be measured, and says so", () => {
    const store = filled(new SimulatedStore(1).open(), 200)
    const measure = store.disk.space.bind(store.disk)
    store.disk.space = () => {
      throw new FileFailure({ code: "EACCES", operation: "measure", path: "/store" })
    }
    store.nowMs += 2 * HOUR_MS
    store.hour = 4
    store.run(1000)
    assert.strictEqual(fileCount(store), 1)
    assert.strictEqual(store.engine.health.cleaningFailure?.operation, "measure")
    store.put(message(1000))
    store.disk.space = measure
    store.run(100)
    assert.isUndefined(store.engine.health.cleaningFailure)
  })

  it("takes the device for full when those of all directories of the log are", () => {
    const storePathCommitLog = ["/store/commitlog", "/other/commitlog"]
    const store = filled(new SimulatedStore(1, { storePathCommitLog, cleanFileForciblyEnable: false }).open(), 10)
    const free = { store: 10, other: 20 }
    const spaceOf = (directory: string) => ({
      freeBytes: directory.startsWith("/other") ? free.other : free.store,
      totalBytes: 1 << 30
    })
    Object.assign(store.disk, { space: spaceOf })
    store.run(100)
    const wanted = 4 * store.engine.options.mappedFileSizeCommitLog
    assert.deepStrictEqual(store.engine.health.diskFull, {
      freeBytes: 20,
      totalBytes: 1 << 30,
      freeBytesWanted: wanted
    })
    free.store = 1 << 30
    store.run(100)
    assert.isUndefined(store.engine.health.diskFull)
  })
})
