import { once } from "node:events"
import * as fs from "node:fs"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { crc32 } from "node:zlib"
import { assert, describe, it } from "vitest"
import { AtomicBuffer } from "../../src/memory/AtomicBuffer.ts"
import { type Advice, type Completion, type MappedMemory, MappedRegion } from "../../src/memory/MappedRegion.ts"
import { RegionClosed } from "../../src/memory/RegionState.ts"
import * as Mapping from "../../src/native/Mapping.ts"
import { temporaryDirectory } from "@millrace/testkit/temporaryDirectory"

const LENGTH = 64 * 1024

const mapped = (path: string = join(temporaryDirectory(), "region")): MappedRegion =>
  Mapping.create(path, LENGTH, { reserve: true })

/** Records what the region asks of the system, and lets the test end asynchronous operations in any order. */
class RecordedMemory implements MappedMemory {
  readonly memory = new ArrayBuffer(LENGTH)
  readonly calls: Array<string> = []
  readonly running: Array<Completion> = []

  sync(offset: number, length: number): void {
    this.calls.push(`sync ${offset} ${length}`)
  }
  syncAsync(offset: number, length: number, done: Completion): void {
    this.calls.push(`syncAsync ${offset} ${length}`)
    this.running.push(done)
  }
  advise(advice: Advice, offset: number, length: number): boolean {
    this.calls.push(`advise ${advice} ${offset} ${length}`)
    return true
  }
  adviseAsync(advice: Advice, offset: number, length: number, done: Completion): void {
    this.calls.push(`adviseAsync ${advice} ${offset} ${length}`)
    this.running.push(done)
  }
  lock(offset: number, length: number): void {
    this.calls.push(`lock ${offset} ${length}`)
  }
  unlock(offset: number, length: number): void {
    this.calls.push(`unlock ${offset} ${length}`)
  }
  unmap(): void {
    assert.isTrue(this.memory.detached, "unmapped while the view was attached")
    this.calls.push("unmap")
  }
}

const neverCalled = (): void => assert.fail("called for an operation that was refused")

describe("MappedRegion", () => {
  it("gives out windows over one view, which is never made again", () => {
    const region = mapped()
    const windows = [region.buffer(), region.buffer(8, 16), region.buffer().slice(64, 64)]
    const [memory] = windows.map(({ bytes }) => bytes.buffer)
    windows.forEach((window) => assert.strictEqual(window.bytes.buffer, memory))
    region.close()
  })

  it("empties every window and every kept view when it is closed", () => {
    const region = mapped()
    const { bytes, int32, int64, view } = region.buffer(64, 128)
    bytes.fill(7)
    region.close()
    assert.deepStrictEqual([bytes.length, int32.length, int64.length], [0, 0, 0])
    assert.isUndefined(bytes[0])
    bytes[0] = 1
    assert.isUndefined(bytes[0])
    assert.strictEqual(crc32(bytes), 0)
    assert.strictEqual(new TextDecoder().decode(bytes), "")
    assert.throws(() => view.getInt32(0), TypeError)
    assert.throws(() => Atomics.load(int32, 0))
    assert.throws(() => Atomics.add(int64, 0, 1n))
    assert.throws(() => Atomics.compareExchange(int32, 0, 0, 1))
    assert.throws(() => bytes.set([1]))
  })

  it("keeps what was stored although views of it were kept and written after closing", () => {
    const path = join(temporaryDirectory(), "region")
    const region = mapped(path)
    const { bytes } = region.buffer()
    bytes[5] = 9
    region.close()
    bytes[5] = 1
    assert.strictEqual(fs.readFileSync(path)[5], 9)
  })

  it("never shows the bytes of a mapping that came to lie where it was", () => {
    const directory = temporaryDirectory()
    const first = mapped(join(directory, "first"))
    const kept = first.buffer()
    first.close()
    const later = Array.from({ length: 32 }, (_, index) => mapped(join(directory, `later-${index}`)))
    later.forEach((region) => region.buffer().bytes.fill(0xee))
    assert.strictEqual(kept.bytes.length, 0)
    assert.isUndefined(kept.bytes[0])
    later.forEach((region) => region.close())
  })

  it("refuses everything after it was closed, and may be closed again", () => {
    const region = mapped()
    const window = region.buffer()
    region.close()
    region.close()
    const calls: ReadonlyArray<() => unknown> = [
      () => region.buffer(),
      () => region.sync(),
      () => region.syncAsync(neverCalled),
      () => region.prefetch(neverCalled),
      () => region.preTouch(neverCalled),
      () => region.advise("random"),
      () => region.lock(),
      () => region.unlock()
    ]
    calls.forEach((call) => assert.throws(call, RegionClosed, region.path))
    assert.throws(() => window.slice(0, 8), RegionClosed, region.path)
    assert.throws(() => new AtomicBuffer(region.state, window.bytes.buffer, 0, 8))
  })

  it("refuses ranges that reach outside", () => {
    const region = mapped()
    assert.throws(() => region.buffer(LENGTH - 8, 16), /outside its region/)
    assert.throws(() => region.sync(8, LENGTH), /outside its region/)
    assert.throws(() => region.lock(-8, 8), /outside its region/)
    region.close()
  })

  it("closes other mappings of the same file independently", () => {
    const path = join(temporaryDirectory(), "region")
    const regions = [mapped(path), Mapping.open(path), Mapping.open(path)]
    for (const order of [1, 0, 2]) {
      regions[order]!.close()
      for (const region of regions.filter(({ state }) => !state.isClosed)) {
        region.buffer().bytes[order] = order
        assert.strictEqual(region.buffer().bytes[order], order)
      }
    }
  })

  it("leaves the mapping of a worker alone", async () => {
    const path = join(temporaryDirectory(), "region")
    const region = mapped(path)
    region.buffer().int32[0] = 21
    const worker = new Worker(new URL("fixtures/mappingWorker.ts", import.meta.url), { workerData: path })
    assert.deepStrictEqual(await once(worker, "message"), ["mapped"])
    region.close()
    worker.postMessage("double")
    assert.deepStrictEqual(await once(worker, "message"), [42])
    worker.postMessage("close")
    assert.deepStrictEqual(await once(worker, "message"), ["closed"])
    assert.strictEqual(new Int32Array(fs.readFileSync(path).buffer)[0], 42)
    await worker.terminate()
  })
})

