import { describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { assert } from "vitest"
import * as HostAddress from "../../src/commitlog/HostAddress.ts"
import { RecordCursor } from "../../src/commitlog/RecordCursor.ts"
import { RecordEncoder } from "../../src/commitlog/RecordEncoder.ts"
import * as Utf8 from "../../src/commitlog/Utf8.ts"
import * as IndexDescriptor from "../../src/index/IndexDescriptor.ts"
import { IndexService } from "../../src/index/IndexService.ts"
import * as KeyHash from "../../src/index/KeyHash.ts"
import { MemoryFileSystem } from "../../src/mapped/MemoryFileSystem.ts"

const host = HostAddress.parse("127.0.0.1:1")!
const encoder = new RecordEncoder({ appendCrcProperty: false, defaultBornHost: host, defaultStoreHost: host })
const body = new Uint8Array(0)

const record = (topic: string, keys: ReadonlyArray<string>, position: number, time: number, sysFlag = 0) => {
  const length = encoder.encode(0, { topic, body, keys, sysFlag, tags: "T" }, Utf8.encode(topic), time)
  encoder.stamp(0, length, position, 0, time)
  return new RecordCursor().wrap({ bytes: encoder.bytes, view: encoder.view, base: 0 }, 0)
}

const make = (more: { readonly slotCount?: number; readonly indexTags?: boolean } = {}) => {
  const fileSystem = new MemoryFileSystem((run) => run())
  let count = 0
  const open = () =>
    new IndexService({
      fileSystem,
      directory: "/index",
      slotCount: more.slotCount ?? 4,
      entryCount: 10,
      indexTags: more.indexTags ?? false,
      readOnly: false,
      nameNow: () => String(20_261_130_012_203_852 + count++)
    })
  return { fileSystem, open, index: open() }
}

const bounds = (minPosition: number, maxPosition: number, durableTimestamp: number) => ({
  minPosition,
  maxPosition,
  durableTimestamp,
  flushedTimestamp: 0,
  isRecord: () => true
})

const lookup = (index: IndexService, key: string, more: Partial<Parameters<IndexService["lookup"]>[0]> = {}) =>
  index.lookup({ topic: "t", key, countMax: 64, begin: 0, end: Number.MAX_SAFE_INTEGER, ...more })

describe("IndexService", () => {
  it("finds the positions of a key over all files, the newest ones in rising order", () => {
    const { index } = make()
    for (let number = 0; number < 40; number++) {
      index.dispatch(record("t", [`k${number % 3}`], number * 100, 5000 + number), number * 100)
    }
    assert.isAbove(index.files.length, 3)
    assert.deepStrictEqual(
      lookup(index, "k1"),
      Array.from({ length: 13 }, (_, number) => 100 + number * 300)
    )
    assert.deepStrictEqual(lookup(index, "k1", { countMax: 2 }), [3400, 3700])
    assert.deepStrictEqual(lookup(index, "k1", { countMax: 0 }), [])
    assert.deepStrictEqual(lookup(index, "k9"), [])
    assert.deepStrictEqual(lookup(index, "k1", { topic: "other" }), [])
  })

  it("answers with other keys of the same hash, as RocketMQ does", () => {
    const { index } = make()
    index.dispatch(record("t", ["Aa"], 0, 5000), 0)
    index.dispatch(record("t", ["BB"], 100, 5000), 100)
    assert.deepStrictEqual(lookup(index, "Aa"), [0, 100])
  })

  it("hashes the key whose hash has no positive to 0", () => {
    assert.strictEqual(KeyHash.ofUtf8(KeyHash.prefix("t"), Utf8.encode("x"), 0, 1), KeyHash.of("t", "x"))
    assert.isAtLeast(KeyHash.of("t", "polygenelubricants"), 0)
  })

  it("indexes each word of the keys, not rolled back messages, and tags only when asked", () => {
    const plain = make().index
    plain.dispatch(record("t", ["a b", "", "c"], 0, 5000), 0)
    plain.dispatch(record("t", ["a"], 100, 5000, 3 << 2), 100)
    assert.deepStrictEqual(
      ["a", "b", "c", "T#T"].map((key) => lookup(plain, key)),
      [[0], [0], [0], []]
    )
    const tagged = make({ indexTags: true }).index
    tagged.dispatch(record("t", [], 0, 5000), 0)
    assert.deepStrictEqual(lookup(tagged, "T#T"), [0])
  })

  it("takes up its files again, and repeats no record", () => {
    const { index, open } = make()
    for (let number = 0; number < 25; number++) {
      index.dispatch(record("t", ["k"], number * 100, 5000), number * 100)
    }
    index.close()
    const again = open()
    assert.strictEqual(again.load(bounds(0, 2500, Number.POSITIVE_INFINITY)), 2400)
    for (let number = 0; number < 26; number++) {
      again.dispatch(record("t", ["k"], number * 100, 5000), number * 100)
    }
    assert.deepStrictEqual(
      lookup(again, "k"),
      Array.from({ length: 26 }, (_, number) => number * 100)
    )
  })

  it("finishes an entry whose process ended before its slot led to it", () => {
    const { fileSystem, index, open } = make()
    index.dispatch(record("t", ["k"], 0, 5000), 0)
    index.dispatch(record("t", ["k"], 100, 5000), 100)
    index.close()
    const [found] = fileSystem.entries("/index")!
    const file = fileSystem.open(`/index/${found!.name}`, found!.length)
    const slot = IndexDescriptor.slotOffset(KeyHash.of("t", "k") % 4)
    const { base, view } = file.claim(slot, IndexDescriptor.SLOT_LENGTH)
    assert.strictEqual(view.getInt32(slot - base), 2)
    view.setInt32(slot - base, 1)
    file.close()
    const again = open()
    assert.strictEqual(again.load(bounds(0, 300, Number.POSITIVE_INFINITY)), 100)
    again.dispatch(record("t", ["k"], 100, 5000), 100)
    again.dispatch(record("t", ["k"], 200, 5000), 200)
    assert.deepStrictEqual(lookup(again, "k"), [0, 100, 200])
    assert.strictEqual(again.entryCountTotal, 3)
  })

  it("does not trust files of another length, beyond the log, or newer than what was flushed", () => {
    const fillAndOpen = (load: (index: IndexService) => void) => {
      const { fileSystem, index, open } = make()
      for (let number = 0; number < 25; number++) {
        index.dispatch(record("t", ["k"], number * 100, 5000 + number), number * 100)
      }
      index.close()
      const again = open()
      load(again)
      return { files: again.files.length, left: fileSystem.entries("/index")!.length }
    }
    const all = { files: 3, left: 3 }
    assert.deepStrictEqual(
      fillAndOpen((index) => void index.load(bounds(0, 2500, Infinity))),
      all
    )
    assert.deepStrictEqual(
      fillAndOpen((index) => void index.load(bounds(0, 1000, Infinity))),
      { files: 1, left: 1 }
    )
    assert.deepStrictEqual(
      fillAndOpen((index) => void index.load(bounds(0, 2500, 5010))),
      { files: 1, left: 1 }
    )
  })

  it("does not trust a file that is not called by a time, and goes on with the next file", () => {
    const { fileSystem, index, open } = make()
    const put = (service: IndexService, from: number) =>
      Array.from({ length: 25 }, (_, number) => from + number).forEach((number) =>
        service.dispatch(record("t", ["k"], number * 100, 1000 * number), number * 100)
      )
    put(index, 0)
    const path = fileSystem
      .entries("/index")!
      .map(({ name }) => `/index/${name}`)
      .toSorted()
      .at(-1)!
    fileSystem.replace("/index/x", fileSystem.readBytes(path)!)
    const again = open()
    again.load(bounds(0, 100_000, Infinity))
    assert.isFalse(fileSystem.exists("/index/x"))
    put(again, 25)
    assert.include(lookup(again, "k"), 4900)
  })

  it("leaves out files at its beginning that only speak of what is gone, and keeps the rest", () => {
    const { fileSystem, index, open } = make()
    for (let number = 0; number < 35; number++) {
      index.dispatch(record("t", [`k${number}`], number * 100, 5000 + number), number * 100)
    }
    index.close()
    const before = fileSystem.entries("/index")!.length
    const again = open()
    assert.strictEqual(again.load(bounds(2000, 3500, Number.POSITIVE_INFINITY)), 3400)
    assert.isBelow(again.files.length, before)
    assert.strictEqual(fileSystem.entries("/index")!.length, again.files.length)
    for (let number = 20; number < 35; number++) {
      assert.deepStrictEqual(lookup(again, `k${number}`), [number * 100])
    }
  })

  it("misses a listed file that is gone, but not one that may have been cleaned away with the log", () => {
    const { fileSystem, index, open } = make()
    for (let number = 0; number < 40; number++) {
      index.dispatch(record("t", ["k"], number * 100, 5000), number * 100)
    }
    const listed = index.files.map(({ name }) => name)
    index.close()
    fileSystem.remove(`/index/${listed[0]}`)
    const cleaned = open()
    assert.strictEqual(cleaned.load({ ...bounds(500, 4000, Number.POSITIVE_INFINITY), listed }), 3900)
    assert.deepStrictEqual([cleaned.hasLost, cleaned.files.length], [false, listed.length - 1])
    cleaned.close()
    fileSystem.remove(`/index/${listed[2]}`)
    const torn = open()
    torn.load({ ...bounds(500, 4000, Number.POSITIVE_INFINITY), listed })
    assert.deepStrictEqual([torn.hasLost, torn.files.map(({ name }) => name)], [true, [listed[1]]])
    torn.close()
    const whole = open()
    assert.strictEqual(whole.load({ ...bounds(0, 4000, Number.POSITIVE_INFINITY), listed }), -1)
    assert.deepStrictEqual([whole.hasLost, whole.files.length], [true, 0])
  })

  it("does not trust files behind one that was not on the device when the page cache was lost, though it is stale", () => {
    const { index, open } = make()
    for (let number = 0; number < 35; number++) {
      index.dispatch(record("t", ["k"], number * 100, 5000 + number), number * 100)
    }
    index.close()
    const again = open()
    assert.strictEqual(again.load(bounds(2000, 3500, 5001)), -1)
    assert.lengthOf(again.files, 0)
  })

  it("has blocks behind all slots of a file that another program made, before it writes one", () => {
    const slotCount = 600_000
    const { fileSystem, index, open } = make({ slotCount })
    index.dispatch(record("t", ["k"], 0, 5000), 0)
    index.close()
    const ranges: Array<readonly [from: number, to: number]> = []
    const openFile = fileSystem.open.bind(fileSystem)
    fileSystem.open = (path, length) => {
      const file = openFile(path, length)
      file.reserve = (offset, count) => void ranges.push([offset, offset + count])
      return file
    }
    const again = open()
    again.load(bounds(0, 500, Infinity))
    assert.deepStrictEqual(ranges, [])
    again.dispatch(record("t", ["k"], 100, 5000), 100)
    const slotsEnd = 40 + 4 * slotCount
    assert.isTrue(ranges.some(([from, to]) => from === 0 && to >= slotsEnd))
    assert.deepStrictEqual(lookup(again, "k"), [0, 100])
  })

  it("ends on a chain that leads in a circle", () => {
    const { fileSystem, index, open } = make({ slotCount: 1 })
    for (let number = 0; number < 5; number++) {
      index.dispatch(record("t", ["k"], number * 100, 5000), number * 100)
    }
    index.close()
    const path = `/index/${fileSystem.entries("/index")![0]!.name}`
    const bytes = fileSystem.readBytes(path)!
    const view = new DataView(bytes.buffer)
    const previousOf = (entry: number) => 40 + 4 + 20 * entry + 16
    view.setInt32(previousOf(3), 5)
    view.setInt32(previousOf(2), 2)
    fileSystem.replace(path, bytes)
    const again = open()
    again.load(bounds(0, 500, Infinity))
    assert.deepStrictEqual(lookup(again, "k"), [200, 300, 400])
  })

  it.prop(
    "answers as a simple list does",
    { keys: Schema.Array(Schema.Literals(["a", "b", "c", "Aa", "BB"])).check(Schema.isMaxLength(60)) },
    ({ keys }) => {
      const { index } = make()
      keys.forEach((key, number) => index.dispatch(record("t", [key], number * 100, 1000 * number), number * 100))
      for (const key of ["a", "b", "c", "Aa"]) {
        const expected = keys.flatMap((other, number) =>
          KeyHash.of("t", other) === KeyHash.of("t", key) ? [number * 100] : []
        )
        assert.deepStrictEqual(lookup(index, key), expected.slice(-64))
      }
    }
  )

  it("writes again of its files only what may be on no device: what is later, and the pages of its slots", () => {
    const { fileSystem, index, open } = make({ slotCount: 100_000 })
    index.dispatch(record("t", ["early"], 100, 1000), 100)
    for (let number = 2; number < 5; number++) {
      index.dispatch(record("t", [`late${number}`], number * 100, 60_000 + number), number * 100)
    }
    const written: Array<number> = []
    const openFile = fileSystem.open.bind(fileSystem)
    fileSystem.open = (path, length) => {
      const file = openFile(path, length)
      const write = file.write.bind(file)
      file.write = (offset, source, count) => {
        written.push(count)
        write(offset, source, count)
      }
      return file
    }
    const again = open()
    again.load({ ...bounds(0, 10_000, Infinity), flushedTimestamp: 30_000 })
    for (const _ of again.rewriteBehind(30_000)) {
      // Each step writes a part.
    }
    // The header, the page that has the slots of these neighbours, three entries.
    assert.deepStrictEqual(written, [40, 4096, 60])
  })
})
