import * as fs from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { clock } from "@millrace/core/AgentRunner"
import { NativeError } from "@millrace/core/kernel/native/Errno"
import { mountSmallFileSystem, noMountReason } from "@millrace/testkit/smallFileSystem"
import { temporaryDirectory } from "@millrace/testkit/temporaryDirectory"
import * as Effect from "effect/Effect"
import * as CncFile from "../../src/internal/cncFile.ts"
import * as DriverAgent from "../../src/internal/driverAgent.ts"
import { cncLengths, startOptions } from "../../src/internal/driverSettings.ts"
import * as MediaDriverConfig from "../../src/MediaDriverConfig.ts"

const settings = Effect.runSync(
  MediaDriverConfig.conclude({ countersValuesBufferLength: 1024 * 1024, errorBufferLength: 64 * 1024 })
)

/** Files below a directory that this process has mapped; /proc tells on Linux alone. */
const mapped = (directory: string): ReadonlyArray<string> =>
  fs
    .readFileSync("/proc/self/maps", "utf8")
    .split("\n")
    .filter((line) => line.includes(directory))

describe.runIf(process.platform === "linux")("driverAgent", () => {
  it("leaves nothing mapped when it cannot start", () => {
    const directory = join(temporaryDirectory(), "driver")
    const start = {
      directory,
      // Not even the driver's own counters have room.
      cncLengths: { ...cncLengths(settings), countersMetadata: 4096, countersValues: 1024 },
      reserveWholeCnc: false,
      ...startOptions(settings),
      deleteDirectoryOnShutdown: false,
      media: "none"
    } as const
    assert.throws(() => DriverAgent.make(start, clock), /system counters/)
    assert.deepStrictEqual(mapped(directory), [])
    assert.isFalse(fs.existsSync(directory))
  })

  it.skipIf(noMountReason !== undefined)("leaves no CnC file mapped whose blocks cannot be had", () => {
    const directory = mountSmallFileSystem(1024 * 1024)
    let thrown: unknown
    try {
      CncFile.create(directory, cncLengths(settings), settings.filePageSize, false)
    } catch (error) {
      thrown = error
    }
    assert.instanceOf(thrown, NativeError)
    assert.strictEqual(thrown.code, "ENOSPC")
    assert.deepStrictEqual(mapped(directory), [])
    assert.deepStrictEqual(fs.readdirSync(directory), [])
  })
})
