import { assert, describe, it } from "vitest"
import { AllocateAhead } from "../../src/mapped/AllocateAhead.ts"
import { ForeignFile, MappedFileQueue } from "../../src/mapped/MappedFileQueue.ts"
import { FileFailure, type StoreFile } from "../../src/mapped/FileSystem.ts"
import { MemoryFileSystem } from "../../src/mapped/MemoryFileSystem.ts"

const LENGTH = 100
/** Path of the second file. */
const NEXT = "/log/00000000000000000100"

const make = (directories: ReadonlyArray<string> = ["/log"]) => {
  const pending: Array<() => void> = []
  const fileSystem = new MemoryFileSystem((run) => pending.push(run))
  directories.forEach((directory) => fileSystem.makeDirectory(directory))
  const open = () =>
    new MappedFileQueue({ fileSystem, directories, fileLength: LENGTH, use: "log", reserveStep: 0, readOnly: false })
  const run = () => pending.splice(0).forEach((end) => end())
  return { fileSystem, open, run }
}

/** Fills `count` files. */
const fill = (queue: MappedFileQueue, count: number) => {
  for (let index = 0; index < count; index++) {
    queue.fileForAppend(index * LENGTH).wrotePosition = LENGTH
  }
  return queue
}

const names = (fileSystem: MemoryFileSystem, directory = "/log") =>
  fileSystem
    .entries(directory)!
    .map(({ name }) => Number(name))
    .toSorted((a, b) => a - b)

