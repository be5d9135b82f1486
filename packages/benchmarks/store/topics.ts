/** What a message costs when each goes to another topic than the one before: ten thousand of them against one. */
import * as MessageStore from "@millrace/store/MessageStore"
import * as Effect from "effect/Effect"
import { group, type Bench } from "#harness/Group"
import * as load from "./load.shared.ts"
import { OpenedStore } from "./opened.shared.ts"

const LENGTH = 124
const LOG_FILE_LENGTH = 256 * 1024 * 1024
const TOPICS = 10_000
const BATCH = 100
/** A run puts this many messages into each topic, or more. */
const ROUNDS = 10
/** The store is begun anew beyond this: a benchmark should not fill the disk. */
const STORED_MAX = 2_000_000

const names = Array.from({ length: TOPICS }, (_, index) => `topic-${index}`)

const puts = (first: number, count: number, topics: number) =>
  Effect.gen(function* () {
    const store = yield* MessageStore.MessageStore
    const body = new Uint8Array(LENGTH).fill(65)
    for (let number = first; number < first + count; number += BATCH) {
      yield* store.putMany(
        Array.from({ length: BATCH }, (_, index) => {
          const topic = names[(number + index) % topics]!
          return { topic, queueId: 0, body, keys: `key${number + index}`, tags: "TagA" }
        })
      )
    }
    yield* load.dispatched(store)
  })

/** A store that puts into so many topics, each in its turn. */
export const open = (topicsMax: number): Bench => {
  const store = new OpenedStore({ mappedFileSizeCommitLog: LOG_FILE_LENGTH })
  let stored = 0
  return {
    run: async (count) => {
      const operations = Math.ceil(count / BATCH) * BATCH
      const topics = Math.max(1, Math.min(topicsMax, operations / ROUNDS))
      if (stored === 0 || stored > STORED_MAX) {
        await store.end()
        // Making the queues, a directory and a file each, is not what is measured.
        await store.run(puts(0, Math.ceil(topics / BATCH) * BATCH, topics))
        stored = topics
      }
      const processor = process.cpuUsage()
      const start = process.hrtime.bigint()
      await store.run(puts(stored, operations, topics))
      const elapsedNs = Number(process.hrtime.bigint() - start)
      const { system, user } = process.cpuUsage(processor)
      stored += operations
      return { operations, elapsedNs, figures: { "processor us/op": (system + user) / operations } }
    },
    close: () => store.end()
  }
}

const caseOf = (topics: number) => ({
  bytes: LENGTH,
  count: TOPICS * ROUNDS,
  smokeCount: BATCH * ROUNDS,
  open: () => open(topics)
})

export default group("store/topics", {
  baseline: "1-topic",
  cases: {
    "1-topic": caseOf(1),
    "10000-topics": { ...caseOf(TOPICS), goal: "at most 1.2 times the time of one topic" }
  }
})
