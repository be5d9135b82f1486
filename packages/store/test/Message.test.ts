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
