import { assert, describe, it } from "vitest"
import * as MessageCheck from "../../src/commitlog/MessageCheck.ts"
import type { MessageInput } from "../../src/commitlog/MessageInput.ts"
import * as SysFlag from "../../src/commitlog/SysFlag.ts"
import { PutRefusal, type RefusalReason } from "../../src/engine/PutResult.ts"
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

const refusalOf = (outcome: unknown): PutRefusal => {
  assert.instanceOf(outcome, PutRefusal)
  return outcome as PutRefusal
}

type Illegal = Extract<RefusalReason, { readonly _tag: "Illegal" }>

const illegalOf = (outcome: unknown): Pick<Illegal, "code" | "index"> => {
  const { reason, stored } = refusalOf(outcome)
  assert.strictEqual(reason._tag, "Illegal")
  assert.deepStrictEqual(stored, [])
  const { code, index } = reason as Illegal
  return { code, index }
}

const open = (more?: ConstructorParameters<typeof SimulatedStore>[1], seed = 1) =>
  new SimulatedStore(seed, { flushDiskType: "ASYNC_FLUSH", ...more }).open()

describe("PutPath", () => {
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
        SysFlag.TRANSACTION_ROLLBACK | SysFlag.COMPRESSED
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
