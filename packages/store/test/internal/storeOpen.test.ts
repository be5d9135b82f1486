import { clock } from "@millrace/core/AgentRunner"
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { assert } from "vitest"
import { StoreRuntime } from "../../src/internal/storeRuntime.ts"
import { FileFailure, type StoreFile } from "../../src/mapped/FileSystem.ts"
import { SimulatedDisk } from "../../src/mapped/SimulatedDisk.ts"
import { options, randomOf } from "../fixtures/SimulatedStore.ts"

describe("openEngine", () => {
  it.effect("fails and closes its files when it cannot be told how the last process ended", () =>
    Effect.gen(function* () {
      const disk = new SimulatedDisk({ random: randomOf(1), later: queueMicrotask, capacityBytes: 1 << 24 })
      const files: Array<StoreFile> = []
      const create = disk.create.bind(disk)
      disk.create = (path, length, use) => {
        const file = create(path, length, use)
        files.push(file)
        return file
      }
      const readBytes = disk.readBytes.bind(disk)
      disk.readBytes = (path) => {
        if (path === "/store/abort") {
          throw new FileFailure({ code: "EIO", operation: "read", path })
        }
        return readBytes(path)
      }
      const error = yield* Effect.flip(StoreRuntime.open(disk, options, clock, ""))
      assert.strictEqual(error.reason._tag, "FileFailed")
      assert.isAbove(files.length, 0)
      assert.isTrue(files.every(({ state }) => state.isClosed))
    })
  )
})
