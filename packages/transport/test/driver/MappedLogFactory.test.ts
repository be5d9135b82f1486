/** Logs as files, as a driver has them: made later than asked for, and gone when they are given up meanwhile. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as FileSpace from "@millrace/core/kernel/native/FileSpace"
import { assert, describe, it, onTestFinished, vi } from "vitest"
import { isFailure, type LogFactory, type PendingLog, type RawLog } from "../../src/driver/LogFactory.ts"
import { IMAGES, PUBLICATIONS } from "../../src/internal/driverDirectory.ts"
import type { StorageChecks } from "../../src/internal/driverStart.ts"
import * as MappedLogFactory from "../../src/internal/mappedLogFactory.ts"

vi.mock("@millrace/core/kernel/native/FileSpace", async (importActual) => {
  const actual = await importActual<typeof FileSpace>()
  return { ...actual, available: vi.fn<typeof FileSpace.available>(actual.available) }
})

const TERM_LENGTH = 65_536

interface World {
  readonly directory: string
  readonly logs: LogFactory
  readonly errors: ReadonlyArray<string>
}

const make = (storage: Partial<StorageChecks> = {}): World => {
  const directory = mkdtempSync(join(tmpdir(), "millrace-logs-"))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  for (const folder of [PUBLICATIONS, IMAGES]) {
    mkdirSync(join(directory, folder))
  }
  const errors: Array<string> = []
  const checks = { isChecking: true, warningThreshold: 0, ...storage }
  const logs = MappedLogFactory.make(directory, 4096, checks, (error) => errors.push(String(error)))
  return { directory, logs, errors }
}

const begin = (logs: LogFactory, registrationId: bigint, isSparse: boolean): PendingLog =>
  logs.create({ kind: "image", registrationId, termLength: TERM_LENGTH, isSparse })

/** Turns of the event loop until the log is there. */
const arrival = async (pending: PendingLog): Promise<RawLog> => {
  for (;;) {
    const log = pending.poll()
    if (log !== undefined) {
      assert(!isFailure(log))
      return log
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const isMapped = (path: string): boolean =>
  process.platform === "linux" && readFileSync("/proc/self/maps", "utf8").includes(path)

describe("mapped logs", () => {
  it.each([true, false])(
    "are mapped when they are there, and free both memory and file, sparse: %s",
    async (isSparse) => {
      const { directory, logs } = make()
      const log = await arrival(begin(logs, 1n, isSparse))
      assert.isTrue(isMapped(log.fileName) || process.platform !== "linux")
      assert.isTrue(log.free())
      assert.isFalse(isMapped(log.fileName))
      assert.deepStrictEqual(readdirSync(join(directory, IMAGES)), [])
    }
  )

  it("leave nothing when they are given up before they are there", async () => {
    const { directory, logs } = make()
    const abandoned = begin(logs, 1n, true)
    abandoned.abandon()
    assert.deepStrictEqual(readdirSync(join(directory, IMAGES)), [])
    // Asked for later, so there later.
    const log = await arrival(begin(logs, 2n, true))
    assert.isFalse(isMapped(join(directory, IMAGES, "1.logbuffer")))
    assert.isTrue(log.free())
  })

  it("leave nothing when they are given up after they are there", async () => {
    const { directory, logs } = make()
    const pending = begin(logs, 1n, false)
    const log = await arrival(pending)
    pending.abandon()
    assert.isFalse(isMapped(log.fileName))
    assert.deepStrictEqual(readdirSync(join(directory, IMAGES)), [])
  })

  it("note once, and count, that the directory runs short, and are made all the same", async () => {
    const { errors, logs } = make({ warningThreshold: Number.MAX_SAFE_INTEGER })
    for (const id of [1n, 2n]) {
      assert.isTrue((await arrival(begin(logs, id, true))).free())
    }
    const [first = ""] = errors
    assert.match(first, /WARNING: space is running low: at most 9007199254740991 bytes are left in /)
    assert.deepStrictEqual(errors, [first, first], "one text is one entry of the error log")
  })

  it("are not looked for room when that is switched off", async () => {
    const { errors, logs } = make({ isChecking: false, warningThreshold: Number.MAX_SAFE_INTEGER })
    assert.isTrue((await arrival(begin(logs, 1n, true))).free())
    assert.deepStrictEqual(errors, [])
  })

  it("are made where the file system does not say how much room it has", async () => {
    vi.mocked(FileSpace.available).mockReturnValueOnce({ freeBytes: 0, totalBytes: 0 })
    const { errors, logs } = make({ warningThreshold: 1 })
    assert.isTrue((await arrival(begin(logs, 1n, true))).free())
    assert.deepStrictEqual(errors, [])
  })

  it("are refused, naming both lengths, before anything is made of one that has no room", () => {
    const { directory, logs } = make()
    const pending = logs.create({ kind: "image", registrationId: 1n, termLength: 2 ** 50, isSparse: true })
    const failure = pending.poll()
    assert(failure !== undefined && isFailure(failure))
    assert.isTrue(failure.isStorageSpace)
    assert.match(failure.message, /3377699720531968|3377699720532/)
    assert.deepStrictEqual(readdirSync(join(directory, IMAGES)), [])
  })
})
