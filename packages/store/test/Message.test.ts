import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Message from "../src/Message.ts"
import * as MessageStore from "../src/MessageStore.ts"

describe("Message.makeUniqueKey", () => {
  it.live("gives an id that no other message has, by which its message is found", () =>
    Effect.gen(function* () {
      const store = yield* MessageStore.MessageStore
      const ids = yield* Effect.replicateEffect(Message.makeUniqueKey, 3)
      for (const id of ids) {
        assert.match(id, /^[0-9A-F]{32}$/)
        yield* store.put({ topic: "trades", body: new TextEncoder().encode(id), properties: { UNIQ_KEY: id } })
      }
      for (const id of ids) {
        const found = yield* store.byUniqueKey("trades", id)
        assert.strictEqual(found?.uniqueKey, id)
        assert.strictEqual(new TextDecoder().decode(found!.body), id)
      }
      assert.strictEqual(new Set(ids).size, 3)
    }).pipe(Effect.provide(MessageStore.layerMemory()))
  )
})

describe("Message.StoredMessage", () => {
  const messages = Effect.gen(function* () {
    const store = yield* MessageStore.MessageStore
    for (let number = 0; number < 3; number++) {
      const body = new Uint8Array(10 * number)
      yield* store.put({ topic: `topic${number}`, body, keys: `key${number}`, properties: { [`name${number}`]: "x" } })
    }
    const got = yield* Effect.forEach([0, 1, 2], (number) =>
      store.get({ topic: `topic${number}`, queueId: 0, offset: 0 })
    )
    return got.map((each) => each.messages[0]!)
  }).pipe(Effect.provide(MessageStore.layerMemory()))

  const assertFields = (message: Message.StoredMessage, number: number): void => {
    assert.strictEqual(message.keys, `key${number}`)
    assert.strictEqual(message.body.length, 10 * number)
    assert.strictEqual(message.topic, `topic${number}`)
    assert.strictEqual(message.properties[`name${number}`], "x")
  }

  it.effect("has its own fields, whichever message was asked before", () =>
    Effect.gen(function* () {
      const found = yield* messages
      for (const number of [0, 1, 2, 1, 0, 2, 0, 0, 1]) {
        assertFields(found[number]!, number)
      }
      assert.deepStrictEqual(
        found.map(({ keys }) => keys),
        ["key0", "key1", "key2"]
      )
    })
  )

  it.effect("throws where its memory holds no message or is gone, and leaves others as they are", () =>
    Effect.gen(function* () {
      const [first, second] = yield* messages
      const zeros = new Uint8Array(200)
      const none = new Message.StoredMessage({ bytes: zeros, view: new DataView(zeros.buffer), base: 0 }, 0)
      const bytes = new Uint8Array(200)
      const closed = new Message.StoredMessage({ bytes, view: new DataView(bytes.buffer), base: 0 }, 0)
      structuredClone(bytes.buffer, { transfer: [bytes.buffer] })
      for (const bad of [none, closed, none]) {
        assertFields(first!, 0)
        assert.throws(() => bad.topic)
        assertFields(first!, 0)
        assert.throws(() => bad.topic)
        assert.throws(() => bad.queueId)
        assertFields(second!, 1)
      }
    })
  )
})
