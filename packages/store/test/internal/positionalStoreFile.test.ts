import { randomOf } from "../fixtures/SimulatedStore.ts"
import { temporaryDirectory } from "@millrace/testkit/temporaryDirectory"
import * as fs from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { DescriptorCache } from "../../src/internal/descriptorCache.ts"
import { makeNodeFileSystem } from "../../src/internal/nodeFileSystem.ts"
import { type FileUse, FileFailure, type FileWindow, type StoreFile } from "../../src/mapped/FileSystem.ts"

const positional = makeNodeFileSystem({ isPositional: true })
const mapped = makeNodeFileSystem({ isPositional: false })

const LENGTH = 300_000

const shown = ({ base, bytes }: FileWindow, offset: number, length: number): Uint8Array =>
  bytes.slice(offset - base, offset - base + length)

/** One random change of a file, made to `model` as well. */
const change = (file: StoreFile, model: Uint8Array, random: () => number): void => {
  const offset = Math.floor(random() * LENGTH)
  const length = Math.min(LENGTH - offset, 1 + Math.floor(random() * (random() < 0.1 ? 100_000 : 200)))
  const bytes = Uint8Array.from({ length }, () => Math.floor(random() * 256))
  const kind = random()
  if (kind < 0.45) {
    file.write(offset, bytes, length)
  } else if (kind < 0.9) {
    const { base, bytes: target } = file.claim(offset, length)
    target.set(bytes, offset - base)
    file.publish(offset, length)
  } else {
    file.clear(offset, length)
    bytes.fill(0)
  }
  model.set(bytes, offset)
}

describe("PositionalStoreFile", () => {
  for (const use of ["log", "queue"] as const satisfies ReadonlyArray<FileUse>) {
    it(`shows what was written, to itself, to a mapping and to a reader beside it (${use})`, () => {
      const random = randomOf(use === "log" ? 1 : 2)
      const path = join(temporaryDirectory(), "file")
      const model = new Uint8Array(LENGTH)
      const file = positional.create(path, LENGTH, use)
      const views = [file, mapped.open(path, LENGTH, use, true), positional.open(path, LENGTH, use, true)]
      file.reserve(0, LENGTH)
      for (let round = 0; round < 500; round++) {
        change(file, model, random)
        const offset = Math.floor(random() * LENGTH)
        const length = Math.min(LENGTH - offset, 1 + Math.floor(random() * 3000))
        for (const view of views) {
          assert.deepStrictEqual(shown(view.read(offset, length), offset, length), model.slice(offset, offset + length))
        }
      }
      file.sync(0, LENGTH)
      for (const view of views) {
        view.close()
      }
      assert.throws(() => file.read(0, 1), /is closed/)
      assert.deepStrictEqual(new Uint8Array(fs.readFileSync(path)), model)
    })
  }

  it("refuses a file that is shorter than it should be, and says so when it becomes that", () => {
    const path = join(temporaryDirectory(), "file")
    fs.writeFileSync(path, new Uint8Array(100))
    assert.throws(() => positional.open(path, 101, "log", false), /100 bytes instead of 101/)
    const file = positional.open(path, 100, "queue", true)
    fs.truncateSync(path, 50)
    assert.throws(() => file.read(40, 20), FileFailure)
    assert.deepStrictEqual(shown(file.read(30, 20), 30, 20), new Uint8Array(20))
    file.close()
  })

  it("ends a sync that runs while it is closed", async () => {
    for (const use of ["log", "queue"] as const) {
      const path = join(temporaryDirectory(), "file")
      const file = positional.create(path, 4096, use)
      const synced = new Promise((resolve) => file.syncAsync(0, 4096, resolve))
      file.close()
      assert.isUndefined(await synced)
    }
  })
})

describe("DescriptorCache", () => {
  it("keeps the descriptors that were used last, and no more than it may", () => {
    const directory = temporaryDirectory()
    const paths = ["a", "b", "c", "d"].map((name) => join(directory, name))
    paths.forEach((path) => fs.writeFileSync(path, path))
    const cache = new DescriptorCache(2)
    const [a, b, c, d] = paths as [string, string, string, string]
    const first = cache.descriptorOf(a, true)
    cache.descriptorOf(b, true)
    assert.strictEqual(cache.descriptorOf(a, true), first)
    cache.descriptorOf(c, true)
    assert.strictEqual(cache.descriptorOf(a, true), first)
    assert.strictEqual(fs.readFileSync(cache.descriptorOf(d, true), "utf8"), d)
    assert.strictEqual(cache.count, 2)
    paths.forEach((path) => cache.close(path))
    assert.strictEqual(cache.count, 0)
    assert.throws(() => fs.fstatSync(first), /EBADF/)
  })
})
