/** Logs as files, as a driver has them: made later than asked for, and gone when they are given up meanwhile. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { isFailure, type LogFactory, type PendingLog, type RawLog } from "../../src/driver/LogFactory.ts"
import { IMAGES, PUBLICATIONS } from "../../src/internal/driverDirectory.ts"
import * as MappedLogFactory from "../../src/internal/mappedLogFactory.ts"

const TERM_LENGTH = 65_536

const make = (): { readonly directory: string; readonly logs: LogFactory } => {
  const directory = mkdtempSync(join(tmpdir(), "millrace-logs-"))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  for (const folder of [PUBLICATIONS, IMAGES]) {
    mkdirSync(join(directory, folder))
  }
  return { directory, logs: MappedLogFactory.make(directory, 4096, (error) => assert.fail(String(error))) }
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
})
