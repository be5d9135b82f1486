import { assert, describe, it } from "vitest"
import * as StoreFiles from "../../src/engine/StoreFiles.ts"
import { FlushConsumeQueueService } from "../../src/flush/FlushConsumeQueueService.ts"
import { FlushWaiters } from "../../src/flush/FlushWaiters.ts"
import { SyncLane } from "../../src/flush/SyncLane.ts"
import { FileFailure, type SyncDone } from "../../src/mapped/FileSystem.ts"
import { MemoryFileSystem } from "../../src/mapped/MemoryFileSystem.ts"
import { options } from "../fixtures/SimulatedStore.ts"

const open = () => {
  const failures: Array<FileFailure> = []
  const lane = new SyncLane(
    (failure) => failures.push(failure),
    () => undefined
  )
  /** Starts a sync, and gives what ends it. */
  const run = (user: "log" | "derived"): SyncDone => {
    let end: SyncDone = () => assert.fail("the sync was not started")
    lane.run(
      user,
      (done) => (end = done),
      () => undefined
    )
    return (failure) => end(failure)
  }
  return { failures, lane, run }
}

describe("SyncLane", () => {
  it("has room for one sync", () => {
    const { lane, run } = open()
    const end = run("log")
    assert.isFalse(lane.isFreeFor("log"))
    assert.isFalse(lane.isFreeFor("derived"))
    end(undefined)
    assert.isTrue(lane.isFreeFor("log"))
    assert.isTrue(lane.isFreeFor("derived"))
  })

  it("leaves one sync behind one of the log to who has asked, and the next one to the log", () => {
    const { lane, run } = open()
    const endOfLog = run("log")
    lane.ask()
    endOfLog(undefined)
    assert.isFalse(lane.isFreeFor("log"))
    assert.isTrue(lane.isFreeFor("derived"))
    const endOfQueue = run("derived")
    lane.ask()
    endOfQueue(undefined)
    assert.isTrue(lane.isFreeFor("log"))
  })

  it("is free for nobody after a failed sync, and tells of the first one", () => {
    const { failures, lane, run } = open()
    run("derived")(new FileFailure({ code: "EIO", operation: "sync", path: "/x" }))
    assert.isFalse(lane.isFreeFor("log"))
    assert.isFalse(lane.isFreeFor("derived"))
    assert.deepStrictEqual(
      failures.map(({ code }) => code),
      ["EIO"]
    )
  })

  it("goes back to the log in the same cycle where a round of the queues finds nothing to sync", () => {
    const { lane, run } = open()
    const fileSystem = new MemoryFileSystem((end) => end())
    const { checkpoint, index, queues, unsynced } = StoreFiles.open(fileSystem, options, () => "index")
    const intervals = { intervalMs: 1, leastPages: 0, thoroughIntervalMs: 1 }
    const service = new FlushConsumeQueueService(queues, index, checkpoint, lane, intervals, () => 0, {
      fileSystem,
      unsynced
    })
    service.onStart(0)
    const end = run("log")
    assert.strictEqual(service.doWork(1e6), 0)
    end(undefined)
    assert.isFalse(lane.isFreeFor("log"))
    assert.strictEqual(service.doWork(1e6), 1)
    assert.isTrue(lane.isFreeFor("log"))
    assert.strictEqual(service.doWork(1e6), 0)
  })
})

describe("FlushWaiters", () => {
  it("wakes those whose position is on the device, in order, and nobody twice or who does not wait any more", () => {
    const waiters = new FlushWaiters()
    const woken: Array<number> = []
    waiters.add(10, () => woken.push(10))
    const cancel = waiters.add(20, () => woken.push(20))
    waiters.add(30, () => woken.push(30))
    cancel()
    assert.strictEqual(waiters.release(9), 0)
    assert.strictEqual(waiters.release(20), 2)
    assert.deepStrictEqual(woken, [10])
    assert.isFalse(waiters.isEmpty)
    assert.strictEqual(waiters.release(30), 1)
    assert.deepStrictEqual(woken, [10, 30])
    assert.isTrue(waiters.isEmpty)
  })

  it("tells everybody of a failed flush, also who begins to wait afterwards", () => {
    const waiters = new FlushWaiters()
    const failure = new FileFailure({ code: "EIO", operation: "sync", path: "/log" })
    const told: Array<FileFailure | undefined> = []
    waiters.add(10, (result) => told.push(result))
    waiters.fail(failure)
    waiters.add(5, (result) => told.push(result))()
    assert.deepStrictEqual(told, [failure, failure])
    assert.isTrue(waiters.isEmpty)
  })
})
