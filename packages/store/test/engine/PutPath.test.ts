import { assert, describe, it } from "vitest"
import * as MessageCheck from "../../src/commitlog/MessageCheck.ts"
import type { MessageInput } from "../../src/commitlog/MessageInput.ts"
import * as SysFlag from "../../src/commitlog/SysFlag.ts"
import { PutRefusal, type PutResult, type RefusalReason } from "../../src/engine/PutResult.ts"
import { FileFailure } from "../../src/mapped/FileSystem.ts"
import * as GetMessage from "../../src/reading/GetMessage.ts"
import { SimulatedStore } from "../fixtures/SimulatedStore.ts"

const message = (body: string, more?: Partial<MessageInput>): MessageInput => ({
  topic: "topic",
  queueId: 0,
  body: Buffer.from(body),
  ...more
})

/** Bodies of a queue in the order of its offsets, each checked to stand at its own offset. */
const bodies = ({ engine }: SimulatedStore, topic = "topic", queueId = 0): ReadonlyArray<string> => {
  engine.catchUp()
  const queue = engine.queues.find(topic, queueId)?.queue
  const found: Array<string> = []
  while (queue !== undefined && found.length < queue.maxOffset) {
    const limits = { countMax: 32, bytesMax: 1 << 20 }
    const outcome = GetMessage.get(engine.commitLog, queue, found.length, limits, undefined, (record, queueOffset) => {
      assert.strictEqual(queueOffset, found.length)
      assert.strictEqual(record.queueOffset, queueOffset)
      found.push(Buffer.from(record.bytes.subarray(record.bodyAt, record.bodyAt + record.bodyLength)).toString())
    })
    assert.strictEqual(outcome.status, "FOUND")
  }
  return found
}

const refusalOf = (outcome: ReadonlyArray<PutResult> | PutRefusal): PutRefusal => {
  assert.instanceOf(outcome, PutRefusal)
  return outcome
}

type Illegal = Extract<RefusalReason, { readonly _tag: "Illegal" }>

const illegalOf = (outcome: ReadonlyArray<PutResult> | PutRefusal): Pick<Illegal, "code" | "index"> => {
  const { reason, stored } = refusalOf(outcome)
  assert.strictEqual(reason._tag, "Illegal")
  assert.deepStrictEqual(stored, [])
  const { code, index } = reason as Illegal
  return { code, index }
}

const open = (more?: ConstructorParameters<typeof SimulatedStore>[1], seed = 1) =>
  new SimulatedStore(seed, { flushDiskType: "ASYNC_FLUSH", ...more }).open()

/** Fails writes to the log by their number, counted from 1. */
const failWrites = (store: SimulatedStore, ...numbers: ReadonlyArray<number>): void => {
  let count = 0
  store.disk.fault = (operation, path) =>
    operation === "write" && path.includes("commitlog") && numbers.includes(++count) ? "EIO" : undefined
}

/** Two records of these fill a file of the log. */
const long = (name: string): MessageInput => message(name.padEnd(3000, "."))
const names = (store: SimulatedStore): ReadonlyArray<string> => bodies(store).map((body) => body.replaceAll(".", ""))

