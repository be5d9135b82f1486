import * as MessageStore from "@millrace/store/MessageStore"
import type * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { group } from "#harness/Group"
import type { Bench } from "#harness/Group"
import * as load from "./load.shared.ts"

const LENGTH = 124
const LOG_FILE_LENGTH = 64 * 1024 * 1024
/** Messages that the cases which read find. */
const STORED = 200_000
/** The log is begun anew beyond this: a benchmark should not fill the disk. */
const STORED_MAX = 4_000_000

const put = (first: number, count: number, batch: number) =>
  load.put({ length: LENGTH, first, count, batch, isDispatched: true })

/** A store in a directory of its own, removed at the end. */
const open = async (
  run: (count: number, stored: number) => Effect.Effect<void, unknown, MessageStore.MessageStore>,
  options: { readonly stored?: number; readonly flushDiskType?: "SYNC_FLUSH" }
): Promise<Bench> => {
  const directory = fs.mkdtempSync(join(tmpdir(), "millrace-bench-"))
  const { flushDiskType } = options
  const make = () =>
    ManagedRuntime.make(MessageStore.layer({ directory, mappedFileSizeCommitLog: LOG_FILE_LENGTH, flushDiskType }))
  let runtime = make()
  let stored = options.stored ?? 0
  await runtime.runPromise(put(0, stored, 100))
  return {
    run: async (count) => {
      if (stored > STORED_MAX) {
        await runtime.dispose()
        fs.rmSync(directory, { recursive: true })
        runtime = make()
        stored = 0
      }
      await runtime.runPromise(run(count, stored))
      stored += options.stored === undefined ? count : 0
    },
    close: async () => {
      await runtime.dispose()
      fs.rmSync(directory, { recursive: true, force: true })
    }
  }
}

export default group("store/messages", {
  baseline: "put",
  cases: {
    put: {
      bytes: LENGTH,
      count: 102_400,
      open: () => open((count, stored) => put(stored, count, 1), {}),
      goal: "200 thousand/s or more"
    },
    "put-many": {
      bytes: LENGTH,
      count: 204_800,
      open: () => open((count, stored) => put(stored, count, 64), {}),
      goal: "600 thousand/s or more"
    },
    "put-sync": {
      bytes: LENGTH,
      count: 512,
      open: () => open((count, stored) => put(stored, count, 1), { flushDiskType: "SYNC_FLUSH" })
    },
    read: { bytes: LENGTH, count: STORED, open: () => open(load.read, { stored: STORED }) },
    query: { count: 40_000, open: () => open((count) => load.query(count, STORED), { stored: STORED }) }
  }
})
