import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Inspect from "../../src/Inspect.ts"
import * as MessageStore from "../../src/MessageStore.ts"
import type { MessageStoreOptions } from "../../src/MessageStoreConfig.ts"
import * as Child from "../fixtures/Child.ts"
import * as Golden from "../fixtures/Golden.ts"
import * as Temporary from "../fixtures/Temporary.ts"

const lengths = { mappedFileSizeCommitLog: 1 << 16, mappedFileSizeConsumeQueue: 2000 }
const fileOf = (root: string) => path.join(root, "config", "counters.dat")

const open = Effect.fnUntraced(function* (directory: string, more: Partial<MessageStoreOptions> = {}) {
  const scope = yield* Effect.scope
  const context = yield* Layer.buildWithScope(MessageStore.layer({ ...lengths, ...more, directory }), scope)
  return yield* Effect.provideContext(MessageStore.MessageStore, context)
})

const writerOf = (directory: string) => Effect.map(Inspect.overview({ directory }), ({ writer }) => writer)

describe("the counters file of a store", () => {
  it.live("tells other processes what the one that has the store open puts, reads and syncs", () =>
    Effect.gen(function* () {
      const root = yield* Temporary.directory
      const scope = yield* Scope.fork(yield* Effect.scope)
      const store = yield* Scope.provide(open(root, { flushDiskType: "SYNC_FLUSH" }), scope)
      const [put] = yield* store.putMany([{ topic: "t", body: new Uint8Array(100) }])
      yield* store.get({ topic: "t", queueId: 0, offset: 0, maxCount: 1 })
      const writer = yield* writerOf(root).pipe(
        Effect.delay("20 millis"),
        Effect.repeat({ until: (now) => now!.getMessageCount === 1 && now!.lastSyncs !== null })
      )
      assert.deepInclude(writer, {
        pid: process.pid,
        isLive: true,
        isWriteable: true,
        putMessageCount: 1,
        putBytes: put!.length,
        getBytes: put!.length,
        refusalCount: 0,
        dirtyBytes: 0,
        dispatchBehindBytes: 0,
        commitBehindBytes: 0
      })
      const { maxMs, p50Ms, p99Ms } = writer!.lastSyncs!
      assert.isAtLeast(writer!.syncCount, 1)
      assert.isAtMost(p50Ms, p99Ms)
      assert.isAtMost(p99Ms, maxMs)
      assert.strictEqual(fs.statSync(fileOf(root)).mode & 0o777, 0o600)
      yield* Scope.close(scope, Exit.void)
      assert.isFalse(fs.existsSync(fileOf(root)))
      assert.isNull(yield* writerOf(root))
    }).pipe(Effect.scoped)
  )

  it.live("is left by a process that is killed, which then gives no sign of life, and made anew by the next", () =>
    Effect.gen(function* () {
      const root = yield* Temporary.directory
      const child = yield* Child.start("writer.ts", [root, "ASYNC_FLUSH"])
      yield* child.line((line) => line === "open")
      yield* child.kill("SIGKILL")
      const left = yield* writerOf(root)
      assert.strictEqual(left!.pid, child.process.pid)
      const told = fs.readFileSync(fileOf(root))
      // The heartbeat is the first value, behind the metadata.
      const heartbeatOffset = (told.length / 640) * 512
      told.writeBigInt64LE(BigInt(Date.now() - 60_000), heartbeatOffset)
      fs.writeFileSync(fileOf(root), told)
      assert.isFalse((yield* writerOf(root))!.isLive)
      yield* open(root)
      assert.deepInclude(yield* writerOf(root), { pid: process.pid, isLive: true })
    }).pipe(Effect.scoped)
  )

  it.live("is no reason to refuse a store, and is not there where it is turned off or the store only read", () =>
    Effect.gen(function* () {
      const root = yield* Temporary.directory
      yield* Effect.scoped(open(root, { countersFileEnable: false }))
      assert.isFalse(fs.existsSync(fileOf(root)))
      // A directory in its place cannot be removed as a file.
      fs.mkdirSync(path.join(fileOf(root), "in the way"), { recursive: true })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* open(root)
          yield* store.put({ topic: "t", body: new Uint8Array(1) })
          assert.isNull(yield* writerOf(root))
        })
      )
      fs.rmSync(fileOf(root), { recursive: true })
      for (const junk of [Buffer.alloc(0), Buffer.alloc(12_800, 0xee), Buffer.alloc(17)]) {
        fs.writeFileSync(fileOf(root), junk)
        fs.writeFileSync(path.join(root, "abort"), "1")
        assert.isNull(yield* writerOf(root))
      }
      fs.rmSync(path.join(root, "abort"))
      const before = Temporary.contentOf(root)
      yield* Effect.scoped(open(root, { readOnly: true }))
      assert.deepStrictEqual(Temporary.contentOf(root), before)
    }).pipe(Effect.scoped)
  )

  it.live("is missed by nobody in a store that RocketMQ has left open", () =>
    Effect.gen(function* () {
      const root = yield* Temporary.directory
      Golden.unpack(
        Golden.names.find((name) => !name.endsWith("clean"))!,
        root
      )
      const { isOpen, writer } = yield* Inspect.overview({ directory: root })
      assert.isTrue(isOpen)
      assert.isNull(writer)
    }).pipe(Effect.scoped)
  )
})
