import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Inspect from "../../src/Inspect.ts"
import * as MessageStore from "../../src/MessageStore.ts"
import * as Golden from "../fixtures/Golden.ts"
import * as Temporary from "../fixtures/Temporary.ts"

const message = (n: number) => ({ topic: n % 2 === 0 ? "even" : "odd", queueId: 0, body: Buffer.from(`${n}`) })

const OFFSETS = { offsetTable: { "even@readers": { 0: 2 } } }

describe("Inspect.observe", () => {
  it.live("sees at each look what the writer has done since the one before", () =>
    Effect.gen(function* () {
      const root = yield* Temporary.directory
      const options = { directory: root, mappedFileSizeCommitLog: 1 << 14, mappedFileSizeConsumeQueue: 2000 }
      const { look } = yield* Effect.gen(function* () {
        const store = yield* MessageStore.MessageStore
        yield* store.putMany(Array.from({ length: 10 }, (_, n) => message(n)))
        const observer = yield* Inspect.observe({ directory: root })
        const seen = (messages: number) =>
          observer.look.pipe(Effect.delay("5 millis"), Effect.repeat({ until: (now) => now.messages === messages }))
        const before = yield* seen(10)
        assert.deepInclude(before, { isOpen: true, pid: process.pid, topics: 2, dispatchBehindBytes: 0 })
        assert.deepStrictEqual(before.consumers, [])
        // Over the ends of files of log and queues.
        yield* store.putMany(Array.from({ length: 500 }, (_, n) => message(n)))
        fs.writeFileSync(path.join(root, "config", "consumerOffset.json"), JSON.stringify(OFFSETS))
        const after = yield* seen(510)
        assert.isAbove(after.logFiles, before.logFiles)
        const ends = Object.fromEntries(after.byTopic.map(({ queues, topic }) => [topic, queues[0]!.maxOffset]))
        assert.deepStrictEqual(ends, { even: 255, odd: 255 })
        assert.deepStrictEqual(after.consumers, [
          { group: "readers", topic: "even", queueId: 0, offset: 2, maxOffset: 255 }
        ])
        assert.isAtLeast(after.lastStoreTimestamp!, before.lastStoreTimestamp!)
        return observer
      }).pipe(Effect.provide(MessageStore.layer(options)))
      const closed = yield* look
      assert.deepInclude(closed, { isOpen: false, pid: null, messages: 510 })
      // What the writer put into its checkpoint when it closed.
      assert.isAtLeast(closed.logFlushedTimestamp, closed.lastStoreTimestamp!)
    }).pipe(Effect.scoped)
  )

  it.live("has nothing to tell of the records of an empty store, and fails when its files have gone", () =>
    Effect.gen(function* () {
      const root = yield* Temporary.directory
      yield* Effect.scoped(
        Effect.provide(Effect.void, MessageStore.layer({ directory: root, mappedFileSizeCommitLog: 1 << 16 }))
      )
      const { look } = yield* Inspect.observe({ directory: root })
      assert.deepInclude(yield* look, { lastStoreTimestamp: null, messages: 0, dispatchBehindBytes: 0 })
      fs.rmSync(root, { recursive: true })
      assert.strictEqual((yield* Effect.flip(look))._tag, "StoreError")
    }).pipe(Effect.scoped)
  )

  it.live.each(Golden.names.filter((name) => name.endsWith("clean")))(
    "sees all of the real store %s, and changes nothing",
    (name) =>
      Effect.gen(function* () {
        const root = yield* Temporary.directory
        Golden.unpack(name, root)
        const before = Temporary.contentOf(root)
        const { queues, summary } = Golden.expected(name).reopened
        const { look } = yield* Inspect.observe({ directory: root })
        const now = yield* look
        assert.deepInclude(now, { maxPosition: summary.maxPhyOffset, dispatchBehindBytes: 0, isOpen: false })
        const ends = now.byTopic.flatMap(({ queues, topic }) =>
          queues.map((queue) => `${topic} ${queue.queueId} ${queue.maxOffset}`)
        )
        const expected = queues.filter(({ maxOffset }) => maxOffset > 0)
        assert.sameMembers(
          ends,
          expected.map(({ maxOffset, queueId, topic }) => `${topic} ${queueId} ${maxOffset}`)
        )
        assert.deepStrictEqual(Temporary.contentOf(root), before)
      }).pipe(Effect.scoped)
  )
})
