import * as Errno from "@millrace/core/kernel/native/Errno"
import * as Mapping from "@millrace/core/kernel/native/Mapping"
import { temporaryDirectory } from "@millrace/testkit/temporaryDirectory"
import * as fs from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { makeNodeFileSystem } from "../../src/internal/nodeFileSystem.ts"
import type { FileSystem } from "../../src/mapped/FileSystem.ts"
import { MappedFile } from "../../src/mapped/MappedFile.ts"
import { WarmUp } from "../../src/mapped/WarmUp.ts"

const LENGTH = 1024 * 1024
const PART = 256 * 1024

/** Bytes of this file's mapping that are resident, and those that are kept from being paged out. */
const memoryOf = (path: string): { readonly resident: number; readonly locked: number } => {
  const lines = fs.readFileSync("/proc/self/smaps", "utf8").split("\n")
  const from = lines.findIndex((line) => line.endsWith(path))
  const valueOf = (name: string) =>
    1024 * Number(/\d+/.exec(lines.slice(from).find((line) => line.startsWith(`${name}:`))!)![0])
  return { resident: valueOf("Rss"), locked: valueOf("Locked") }
}

const warm = async (fileSystem: FileSystem) => {
  const path = join(temporaryDirectory(), "00000000000000000000")
  const file = new MappedFile(fileSystem.create(path, LENGTH, "log"), 0, 0, LENGTH)
  let wake = (): void => undefined
  const warmUp = new WarmUp(PART, () => wake())
  warmUp.add(file)
  while (warmUp.doWork() > 0) {
    if (warmUp.isBusy) {
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  return { file, path, warmUp }
}

describe.runIf(process.platform === "linux")("WarmUp", () => {
  it("has all of a file in memory before it is used, and lets go of it when it is full and on the device", async () => {
    const fileSystem = makeNodeFileSystem({ isPositional: false })
    const { file, path, warmUp } = await warm(fileSystem)
    assert.strictEqual(memoryOf(path).resident, LENGTH)
    assert.strictEqual(memoryOf(path).locked, fileSystem.refusals.locks === 0 ? LENGTH : 0)
    file.wrotePosition = LENGTH
    assert.strictEqual(warmUp.doWork(), 0)
    file.flushedPosition = LENGTH
    assert.strictEqual(warmUp.doWork(), 1)
    assert.strictEqual(memoryOf(path).locked, 0)
    file.close()
  })

  it("counts a file whose memory cannot be kept, and warms it all the same", async () => {
    const map: typeof Mapping.open = (path, options) => {
      const region = Mapping.open(path, options)
      region.lock = () => {
        throw Errno.fromNumber(12, "mlock", path)
      }
      return region
    }
    const fileSystem = makeNodeFileSystem({ isPositional: false, map })
    const { file, path } = await warm(fileSystem)
    assert.strictEqual(memoryOf(path).resident, LENGTH)
    assert.strictEqual(fileSystem.refusals.locks, 1)
    assert.match(fileSystem.refusals.last!.message, /ENOMEM.*mlock/)
    file.close()
  })

  it("has nothing to warm in a file that is not mapped, or is closed meanwhile", async () => {
    const { file, warmUp } = await warm(makeNodeFileSystem({ isPositional: true }))
    file.close()
    assert.strictEqual(warmUp.doWork(), 1)
    warmUp.add(file)
    assert.strictEqual(warmUp.doWork(), 1)
  })
})