describe("a region with operations in the thread pool", () => {
  it("is unmapped when it is closed and nothing runs", () => {
    const memory = new RecordedMemory()
    const region = new MappedRegion("fake", memory, false)
    region.close()
    region.close()
    assert.deepStrictEqual(memory.calls, ["unmap"])
  })

  it("is closed for its users at once but unmapped after the last operation", () => {
    const memory = new RecordedMemory()
    const region = new MappedRegion("fake", memory, false)
    const window = region.buffer()
    const ended: Array<string> = []
    region.syncAsync(() => ended.push("sync"), 0, 4096)
    region.prefetch(() => ended.push("prefetch"))
    region.preTouch(() => ended.push("preTouch"))
    region.close()
    assert.strictEqual(window.bytes.length, 0)
    assert.throws(() => region.buffer(), RegionClosed)
    assert.notInclude(memory.calls, "unmap")
    memory.running[1]!(undefined)
    memory.running[0]!(new Error("device"))
    assert.notInclude(memory.calls, "unmap")
    memory.running[2]!(undefined)
    assert.deepStrictEqual(memory.calls.at(-1), "unmap")
    assert.deepStrictEqual(ended, ["prefetch", "sync", "preTouch"])
    region.close()
    assert.strictEqual(memory.calls.filter((call) => call === "unmap").length, 1)
  })

  it("may be closed by the callback of its last operation", () => {
    const memory = new RecordedMemory()
    const region = new MappedRegion("fake", memory, false)
    region.syncAsync(() => region.close())
    memory.running[0]!(undefined)
    assert.deepStrictEqual(memory.calls, [`syncAsync 0 ${LENGTH}`, "unmap"])
  })

  it("is unmapped although an operation could not be started", () => {
    const memory = new RecordedMemory()
    memory.syncAsync = () => {
      throw new Error("queue full")
    }
    const region = new MappedRegion("fake", memory, false)
    assert.throws(() => region.syncAsync(neverCalled), /queue full/)
    region.close()
    assert.deepStrictEqual(memory.calls, ["unmap"])
  })

  it("brings the stored bytes to the file and tells when", async () => {
    const path = join(temporaryDirectory(), "region")
    const region = mapped(path)
    region.buffer().bytes.fill(3)
    region.sync(4097, 10)
    const errors = await Promise.all([
      new Promise((resolve) => region.syncAsync(resolve)),
      new Promise((resolve) => region.syncAsync(resolve, 5000, 1)),
      new Promise((resolve) => region.prefetch(resolve)),
      new Promise((resolve) => region.preTouch(resolve, 4096, 8192))
    ])
    assert.deepStrictEqual(errors, [undefined, undefined, undefined, undefined])
    region.close()
  })

  it("survives being closed while real syncs run", async () => {
    const directory = temporaryDirectory()
    for (let round = 0; round < 20; round++) {
      const region = Mapping.create(join(directory, `region-${round}`), 1024 * 1024, { reserve: true })
      region.buffer().bytes.fill(round)
      const syncs = [0, 1, 2].map(() => new Promise((resolve) => region.syncAsync(resolve)))
      region.close()
      assert.deepStrictEqual(await Promise.all(syncs), [undefined, undefined, undefined])
    }
  })
})

describe.runIf(process.platform === "linux")("the mappings of the process", () => {
  const isMapped = (path: string): boolean => fs.readFileSync("/proc/self/maps", "utf8").includes(path)

  it("hold a region until it is closed", () => {
    const path = join(temporaryDirectory(), "region")
    const region = mapped(path)
    const other = Mapping.open(path, { readOnly: true })
    assert.isTrue(isMapped(path))
    region.close()
    assert.isTrue(isMapped(path))
    other.close()
    assert.isFalse(isMapped(path))
  })

  it("hold a closed region until its last sync has ended", async () => {
    const path = join(temporaryDirectory(), "region")
    const region = mapped(path)
    const synced = new Promise((resolve) => region.syncAsync(resolve))
    region.close()
    // The callback cannot come before this turn of the event loop has ended.
    assert.isTrue(isMapped(path))
    await synced
    assert.isFalse(isMapped(path))
  })
})

describe("the use of a region's memory", () => {
  it("can be advised, and tells what this system does not know", () => {
    const region = mapped()
    for (const advice of ["random", "sequential", "normal", "willNeed", "dontNeed"] as const) {
      assert.isTrue(region.advise(advice), advice)
    }
    for (const advice of ["hugePages", "noHugePages", "populateRead", "populateWrite"] as const) {
      assert.isBoolean(region.advise(advice, 4096, 4096), advice)
    }
    region.close()
  })

  it("can be locked in memory and unlocked", () => {
    const region = mapped()
    region.lock(0, 4096)
    region.unlock(0, 4096)
    region.close()
  })
})
