import * as fs from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { NativeError } from "../../src/native/Errno.ts"
import * as Files from "../../src/native/Files.ts"
import { makeReadOnly, mountSmallFileSystem, noMountReason } from "@millrace/testkit/smallFileSystem"
import { temporaryDirectory } from "@millrace/testkit/temporaryDirectory"

describe("Files", () => {
  it("makes files and directories for their user alone", () => {
    const directory = join(temporaryDirectory(), "a", "b")
    Files.makeDirectory(directory)
    assert.strictEqual(fs.statSync(directory).mode & 0o777, 0o700)
    const fd = Files.createExclusive(join(directory, "file"))
    assert.strictEqual(fs.fstatSync(fd).mode & 0o777, 0o600)
    Files.close(fd)
  })

  it("leaves a directory that exists as it is", () => {
    const directory = temporaryDirectory()
    fs.chmodSync(directory, 0o755)
    Files.makeDirectory(directory)
    assert.strictEqual(fs.statSync(directory).mode & 0o777, 0o755)
  })

  it.skipIf(noMountReason !== undefined)("says of a read-only file system that it is one", () => {
    const directory = mountSmallFileSystem(64 * 1024)
    Files.makeDirectory(join(directory, "there"))
    makeReadOnly(directory)
    Files.makeDirectory(join(directory, "there"))
    for (const path of [join(directory, "a"), join(directory, "there", "b", "c")]) {
      assert.throws(() => Files.makeDirectory(path), NativeError, /failed with EROFS/)
    }
  })

  it("refuses to make a file whose name is taken", () => {
    const path = join(temporaryDirectory(), "file")
    Files.close(Files.createExclusive(path))
    assert.throws(() => Files.createExclusive(path), NativeError, /open of .*file failed with EEXIST/)
  })

  it("opens or makes a file and keeps its contents", () => {
    const path = join(temporaryDirectory(), "file")
    Files.close(Files.openOrCreate(path))
    fs.writeFileSync(path, "kept")
    Files.close(Files.openOrCreate(path))
    assert.strictEqual(fs.readFileSync(path, "utf8"), "kept")
  })

  it("sets the length without taking blocks", () => {
    const path = join(temporaryDirectory(), "file")
    const fd = Files.createExclusive(path)
    Files.truncate(fd, 1024 * 1024, path)
    assert.strictEqual(Files.lengthOf(fd, path), 1024 * 1024)
    assert.strictEqual(fs.fstatSync(fd).blocks, 0)
    Files.close(fd)
  })

  it("brings data and directories to the device", async () => {
    const directory = temporaryDirectory()
    const path = join(directory, "file")
    const fd = Files.createExclusive(path)
    Files.syncData(fd, path)
    Files.syncDirectory(directory)
    const error = await new Promise((resolve) => Files.syncDataAsync(fd, path, resolve))
    assert.isUndefined(error)
    Files.close(fd)
  })

  it("reports a sync of a closed descriptor, at once and later", async () => {
    const path = join(temporaryDirectory(), "file")
    const fd = Files.createExclusive(path)
    Files.close(fd)
    assert.throws(() => Files.syncData(fd, path), NativeError, /EBADF/)
    const error = await new Promise((resolve) => Files.syncDataAsync(fd, path, resolve))
    assert(error instanceof NativeError)
    assert.strictEqual(error.code, "EBADF")
  })

  it("removes a file, and is content when there is none", () => {
    const path = join(temporaryDirectory(), "file")
    Files.close(Files.createExclusive(path))
    Files.remove(path)
    Files.remove(path)
    assert.isFalse(fs.existsSync(path))
  })
})
