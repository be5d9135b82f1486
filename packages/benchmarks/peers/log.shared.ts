/** Messages read at places of a log that are far apart. A smoke run has a short log. */
import * as MessageStore from "@millrace/store/MessageStore"
import * as Effect from "effect/Effect"
import { statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import type { Bench } from "#harness/Group"
import { OpenedStore } from "../store/opened.shared.ts"

export const BODY_LENGTH = 4096

const MEGABYTE = 1_000_000
const BATCH = 64
/** As many as a read of one queue gives at once. */
const READ_COUNT = 32
/** Coprime to the number of messages, so that every place has its turn. */
const STEP = 104_729
const TOPIC = "bench"
/** A run of fewer reads than this only shows that it works. */
const SMOKE_COUNT_MAX = 100

const fill = (count: number) =>
  Effect.gen(function* () {
    const store = yield* MessageStore.MessageStore
    const body = new Uint8Array(BODY_LENGTH).fill(65)
    for (let stored = 0; stored < count; stored += BATCH) {
      yield* store.putMany(Array.from({ length: BATCH }, () => ({ topic: TOPIC, queueId: 0, body })))
    }
  })

const read = (count: number, stored: number) =>
  Effect.gen(function* () {
    const store = yield* MessageStore.MessageStore
    let done = 0
    for (let place = 0; done < count; place += STEP) {
      const { messages } = yield* store.get({
        topic: TOPIC,
        queueId: 0,
        offset: place % (stored - READ_COUNT),
        maxCount: READ_COUNT
      })
      done += messages.length
    }
    return done
  })

const LOG_FILE_LENGTH = 1024 * 1024 * 1024
/** Records, queue and index beside the bodies, and the files of the log that are made ahead. */
const roomFor = (megabytes: number): number => 1.1 * megabytes * MEGABYTE + 3 * LOG_FILE_LENGTH

/** A disk that fills up would end more than this benchmark. */
const assertRoom = (megabytes: number): void => {
  const { bavail, bsize } = statfsSync(tmpdir())
  if (bavail * bsize < roomFor(megabytes)) {
    throw new Error(
      `a log of ${megabytes} MB needs ${Math.ceil(roomFor(megabytes) / MEGABYTE)} MB in ${tmpdir()}, there are ${Math.floor((bavail * bsize) / MEGABYTE)}: set TMPDIR to a directory on a larger disk`
    )
  }
}

export const open = (megabytes: number): Bench => {
  const store = new OpenedStore({ mappedFileSizeCommitLog: LOG_FILE_LENGTH })
  let stored = 0
  return {
    run: async (count) => {
      if (stored === 0) {
        const isSmoke = count < SMOKE_COUNT_MAX
        if (!isSmoke) {
          assertRoom(megabytes)
        }
        const wanted = isSmoke ? 1024 : Math.ceil((megabytes * MEGABYTE) / BODY_LENGTH)
        stored = Math.ceil(wanted / BATCH) * BATCH
        await store.run(fill(stored))
        await store.close()
      }
      await store.run(Effect.void)
      const start = process.hrtime.bigint()
      const operations = await store.run(read(count, stored))
      return { operations, elapsedNs: Number(process.hrtime.bigint() - start) }
    },
    close: () => store.end()
  }
}
