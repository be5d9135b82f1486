/** What whoever looks for a driver finds while that makes its file, and of files that are none. */
import * as fs from "node:fs"
import { join } from "node:path"
import * as Mapping from "@millrace/core/kernel/native/Mapping"
import { assert, describe, it, vi } from "vitest"
import { temporaryDirectory } from "@millrace/testkit/temporaryDirectory"
import * as CncDescriptor from "../../src/command/CncDescriptor.ts"
import * as CncFile from "../../src/internal/cncFile.ts"

vi.mock("@millrace/core/kernel/native/Mapping", async (importActual) => {
  const actual = await importActual<typeof Mapping>()
  return { ...actual, open: vi.fn<typeof Mapping.open>(actual.open) }
})

const LENGTHS: CncDescriptor.CncLengths = {
  toDriver: 64 * 1024 + 768,
  toClients: 64 * 1024 + 128,
  countersMetadata: 512 * 1024,
  countersValues: 128 * 1024,
  errorLog: 64 * 1024
}

const found = (directory: string): string => {
  const file = CncFile.open(directory)
  if (CncFile.isAbsence(file)) {
    return file._tag
  }
  file.region.close()
  return "Found"
}

const header = {
  ...LENGTHS,
  clientLivenessTimeoutNs: 1e9,
  startTimestampMs: 1,
  pid: 1,
  filePageSize: 4096
}

describe("a CnC file", () => {
  it("is not ready at any moment before its driver says so", () => {
    const directory = temporaryDirectory()
    assert.strictEqual(found(directory), "Missing")
    for (const length of [0, 1, CncDescriptor.HEADER_LENGTH, 100_000]) {
      fs.writeFileSync(CncFile.pathOf(directory), new Uint8Array(length))
      assert.strictEqual(found(directory), "NotReady", `${length} bytes`)
    }
    fs.rmSync(CncFile.pathOf(directory))
    const region = CncFile.create(directory, LENGTHS, 4096, true)
    assert.strictEqual(found(directory), "NotReady")
    const buffers = CncDescriptor.buffers(region.buffer(), LENGTHS)
    CncDescriptor.encode(buffers.header, header)
    assert.strictEqual(found(directory), "NotReady")
    CncDescriptor.signalReadyRelease(buffers.header)
    assert.strictEqual(found(directory), "Found")
    region.close()
  })

  it("is refused when it is shorter than its header says, or of another version, and is not mapped beyond its end", () => {
    const directory = temporaryDirectory()
    const region = CncFile.create(directory, LENGTHS, 4096, true)
    const buffers = CncDescriptor.buffers(region.buffer(), LENGTHS)
    CncDescriptor.encode(buffers.header, { ...header, countersValues: 1 << 30 })
    CncDescriptor.signalReadyRelease(buffers.header)
    assert.strictEqual(found(directory), "Truncated")
    CncDescriptor.encode(buffers.header, header)
    const whole = fs.statSync(join(directory, CncDescriptor.FILE_NAME)).size
    for (const length of [CncDescriptor.HEADER_LENGTH + 1, 4096, whole - 4096]) {
      fs.truncateSync(CncFile.pathOf(directory), length)
      assert.strictEqual(found(directory), "Truncated", `${length} bytes`)
    }
    region.close()
  })

  it("is missing, or not ready, when another driver takes its place while it is looked for", async () => {
    const { open } = await vi.importActual<typeof Mapping>("@millrace/core/kernel/native/Mapping")
    const directory = temporaryDirectory()
    const path = CncFile.pathOf(directory)
    for (const [change, expected] of [
      [() => fs.rmSync(path), "Missing"],
      [() => fs.truncateSync(path, 0), "NotReady"],
      [() => fs.truncateSync(path, CncDescriptor.HEADER_LENGTH), "NotReady"]
    ] as const) {
      fs.writeFileSync(path, new Uint8Array(100_000))
      vi.mocked(Mapping.open).mockImplementationOnce((...parameters) => {
        change()
        return open(...parameters)
      })
      assert.strictEqual(found(directory), expected)
    }
  })
})
