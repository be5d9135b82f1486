import { assert, describe, it } from "vitest"
import * as StorePaths from "../../src/engine/StorePaths.ts"
import { FileFailure } from "../../src/mapped/FileSystem.ts"
import { MemoryFileSystem } from "../../src/mapped/MemoryFileSystem.ts"

const ROOT = "/store"

/** A directory with these files, and these directories (whose names end in `/`). */
const withEntries = (...names: ReadonlyArray<string>): MemoryFileSystem => {
  const fileSystem = new MemoryFileSystem((run) => run())
  fileSystem.makeDirectory(ROOT)
  for (const name of names) {
    if (name.endsWith("/")) {
      fileSystem.makeDirectory(`${ROOT}/${name.slice(0, -1)}`)
    } else {
      fileSystem.replace(`${ROOT}/${name}`, Uint8Array.of(1))
    }
  }
  return fileSystem
}

const kindOf = (...names: ReadonlyArray<string>) => StorePaths.kindOf(withEntries(...names), ROOT)

const failing = (code: string): MemoryFileSystem => {
  const fileSystem = withEntries()
  fileSystem.entries = () => {
    throw new FileFailure({ code, operation: "scandir", path: ROOT })
  }
  return fileSystem
}

describe("the kind of a directory", () => {
  it("is empty where nothing is, and where it is not there itself", () => {
    assert.deepStrictEqual(kindOf(), { _tag: "Empty" })
    assert.deepStrictEqual(StorePaths.kindOf(new MemoryFileSystem((run) => run()), ROOT), { _tag: "Empty" })
  })

  it("is a store with a log, or before its first message with the lock of one", () => {
    assert.deepStrictEqual(kindOf("commitlog/", "lock", "config/", "abort"), { _tag: "Store" })
    assert.deepStrictEqual(kindOf("lock"), { _tag: "Store" })
    assert.deepStrictEqual(kindOf("commitlog/", "checkpoint.tmp"), { _tag: "Store" })
  })

  it("is none that a store may be made in where it holds something else, which is named", () => {
    assert.deepStrictEqual(kindOf("commitlog/", "holiday.jpg"), { _tag: "Foreign", found: "holiday.jpg" })
    assert.deepStrictEqual(kindOf("commitlog/", "copy.tmp/"), { _tag: "Foreign", found: "copy.tmp" })
    assert.deepStrictEqual(kindOf("commitlog/", "commitlog/0.log"), { _tag: "Foreign", found: "commitlog/0.log" })
    assert.deepStrictEqual(kindOf("config/"), { _tag: "Foreign", found: "config" })
    assert.deepStrictEqual(kindOf("lock/"), { _tag: "Foreign", found: "lock" })
  })

  it("is no directory's where its path leads through a file, and unknown where the system says nothing else", () => {
    const found = "no directory but a file"
    assert.deepStrictEqual(StorePaths.kindOf(failing("ENOTDIR"), ROOT), { _tag: "Foreign", found })
    assert.throws(() => StorePaths.kindOf(failing("EACCES"), ROOT), "EACCES")
  })
})
