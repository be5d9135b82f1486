import { assert, describe, it } from "vitest"
import * as FileNaming from "../../src/mapped/FileNaming.ts"
import * as FileRemains from "../../src/mapped/FileRemains.ts"
import { FileFailure } from "../../src/mapped/FileSystem.ts"
import { MemoryFileSystem } from "../../src/mapped/MemoryFileSystem.ts"

const make = () => {
  const pending: Array<() => void> = []
  const fileSystem = new MemoryFileSystem((run) => pending.push(run))
  return { fileSystem, settle: () => pending.splice(0).forEach((run) => run()) }
}

const codeOf = (run: () => unknown): string => {
  try {
    run()
  } catch (thrown) {
    assert.instanceOf(thrown, FileFailure)
    return thrown.code
  }
  return "none"
}

describe("MemoryFileSystem", () => {
  it("refuses what a disk refuses: a second file of a name, a missing one, and one of another length", () => {
    const { fileSystem } = make()
    fileSystem.create("/a", 8)
    const codes = [
      codeOf(() => fileSystem.create("/a", 8)),
      codeOf(() => fileSystem.open("/b", 8)),
      codeOf(() => fileSystem.open("/a", 9)),
      codeOf(() => fileSystem.open("/a", 8))
    ]
    assert.deepStrictEqual(codes, ["EEXIST", "ENOENT", "EINVAL", "none"])
  })

  it("ends what a disk does in the background later", () => {
    const { fileSystem, settle } = make()
    const file = fileSystem.create("/a", 8)
    const ended: Array<string> = []
    file.writeAsync(2, Uint8Array.of(7), () => ended.push("write"))
    file.syncAsync(0, 8, () => ended.push("sync"))
    file.prefetch(0, 8, (failure) => ended.push(`prefetch ${failure}`))
    file.warmUp(0, 8, () => ended.push("warm-up"))
    assert.isEmpty(ended)
    settle()
    assert.deepStrictEqual(ended, ["write", "sync", "prefetch undefined", "warm-up"])
    assert.deepStrictEqual(fileSystem.readBytes("/a"), Uint8Array.of(0, 0, 7, 0, 0, 0, 0, 0))
  })

  it("clears a stretch of an open file alone", () => {
    const { fileSystem } = make()
    const file = fileSystem.create("/a", 4)
    file.write(0, Uint8Array.of(1, 2, 3, 4), 4)
    file.clear(1, 2)
    assert.deepStrictEqual(fileSystem.readBytes("/a"), Uint8Array.of(1, 0, 0, 4))
    file.close()
    assert.throws(() => file.clear(0, 4))
    assert.throws(() => file.write(0, Uint8Array.of(1), 1))
  })

  it("writes small files whole, and has room for all of them", () => {
    const { fileSystem } = make()
    fileSystem.writeBytes("/a", Uint8Array.of(1, 2))
    fileSystem.writeBytes("/a", Uint8Array.of(3))
    assert.deepStrictEqual(fileSystem.readBytes("/a"), Uint8Array.of(3))
    assert.isAbove(fileSystem.space().freeBytes, 2 ** 50)
  })
})

describe("FileNaming", () => {
  it("reads back what it writes, and nothing that no queue is called", () => {
    assert.strictEqual(FileNaming.parse(FileNaming.format(2 ** 53 - 1)), 2 ** 53 - 1)
    assert.strictEqual(FileNaming.parse("00000000000000000001.tmp"), -1)
    assert.strictEqual(FileNaming.parse("1"), -1)
    assert.strictEqual(FileNaming.parse("99999999999999999999"), -1, "beyond what a number holds exactly")
  })
})

describe("FileRemains", () => {
  it("takes files for unwritten that are empty or all zeros, and never one that is longer than the queue's", () => {
    const { fileSystem } = make()
    fileSystem.create("/zeros", 8)
    fileSystem.create("/written", 8).write(7, Uint8Array.of(1), 1)
    const areUnwritten = (path: string, length: number) =>
      FileRemains.areUnwritten(fileSystem, "log", [{ path, length, position: 0 }], 8)
    assert.isTrue(areUnwritten("/empty", 0))
    assert.isTrue(areUnwritten("/zeros", 8))
    assert.isFalse(areUnwritten("/written", 8))
    assert.isFalse(areUnwritten("/longer", 9))
  })
})
