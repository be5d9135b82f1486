import { assert, describe, it } from "vitest"
import * as StoreFiles from "../../src/engine/StoreFiles.ts"
import { FlushRealTimeService } from "../../src/flush/FlushRealTimeService.ts"
import { SyncLane } from "../../src/flush/SyncLane.ts"
import { SimulatedDisk } from "../../src/mapped/SimulatedDisk.ts"
import { options, randomOf } from "../fixtures/SimulatedStore.ts"

const NS_PER_MS = 1_000_000
const INTERVAL_MS = 500
const THOROUGH_MS = 10_000
const PAGE_LENGTH = 4096
const TOPIC = Buffer.from("topic")

/** A service on a log of its own; syncs end when the test says so. */
const open = (pagesPerFile = 1024) => {
  const pending: Array<() => void> = []
  const disk = new SimulatedDisk({ random: randomOf(1), later: (run) => pending.push(run), capacityBytes: 1 << 26 })
  const files = StoreFiles.open(
    disk,
    { ...options, mappedFileSizeCommitLog: pagesPerFile * PAGE_LENGTH },
    () => "index"
  )
  const { commitLog } = files
  const lane = new SyncLane(
    () => assert.fail("a sync has failed"),
    () => undefined
  )
  const service = new FlushRealTimeService(commitLog, files.checkpoint, lane, {
    intervalMs: INTERVAL_MS,
    leastPages: 4,
    thoroughIntervalMs: THOROUGH_MS
  })
  service.onStart(0)
  let syncs = 0
  return {
    service,
    append: (length: number) => {
      commitLog.append({ topic: "topic", body: Buffer.alloc(length) }, TOPIC, 0, 1)
      commitLog.commit()
    },
    work: (ms: number) => service.doWork(ms * NS_PER_MS),
    endSync: () => {
      for (const end of pending.splice(0)) {
        end()
        syncs++
      }
    },
    get syncs() {
      return syncs
    },
    get unflushed() {
      return commitLog.maxOffset - commitLog.files.flushedWhere
    }
  }
}

describe("FlushRealTimeService", () => {
  it("flushes after its interval once enough pages are dirty, and fewer only after the thorough interval", () => {
    const flush = open()
    flush.append(100)
    for (let ms = 0; ms < THOROUGH_MS; ms += 100) {
      assert.strictEqual(flush.work(ms), 0)
    }
    assert.strictEqual(flush.work(THOROUGH_MS), 1)
    flush.endSync()
    assert.strictEqual(flush.work(THOROUGH_MS), 0)
    assert.strictEqual(flush.unflushed, 0)
    flush.append(4 * PAGE_LENGTH)
    assert.strictEqual(flush.work(THOROUGH_MS + INTERVAL_MS - 1), 0)
    assert.strictEqual(flush.work(THOROUGH_MS + INTERVAL_MS), 1)
  })

  it("rests for its interval behind the end of a flush, however much comes meanwhile", () => {
    const flush = open()
    let ms = INTERVAL_MS
    for (let round = 0; round < 5; round++) {
      flush.append(5 * PAGE_LENGTH)
      assert.strictEqual(flush.work(ms), 1)
      // The device is slow: what comes while it works would fill the next flush at once.
      ms += 2 * INTERVAL_MS
      flush.append(5 * PAGE_LENGTH)
      assert.strictEqual(flush.work(ms), 0)
      flush.endSync()
      assert.strictEqual(flush.work(ms), 0)
      assert.strictEqual(flush.work(ms + INTERVAL_MS - 1), 0)
      ms += INTERVAL_MS
      assert.strictEqual(flush.work(ms), 1)
      flush.endSync()
      assert.strictEqual(flush.work(ms), 0)
      ms += INTERVAL_MS
    }
    assert.strictEqual(flush.syncs, 10)
  })

  it("goes on at once behind a file that is full, and rests behind the last one", () => {
    const flush = open(16)
    // Three a file: four files, the last one with a third of it.
    for (let count = 0; count < 10; count++) {
      flush.append(5 * PAGE_LENGTH)
    }
    for (let file = 0; file < 4; file++) {
      assert.strictEqual(flush.work(INTERVAL_MS), 1)
      flush.endSync()
    }
    assert.strictEqual(flush.unflushed, 0)
    flush.append(5 * PAGE_LENGTH)
    assert.strictEqual(flush.work(INTERVAL_MS), 0)
    assert.strictEqual(flush.work(2 * INTERVAL_MS), 1)
  })

  it("flushes at once, and all of it, for who waits", () => {
    const flush = open()
    flush.append(100)
    let isFlushed = false
    flush.service.whenFlushed(50, (failure) => {
      assert.isUndefined(failure)
      isFlushed = true
    })
    assert.strictEqual(flush.work(0), 1)
    flush.endSync()
    assert.isTrue(isFlushed)
    assert.strictEqual(flush.unflushed, 0)
    flush.append(100)
    assert.strictEqual(flush.work(INTERVAL_MS), 0)
  })
})
