import * as fs from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { NativeError } from "../../src/native/Errno.ts"
import * as Files from "../../src/native/Files.ts"
import * as FileSpace from "../../src/native/FileSpace.ts"
import * as ZeroFill from "../../src/native/ZeroFill.ts"
import { mountSmallFileSystem, noMountReason } from "@millrace/testkit/smallFileSystem"
import { temporaryDirectory } from "@millrace/testkit/temporaryDirectory"

const MEBIBYTE = 1024 * 1024

const withFile = (directory: string): { readonly fd: number; readonly path: string } => {
  const path = join(directory, "file")
  return { fd: Files.createExclusive(path), path }
}

describe("FileSpace", () => {
  it("says how much room there is", () => {
    const { freeBytes, totalBytes } = FileSpace.available(temporaryDirectory())
    assert(freeBytes > 0)
    assert(totalBytes >= freeBytes)
  })

  it("names the path that it cannot look at", () => {
    assert.throws(() => FileSpace.available("/no/such/place"), NativeError, /statvfs of \/no\/such\/place.*ENOENT/)
  })

  it("takes blocks, makes the file longer and keeps what is there", () => {
    const { fd, path } = withFile(temporaryDirectory())
    fs.writeSync(fd, "kept")
    FileSpace.reserve(fd, 0, MEBIBYTE, path)
    const { size, blocks } = fs.fstatSync(fd)
    assert.strictEqual(size, MEBIBYTE)
    assert(blocks * 512 >= MEBIBYTE)
    assert.strictEqual(fs.readFileSync(path, "latin1").slice(0, 5), "kept\0")
    Files.close(fd)
  })

  it("takes blocks in the thread pool", async () => {
    const { fd, path } = withFile(temporaryDirectory())
    const error = await new Promise((resolve) => FileSpace.reserveAsync(fd, 0, MEBIBYTE, path, resolve))
    assert.isUndefined(error)
    assert(fs.fstatSync(fd).blocks * 512 >= MEBIBYTE)
    Files.close(fd)
  })

  it("gives blocks back and keeps the length", () => {
    const { fd, path } = withFile(temporaryDirectory())
    fs.writeSync(fd, new Uint8Array(MEBIBYTE).fill(7))
    assert.isTrue(FileSpace.punchHole(fd, 0, MEBIBYTE / 2, path))
    const { size, blocks } = fs.fstatSync(fd)
    assert.strictEqual(size, MEBIBYTE)
    assert(blocks * 512 <= MEBIBYTE / 2 + 64 * 1024)
    const contents = fs.readFileSync(path)
    assert.strictEqual(contents[MEBIBYTE / 2 - 1], 0)
    assert.strictEqual(contents[MEBIBYTE / 2], 7)
    Files.close(fd)
  })

  it("takes blocks by writing where the system cannot, and keeps what is there", async () => {
    const { fd } = withFile(temporaryDirectory())
    fs.writeSync(fd, "kept")
    ZeroFill.fill(fd, 0, 2 * MEBIBYTE + 5)
    assert.strictEqual(fs.fstatSync(fd).size, 2 * MEBIBYTE + 5)
    const error = await new Promise((resolve) => ZeroFill.fillAsync(fd, 0, 4 * MEBIBYTE, resolve))
    assert.isUndefined(error)
    assert.strictEqual(fs.fstatSync(fd).size, 4 * MEBIBYTE)
    assert(fs.fstatSync(fd).blocks * 512 >= 4 * MEBIBYTE)
    const start = new Uint8Array(5)
    fs.readSync(fd, start, 0, 5, 0)
    assert.strictEqual(new TextDecoder().decode(start), "kept\0")
    Files.close(fd)
  })

  it.runIf(noMountReason === undefined)("says how much a full file system lacks, at once and later", async () => {
    const directory = mountSmallFileSystem(MEBIBYTE)
    const { fd, path } = withFile(directory)
    const check = (error: unknown): void => {
      assert(error instanceof NativeError)
      assert.strictEqual(error.code, "ENOSPC")
      assert(error.space !== undefined)
      assert.strictEqual(error.space.requiredBytes, 2 * MEBIBYTE)
      assert(error.space.availableBytes <= MEBIBYTE)
    }
    try {
      FileSpace.reserve(fd, 0, 2 * MEBIBYTE, path)
      assert.fail("2 MiB were reserved in 1 MiB")
    } catch (error) {
      check(error)
    }
    check(await new Promise((resolve) => FileSpace.reserveAsync(fd, 0, 2 * MEBIBYTE, path, resolve)))
    assert.throws(() => ZeroFill.fill(fd, 0, 2 * MEBIBYTE), /ENOSPC/)
    Files.close(fd)
  })
})
