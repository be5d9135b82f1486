/**
 * What a store with ten thousand queues of three messages takes: the time to open it, after a clean end and after a kill
 * (the operation is a queue), its mappings, its pages of disk and what of it is in memory.
 */
import * as MessageStore from "@millrace/store/MessageStore"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { type Case, group } from "#harness/Group"
import { OpenedStore } from "./opened.shared.ts"

const QUEUES = 10_000
const MESSAGES = 3
const BODY_LENGTH = 100
/** Queues whose messages are put in one call. */
const BATCH = 1000
const PAGE = 4096
const BLOCK = 512

const fill = (queues: number) =>
  Effect.gen(function* () {
    const store = yield* MessageStore.MessageStore
    const body = new Uint8Array(BODY_LENGTH)
    for (let round = 0; round < MESSAGES; round++) {
      for (let first = 0; first < queues; first += BATCH) {
        yield* store.putMany(
          Array.from({ length: Math.min(BATCH, queues - first) }, (_, index) => {
            const number = first + index
            return { topic: `topic-${number}`, queueId: 0, body, keys: `key-${round}-${number}` }
          })
        )
      }
    }
    yield* store.flush
    return store.directory
  })

/** Mappings of files below a directory, and how much of them is in memory. Only Linux says so. */
const mappingsOf = (directory: string): Readonly<Record<string, number>> => {
  if (!fs.existsSync("/proc/self/smaps")) {
    return {}
  }
  let mappings = 0
  let resident = 0
  let isBelow = false
  for (const line of fs.readFileSync("/proc/self/smaps", "utf8").split("\n")) {
    if (/^[0-9a-f]+-[0-9a-f]+ /.test(line)) {
      isBelow = line.includes(`${directory}/`)
      mappings += isBelow ? 1 : 0
    } else if (isBelow && line.startsWith("Rss:")) {
      resident += Number(/\d+/.exec(line)![0])
    }
  }
  return { mappings, "resident MiB": resident / 1024 }
}

const pagesOf = (folder: string): number =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .reduce((pages, { name, parentPath }) => pages + fs.statSync(join(parentPath, name)).blocks * (BLOCK / PAGE), 0)

const caseOf = (end: (store: OpenedStore) => Promise<void>): Case => ({
  count: QUEUES,
  smokeCount: 10,
  warmUp: false,
  open: () => {
    const store = new OpenedStore({ mappedFileSizeCommitLog: 256 * 1024 * 1024 })
    let directory = ""
    return {
      run: async (count) => {
        directory ||= await store.run(fill(count))
        await end(store)
        const start = process.hrtime.bigint()
        const { recordsRead } = await store.run(Effect.map(MessageStore.MessageStore, ({ recovery }) => recovery))
        const elapsedNs = Number(process.hrtime.bigint() - start)
        return {
          operations: count,
          elapsedNs,
          figures: {
            "opening ms": elapsedNs / 1e6,
            "records read": recordsRead,
            ...mappingsOf(directory),
            "pages of disk/queue": pagesOf(join(directory, "consumequeue")) / count
          }
        }
      },
      close: () => store.end()
    }
  }
})

export default group("store/manyQueues", {
  cases: { "after-a-clean-end": caseOf((store) => store.close()), "after-a-kill": caseOf((store) => store.crash()) }
})