describe("MappedFileQueue", () => {
  it("finds the file of a position by arithmetic, also when the first file is not at 0", () => {
    const { open } = make()
    const queue = fill(open(), 4)
    assert.strictEqual(queue.find(250)!.fromOffset, 200)
    queue.removeFirst()
    assert.isUndefined(queue.find(99))
    assert.strictEqual(queue.find(100)!.fromOffset, 100)
    assert.strictEqual(queue.find(399)!.fromOffset, 300)
    assert.isUndefined(queue.find(400))
    assert.strictEqual(queue.minOffset, 100)
    assert.strictEqual(queue.maxOffset, 400)
  })

  it("names its first file by the multiple of the length at or below the position", () => {
    const { open } = make()
    assert.strictEqual(open().fileForAppend(1234).fromOffset, 1200)
  })

  it("spreads files over its directories in turn", () => {
    const { fileSystem, open } = make(["/a", "/b", "/c"])
    fill(open(), 7)
    assert.deepStrictEqual(names(fileSystem, "/a"), [0, 300, 600])
    assert.deepStrictEqual(names(fileSystem, "/b"), [100, 400])
    const again = open()
    again.load()
    assert.strictEqual(again.maxOffset, 700)
  })

  it("makes the next two files ahead of need, uses them, and removes those that were not used", () => {
    const { fileSystem, open, run } = make()
    const queue = open()
    const file = queue.fileForAppend(0)
    file.wrotePosition = 50
    assert.isFalse(queue.wantsFileAhead)
    file.wrotePosition = 51
    for (const made of [100, 200]) {
      assert.isTrue(queue.wantsFileAhead)
      queue.startAhead((failure, ahead) => {
        assert.isUndefined(failure)
        assert.strictEqual(ahead!.fromOffset, made)
      })
      assert.isFalse(queue.wantsFileAhead)
      run()
    }
    assert.isFalse(queue.wantsFileAhead)
    assert.deepStrictEqual(names(fileSystem), [0, 100, 200])
    file.wrotePosition = LENGTH
    assert.strictEqual(queue.fileForAppend(100).fromOffset, 100)
    assert.isTrue(queue.wantsFileAhead)
    queue.close()
    assert.deepStrictEqual(names(fileSystem), [0, 100])
  })

  it("takes a file that is still being made when it is needed, and tells nobody else of it", () => {
    const { fileSystem, open, run } = make()
    const queue = open()
    const file = queue.fileForAppend(0)
    file.wrotePosition = LENGTH
    queue.startAhead(() => assert.fail("told of a file that was taken"))
    assert.strictEqual(queue.fileForAppend(100).fromOffset, 100)
    assert.isFalse(queue.isMaking)
    run()
    queue.close()
    assert.deepStrictEqual(names(fileSystem), [0, 100])
  })

  it("removes a file that is ready only after the queue was closed", () => {
    const { fileSystem, open, run } = make()
    const queue = open()
    queue.fileForAppend(0).wrotePosition = 51
    queue.startAhead(() => assert.fail("told of a file that nobody uses"))
    assert.isTrue(queue.isMaking)
    queue.close()
    run()
    assert.deepStrictEqual(names(fileSystem), [0])
  })

  it("makes the file ahead again where somebody has removed it, before a byte goes into it", () => {
    const { fileSystem, open } = make()
    const queue = open()
    const file = queue.fileForAppend(0)
    file.wrotePosition = 51
    queue.createAhead()
    const path = queue.fileForAppend(0).file.path.replace(/0{20}$/, "00000000000000000100")
    fileSystem.remove(path)
    queue.createAhead()
    assert.deepStrictEqual(names(fileSystem), [0, 100])
    fileSystem.remove(path)
    file.wrotePosition = LENGTH
    assert.strictEqual(queue.fileForAppend(100).fromOffset, 100)
    assert.deepStrictEqual(names(fileSystem), [0, 100])
    queue.close()
  })

  for (const [length, what] of [
    [LENGTH, "a file of zeros"],
    [0, "an empty file"],
    [LENGTH + 3, "zeros of another length"]
  ] as const) {
    it(`takes the name of its next file from whoever left ${what} there`, () => {
      const { fileSystem, open } = make()
      const queue = open()
      queue.fileForAppend(0).wrotePosition = LENGTH
      fileSystem.create(NEXT, length)
      assert.strictEqual(queue.fileForAppend(100).length, LENGTH)
      queue.close()
    })
  }

  for (const at of [0, 50, LENGTH - 1]) {
    it(`removes no file of its next name that has a byte at ${at}: two stores may share a directory`, () => {
      const { fileSystem, open } = make()
      const queue = open()
      queue.fileForAppend(0).wrotePosition = LENGTH
      fileSystem.create(NEXT, LENGTH).claim(0, LENGTH).bytes[at] = 7
      assert.throws(() => queue.fileForAppend(100), /holds what this store did not write/)
      assert.throws(() => queue.createAhead(), FileFailure)
      assert.strictEqual(fileSystem.readBytes(NEXT)![at], 7)
      fileSystem.remove(NEXT)
      assert.strictEqual(queue.fileForAppend(100).fromOffset, 100)
    })
  }

  it("opens what is there, and removes empty files at the end however many", () => {
    const { fileSystem, open } = make()
    fill(open(), 2).close()
    fileSystem.create("/log/00000000000000000200", 0)
    fileSystem.create("/log/00000000000000000300", 0)
    const queue = open()
    queue.load()
    assert.strictEqual(queue.maxOffset, 200)
    assert.deepStrictEqual(names(fileSystem), [0, 100])
  })

  it("refuses a file of another length, of another name, and one behind a gap", () => {
    for (const [name, length, reason] of [
      ["00000000000000000200", 99, /99 bytes/],
      ["00000000000000000300", LENGTH, /file before it ends at 200/],
      ["notes.txt", LENGTH, /20 digits/]
    ] as const) {
      const { fileSystem, open } = make()
      fill(open(), 2).close()
      fileSystem.create(`/log/${name}`, length).claim(0, 1).bytes[0] = 1
      assert.throws(() => open().load(), reason)
      try {
        open().load()
      } catch (error) {
        assert.instanceOf(error, ForeignFile)
      }
    }
  })

  it("refuses a first file that begins where none of its length does", () => {
    const { fileSystem, open } = make()
    fileSystem.create("/log/00000000000000000001", LENGTH)
    const queue = open()
    assert.throws(() => queue.load(), ForeignFile, "no file of 100 bytes begins at 1")
  })

  it("removes files behind a gap that were never written: names that were made ahead come back by chance", () => {
    const { fileSystem, open } = make()
    fill(open(), 2).close()
    fileSystem.create("/log/00000000000000000300", LENGTH)
    fileSystem.create("/log/00000000000000000400", LENGTH)
    const queue = open()
    queue.load()
    assert.strictEqual(queue.maxOffset, 200)
    assert.deepStrictEqual(names(fileSystem), [0, 100])
  })

  it("closes what it has opened when a later file is refused", () => {
    const { fileSystem, open } = make()
    fill(open(), 2).close()
    fileSystem.create("/log/00000000000000000200", 99)
    const opened: Array<StoreFile> = []
    const openFile = fileSystem.open.bind(fileSystem)
    fileSystem.open = (path, length) => {
      const file = openFile(path, length)
      opened.push(file)
      return file
    }
    assert.throws(() => open().load(), /99 bytes/)
    assert.lengthOf(opened, 2)
    assert.isTrue(opened.every(({ state }) => state.isClosed))
  })

  it("leaves nothing of a file whose name did not reach the device, and makes it the next time", () => {
    const { fileSystem, open } = make()
    const made: Array<StoreFile> = []
    const create = fileSystem.create.bind(fileSystem)
    fileSystem.create = (path, length) => {
      const file = create(path, length)
      made.push(file)
      return file
    }
    const syncDirectory = fileSystem.syncDirectory.bind(fileSystem)
    fileSystem.syncDirectory = () => {
      throw new FileFailure({ code: "EIO", operation: "sync directory", path: "/log" })
    }
    const queue = open()
    assert.throws(() => queue.fileForAppend(0), /EIO/)
    assert.isTrue(made[0]!.state.isClosed)
    assert.deepStrictEqual(names(fileSystem), [])
    fileSystem.syncDirectory = syncDirectory
    assert.strictEqual(queue.fileForAppend(0).fromOffset, 0)
  })

  it("ends at the position that it is cut at, and removes what lies behind", () => {
    const { fileSystem, open } = make()
    const queue = fill(open(), 4)
    queue.truncate(150)
    assert.strictEqual(queue.maxOffset, 150)
    assert.deepStrictEqual(names(fileSystem), [0, 100])
    assert.strictEqual(queue.fileForAppend(150).fromOffset, 100)
    queue.truncate(0)
    assert.strictEqual(queue.maxOffset, 0)
  })

  it("gives out files to flush in order, by dirty pages, when full, or with any byte", () => {
    const { fileSystem } = make()
    const queue = new MappedFileQueue({
      fileSystem,
      directories: ["/log"],
      fileLength: 5 * 4096,
      use: "log",
      reserveStep: 0,
      readOnly: false
    })
    const first = queue.fileForAppend(0)
    first.wrotePosition = 4096
    assert.isUndefined(queue.fileToFlush(4))
    assert.strictEqual(queue.fileToFlush(0), first)
    first.wrotePosition = 4 * 4096
    assert.strictEqual(queue.fileToFlush(4), first)
    queue.onFlushed(first, 4 * 4096)
    assert.isUndefined(queue.fileToFlush(0))
    first.wrotePosition = first.length
    const second = queue.fileForAppend(first.length)
    second.wrotePosition = 1
    assert.strictEqual(queue.fileToFlush(4), first)
    queue.onFlushed(first, first.length)
    assert.strictEqual(queue.fileToFlush(0), second)
    assert.strictEqual(queue.flushedWhere, first.length)
  })

  it("closes a file that it removes", () => {
    const { open } = make()
    const queue = fill(open(), 2)
    const first = queue.files[0]!
    queue.removeFirst()
    assert.isTrue(first.file.state.isClosed)
    assert.throws(() => first.read(0, 1), /is closed/)
  })
})

describe("AllocateAhead", () => {
  const SECOND_NS = 1_000_000_000

  it("tries a file again after a second when the device refuses it, and lets a defect be one", () => {
    const { fileSystem, open } = make()
    const ahead = new AllocateAhead(fill(open(), 1), undefined, () => {})
    const tried: Array<string> = []
    let error: Error = new FileFailure({ code: "ENOSPC", operation: "create", path: NEXT })
    fileSystem.createAsync = (path) => {
      tried.push(path)
      throw error
    }
    assert.strictEqual(ahead.doWork(0), 0)
    assert.strictEqual(ahead.doWork(1), 0)
    assert.strictEqual(ahead.doWork(SECOND_NS), 0)
    assert.deepStrictEqual(tried, [NEXT])
    error = new TypeError("defect")
    assert.throws(() => ahead.doWork(SECOND_NS + 1), TypeError)
    assert.deepStrictEqual(tried, [NEXT, NEXT])
  })
})
