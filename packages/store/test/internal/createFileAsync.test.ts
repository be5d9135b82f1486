import { namesIn, temporaryDirectory } from "@millrace/testkit/temporaryDirectory"
import { mountSmallFileSystem, noMountReason } from "@millrace/testkit/smallFileSystem"
import * as fs from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { makeNodeFileSystem } from "../../src/internal/nodeFileSystem.ts"
import { FileFailure, type StoreFile } from "../../src/mapped/FileSystem.ts"

const LENGTH = 1024 * 1024
const { createAsync } = ((fileSystem) => ({ createAsync: fileSystem.createAsync.bind(fileSystem) }))(
  makeNodeFileSystem({ isPositional: false })
)

const ended = (path: string) =>
  new Promise<{ readonly failure: FileFailure | undefined; readonly file: StoreFile | undefined }>((resolve) => {
    createAsync(path, LENGTH, "log", (failure, file) => resolve({ failure, file }))
  })

describe("createFileAsync", () => {
  it("makes a file with all its blocks", async () => {
    const path = join(temporaryDirectory(), "file")
    const { failure, file } = await ended(path)
    assert.isUndefined(failure)
    assert.isAtLeast(fs.statSync(path).blocks * 512, LENGTH)
    file!.close()
  })

  it("gives the file to who finishes it, once", async () => {
    const directory = temporaryDirectory()
    for (let round = 0; round < 20; round++) {
      const path = join(directory, String(round))
      const pending = createAsync(path, LENGTH, "log", () => assert.fail("told of a file that was taken"))
      const file = pending.finish()
      file.write(LENGTH - 1, Uint8Array.of(7), 1)
      assert.isAtLeast(fs.statSync(path).blocks * 512, LENGTH)
      file.close()
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
    assert.lengthOf(namesIn(directory), 20)
  })

  it("throws at once for a file that is there", () => {
    const path = join(temporaryDirectory(), "file")
    fs.writeFileSync(path, "")
    assert.throws(() => createAsync(path, LENGTH, "log", () => assert.fail()), FileFailure)
    assert.isTrue(fs.existsSync(path))
  })

  it.skipIf(noMountReason !== undefined)(
    "leaves nothing where there is no room, and says how much is missing",
    async () => {
      const directory = mountSmallFileSystem(LENGTH / 2)
      const { failure } = await ended(join(directory, "file"))
      assert.isTrue(failure!.isOutOfSpace)
      assert.strictEqual(failure!.requiredBytes, LENGTH)
      assert.isAtMost(failure!.availableBytes!, LENGTH / 2)
      const pending = createAsync(join(directory, "file"), LENGTH, "log", () => assert.fail())
      assert.throws(() => pending.finish(), FileFailure)
      await new Promise((resolve) => setTimeout(resolve, 20))
      assert.deepStrictEqual(namesIn(directory), [])
    }
  )
})
