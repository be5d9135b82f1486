import { assert, describe, it } from "vitest"
import * as RecordCheck from "../../src/commitlog/RecordCheck.ts"
import { RecordCursor } from "../../src/commitlog/RecordCursor.ts"
import * as Utf8 from "../../src/commitlog/Utf8.ts"
import { MemoryFileSystem } from "../../src/mapped/MemoryFileSystem.ts"
import * as AbortFile from "../../src/recovery/AbortFile.ts"
import * as Tombstone from "../../src/recovery/Tombstone.ts"

const POSITION = 4096

/** Lengths of the records that stand in the place of `length` bytes, each of which a reader takes with its CRCs. */
const recordsOf = (length: number): ReadonlyArray<number> => {
  const bytes = Tombstone.encode(new Uint8Array(length).fill(0xdd), POSITION, 1_700_000_000_000)
  const window = { bytes, view: new DataView(bytes.buffer), base: 0 }
  const options = { checkCrc: true, requireCrcProperty: false }
  const lengths: Array<number> = []
  for (let at = 0; at < length;) {
    const read = RecordCheck.check(window, at, length, POSITION + at, new RecordCursor(), options)
    assert.isAbove(read, 0)
    lengths.push(read)
    at += read
  }
  return lengths
}

describe("Tombstone", () => {
  it("is one record for a stretch of any length that a record can have", () => {
    for (const length of [Tombstone.LENGTH_MIN, Tombstone.LENGTH_MIN + 1, Tombstone.LENGTH_MIN + 40, 1000, 1 << 20]) {
      assert.deepStrictEqual(recordsOf(length), [length])
    }
  })

  it("is several records for a longer stretch, of which none is too short", () => {
    const longest = 1 << 20
    assert.deepStrictEqual(recordsOf(longest + 1), [longest + 1 - Tombstone.LENGTH_MIN, Tombstone.LENGTH_MIN])
    assert.deepStrictEqual(recordsOf(2 * longest + 1000), [longest, longest, 1000])
  })
})

describe("AbortFile", () => {
  it("names the process that wrote it, and nobody where it is missing or holds something else", () => {
    const fileSystem = new MemoryFileSystem((run) => run())
    assert.isUndefined(AbortFile.pidOf(fileSystem, "/store"))
    AbortFile.create(fileSystem, "/store", 4711)
    assert.isTrue(AbortFile.exists(fileSystem, "/store"))
    assert.strictEqual(AbortFile.pidOf(fileSystem, "/store"), 4711)
    fileSystem.replace("/store/abort", Utf8.encode("no number"))
    assert.isUndefined(AbortFile.pidOf(fileSystem, "/store"))
    AbortFile.remove(fileSystem, "/store")
    assert.isFalse(AbortFile.exists(fileSystem, "/store"))
  })
})
