import { assert, describe, it } from "vitest"
import * as FileLength from "../../src/mapped/FileLength.ts"

const at = (...files: ReadonlyArray<readonly [position: number, length: number]>) =>
  FileLength.of(files.map(([position, length]) => ({ position, length })))

describe("FileLength", () => {
  it("is that of most files, wherever the others stand in the list", () => {
    assert.strictEqual(at([0, 100], [100, 60], [200, 100]), 100)
    assert.strictEqual(at([0, 60], [100, 100], [200, 100]), 100)
    assert.strictEqual(at([0, 100], [100, 0]), 100)
  })

  it("is none whose multiples the other files do not stand at", () => {
    assert.strictEqual(at([0, 60], [100, 100]), 100)
    assert.strictEqual(at([0, 200], [100, 100]), 100)
    assert.strictEqual(at([0, 100], [17, 17], [100, 100]), 100)
  })

  it("is the longer one where nothing else tells: files are cut short", () => {
    assert.strictEqual(at([0, 50], [100, 100]), 100)
  })

  it("is that of the only file, and nothing where no file has one", () => {
    assert.strictEqual(at([500, 100]), 100)
    assert.isUndefined(at())
    assert.isUndefined(at([0, 0], [100, 0]))
  })
})