describe("PutPath", () => {
  it("refuses an array with a record that no file can hold, and stores none of it", () => {
    const store = open({ maxMessageSize: 1 << 20 })
    const outcome = store.tryPut(message("a"), message("b", { topic: "new" }), message("c".repeat(9000)))
    assert.deepStrictEqual(illegalOf(outcome), { index: 2, code: MessageCheck.RECORD_TOO_LONG })
    assert.strictEqual(store.engine.commitLog.maxOffset, 0)
    assert.strictEqual(store.engine.queues.topics.size, 0)
  })

  it("takes the longest record and the longest batch that a file can hold, and refuses one byte more", () => {
    const store = open({ maxMessageSize: 1 << 20 })
    const { recordLengthMax } = store.engine.commitLog
    const tags = "ä".repeat(100)
    const { length } = store.put(message("", { tags }))[0]!
    const filled = (bytes: number) => message("x".repeat(bytes - length), { tags })
    assert.strictEqual(illegalOf(store.tryPut(filled(recordLengthMax + 1))).code, MessageCheck.RECORD_TOO_LONG)
    assert.strictEqual(store.put(filled(recordLengthMax))[0]!.length, recordLengthMax)
    const batch = (bytes: number) => store.engine.putBatch([filled(3000), filled(bytes - 3000)], store.nowMs)
    assert.deepStrictEqual(illegalOf(batch(recordLengthMax + 1)), { index: 1, code: MessageCheck.BATCH_TOO_LONG })
    assert.notInstanceOf(batch(recordLengthMax), PutRefusal)
  })

  it("takes an array whose records fill more than the processor's cache, in order", () => {
    const store = open({ mappedFileSizeCommitLog: 1 << 20 })
    const count = 100
    const results = store.put(...Array.from({ length: count }, (_, index) => long(String(index))))
    assert.isAbove(store.engine.commitLog.maxOffset, 256 * 1024)
    assert.lengthOf(results, count)
    assert.deepStrictEqual(
      names(store),
      Array.from({ length: count }, (_, index) => String(index))
    )
  })

  it("refuses what goes to a queue whose directory cannot be made, batch or not", () => {
    const store = open()
    store.disk.makeDirectory = (path) => {
      throw new FileFailure({ code: "ENOSPC", operation: "make directory", path })
    }
    for (const outcome of [store.tryPut(message("a")), store.engine.putBatch([message("a")], store.nowMs)]) {
      assert.strictEqual(refusalOf(outcome).reason._tag, "FileFailure")
    }
  })

  it("stores nothing of an array with a message that cannot be encoded, and gives its offsets to the next", () => {
    const store = open()
    let looks = 0
    let looksMax = Number.POSITIVE_INFINITY
    const broken = (): MessageInput => ({
      ...message("last"),
      get wait(): boolean {
        if (++looks === looksMax) {
          throw new Error("not today")
        }
        return true
      }
    })
    store.engine.put([message("first"), broken()], store.nowMs)
    // Its last look is that of the encoder.
    looksMax = 2 * looks
    assert.throws(() => store.engine.put([message("second"), broken()], store.nowMs), "not today")
    store.engine.put([message("third")], store.nowMs)
    store.engine.put([message("fourth"), message("fifth")], store.nowMs)
    assert.deepStrictEqual(bodies(store), ["first", "last", "third", "fourth", "fifth"])
  })

  describe("when a write to the log fails", () => {
    it("says of those messages only that they are stored which stand in the log", () => {
      const store = open()
      failWrites(store, 2)
      const { reason, stored } = refusalOf(store.tryPut(long("a"), long("b"), long("c"), long("d"), long("e")))
      assert.strictEqual(reason._tag === "FileFailure" && reason.failure.operation, "write")
      assert.deepStrictEqual(
        stored.map(({ queueOffset }) => queueOffset),
        [0, 1]
      )
      assert.deepStrictEqual(names(store), ["a", "b"])
    })

    it("gives the offsets of messages that are not stored to those that come next, in every queue", () => {
      const store = open()
      failWrites(store, 1)
      const more = message("c", { queueId: 1 })
      assert.deepStrictEqual(refusalOf(store.tryPut(message("a"), message("b"), more)).stored, [])
      assert.deepStrictEqual(
        store.put(message("d"), message("e"), more).map(({ queueOffset }) => queueOffset),
        [0, 1, 0]
      )
      assert.deepStrictEqual(bodies(store), ["d", "e"])
      assert.deepStrictEqual(bodies(store, "topic", 1), ["c"])
    })

    it("stores nothing of a batch", () => {
      const store = open()
      store.put(message("a"))
      failWrites(store, 1)
      assert.deepStrictEqual(refusalOf(store.engine.putBatch([message("b"), message("c")], store.nowMs)).stored, [])
      assert.notInstanceOf(store.engine.putBatch([message("d"), message("e")], store.nowMs), PutRefusal)
      assert.deepStrictEqual(bodies(store), ["a", "d", "e"])
    })

    it("leaves nothing of what the write did in part, for no later opening to find", () => {
      for (let seed = 1; seed <= 20; seed++) {
        // The first write is that of the messages, those behind it are those that clear what it left.
        for (const { failing, tries } of [
          { failing: [1], tries: 1 },
          { failing: [1, 2], tries: 1 },
          { failing: [1, 2, 3], tries: 2 }
        ]) {
          const store = open({}, seed)
          store.put(message("a"))
          failWrites(store, ...failing)
          const refused = Array.from({ length: 20 }, (_, index) => message(`refused ${index}`))
          for (let index = 0; index < tries; index++) {
            assert.deepStrictEqual(refusalOf(store.tryPut(...refused)).stored, [])
          }
          // The record that comes next is as long as the first refused one: what stands behind it looks like its successor.
          store.put(message("stored  0"))
          store.kill()
          store.open()
          assert.deepStrictEqual(bodies(store), ["a", "stored  0"])
          store.put(message("z"))
          assert.deepStrictEqual(bodies(store), ["a", "stored  0", "z"])
        }
      }
    })
  })

  describe("putBatch", () => {
    const refuse = (store: SimulatedStore, ...messages: ReadonlyArray<MessageInput>) =>
      illegalOf(store.engine.putBatch(messages, store.nowMs))

    it("refuses messages of several topics or queues", () => {
      const store = open()
      assert.deepStrictEqual(refuse(store, message("a"), message("b"), message("c", { topic: "other" })), {
        index: 2,
        code: MessageCheck.BATCH_MIXED
      })
      assert.deepStrictEqual(refuse(store, message("a", { queueId: undefined }), message("b", { queueId: 1 })), {
        index: 1,
        code: MessageCheck.BATCH_MIXED
      })
      assert.strictEqual(store.engine.commitLog.maxOffset, 0)
      assert.strictEqual(store.engine.queues.topics.size, 0)
    })

    it("takes queue 0 and no queue for the same", () => {
      const store = open()
      const outcome = store.engine.putBatch([message("a", { queueId: undefined }), message("b")], store.nowMs)
      assert.notInstanceOf(outcome, PutRefusal)
      assert.deepStrictEqual(bodies(store), ["a", "b"])
    })

    it("refuses messages of a transaction, and loses none of those that are put afterwards", () => {
      const store = open()
      for (const sysFlag of [
        SysFlag.TRANSACTION_PREPARED,
        SysFlag.TRANSACTION_COMMIT,
        SysFlag.TRANSACTION_ROLLBACK | SysFlag.BORN_HOST_IPV6
      ]) {
        assert.deepStrictEqual(refuse(store, message("a"), message("b", { sysFlag }), message("c")), {
          index: 1,
          code: MessageCheck.BATCH_TRANSACTION
        })
      }
      store.put(message("d"), message("e"))
      assert.deepStrictEqual(bodies(store), ["d", "e"])
    })

    it("refuses messages with a delay, in properties of either form", () => {
      const store = open()
      const code = MessageCheck.BATCH_DELAY
      assert.deepStrictEqual(refuse(store, message("a", { properties: { DELAY: "3" } })), { index: 0, code })
      const raw = (text: string) => message("b", { rawProperties: Buffer.from(text) })
      assert.deepStrictEqual(refuse(store, message("a"), raw("A\u0001b\u0002DELAY\u00013\u0002")), { index: 1, code })
      assert.strictEqual(store.engine.commitLog.maxOffset, 0)
      const outcome = store.engine.putBatch([raw("DELAYED\u00013\u0002")], store.nowMs)
      assert.notInstanceOf(outcome, PutRefusal)
    })
  })
})
