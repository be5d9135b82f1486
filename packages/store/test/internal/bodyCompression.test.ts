import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Message from "../../src/Message.ts"
import * as MessageStore from "../../src/MessageStore.ts"
import * as Topic from "../../src/Topic.ts"
import * as bodyCompression from "../../src/internal/bodyCompression.ts"

const TYPES = ["ZLIB", "LZ4", "ZSTD"] as const
const OLD_ZLIB = 1

const LONG = new TextEncoder().encode("all work and no play ".repeat(500))

/** What the compressors of RocketMQ 5.3.3 make of this text, with its level 5. */
const TEXT = Array.from({ length: 40 }, (_, index) => `all work and no play ${index} `).join("")
const BY_ROCKETMQ = {
  LZ4: "BCJNGGBwc98AAAD/CGFsbCB3b3JrIGFuZCBubyBwbGF5IDAgFwACHzEXAAMfMhcAAx8zFwADHzQXAAMfNRcAAx82FwADHzcXAAMfOBcAAx85FwADHzHnAAUP6AAEHzHpAAQfMeoABB8x6wAEHzHsAAQfMe0ABB8x7gAEHzHvAAQfMfAABB8y8AAEHzLwAAQfMvAABB8y8AAEHzLwAAQfMvAABB8y8AAEHzLwAAQfMvAABB8y8AAEHzPwAAQfM/AABB8z8AAEHzPwAAQfM/AABB8z8AAEHzPwAAQfM/AABB8z8AACUHkgMzkgAAAAAA==",
  ZSTD: "KLUv/QBYTAQA9ANhbGwgd29yayBhbmQgbm8gcGxheSAwIDEyMzQ1Njc4OTExMTExMTExMTIyMjIyMjIyMjIzMzMzMzMzMzMzOSAnIICj0gO11LdmtaivZmupT81qUV/N1FJfzdZSn5pdy5z65NUsXi3w6ntXM3e1tKuPXc3ralODrCLKVZgilFMYRZRjCqtfFAMBAAA=",
  ZLIB: "eF510sENg0AQQ9FWpgRsExLKWYlbVhDlEqV7Gph//bcne8xZv+v7rnEedV71meNfS40uq8/uc/q89vnR563Pzz6/+rwDh5jgFEAFUgFVYBVgBVoBV+A1eE27gtfgNXgNXoPX4DV4Dd6AN+ANHRm8AW/AG/AGvAFv9roB57I6cA=="
} as const

describe("bodyCompression", () => {
  for (const type of TYPES) {
    it(`unpacks what RocketMQ has compressed (${type})`, () => {
      const packed = Buffer.from(BY_ROCKETMQ[type], "base64")
      const body = bodyCompression.decompress(packed, bodyCompression.flagOf(type))
      assert.strictEqual(Buffer.from(body).toString(), TEXT)
    })
  }

  for (const type of TYPES) {
    it.prop(`gives back what was compressed (${type})`, { bytes: Schema.Uint8Array }, ({ bytes }) => {
      const packed = bodyCompression.compress(bytes, type, 5)
      assert.deepStrictEqual(
        new Uint8Array(bodyCompression.decompress(packed, bodyCompression.flagOf(type))),
        new Uint8Array(bytes)
      )
    })

    it(`refuses damage and what becomes too long (${type})`, () => {
      const packed = bodyCompression.compress(LONG, type, 5)
      const flag = bodyCompression.flagOf(type)
      assert.throws(() => bodyCompression.decompress(packed.subarray(0, packed.length / 2), flag))
      assert.throws(() => bodyCompression.decompress(new Uint8Array(0), flag))
      const bomb = bodyCompression.compress(new Uint8Array(1_000_000), type, 1)
      assert.strictEqual(bodyCompression.decompress(bomb, flag).length, 1_000_000)
      assert.throws(() => bodyCompression.decompress(bomb, flag, 500_000), RangeError)
    })
  }

  it("takes a body without a type for zlib, and refuses a type that there is not", () => {
    const packed = bodyCompression.compress(LONG, "ZLIB", 5)
    assert.deepStrictEqual(new Uint8Array(bodyCompression.decompress(packed, OLD_ZLIB)), LONG)
    assert.throws(() => bodyCompression.decompress(packed, OLD_ZLIB | (7 << 8)), /type 7/)
    assert.strictEqual(bodyCompression.decompress(packed, 0), packed)
  })
})

describe("a store that compresses", () => {
  for (const compressType of TYPES) {
    it.effect(`stores long bodies compressed and gives them back (${compressType})`, () =>
      Effect.gen(function* () {
        const store = yield* MessageStore.MessageStore
        const short = LONG.slice(0, 100)
        yield* store.putMany([
          { topic: "topic", body: LONG },
          { topic: "topic", body: short },
          { topic: "topic", body: LONG, sysFlag: OLD_ZLIB }
        ])
        const { messages } = yield* store.get({ topic: "topic", queueId: 0, offset: 0 })
        assert.isBelow(messages[0]!.body.length, LONG.length / 10)
        assert.strictEqual(messages[0]!.sysFlag, bodyCompression.flagOf(compressType))
        assert.deepStrictEqual(new Uint8Array(yield* Message.decompress(messages[0]!)), LONG)
        assert.strictEqual(messages[1]!.sysFlag, 0)
        assert.deepStrictEqual(yield* Message.decompress(messages[1]!), short)
        // What a client says is compressed is stored as it came, and is no body that can be unpacked.
        assert.strictEqual(messages[2]!.body.length, LONG.length)
        assert.strictEqual((yield* Effect.flip(Message.decompress(messages[2]!))).reason._tag, "DecompressFailed")
        const topic = yield* Topic.make("texts", { schema: Schema.String, queues: 1 })
        yield* topic.append("again and ".repeat(1000))
        const [read] = yield* Stream.runCollect(topic.stream({ from: "earliest", live: false }))
        assert.strictEqual(read!.value, "again and ".repeat(1000))
      }).pipe(Effect.provide(MessageStore.layerMemory({ compressType })))
    )
  }

  it.effect("leaves alone a body that does not become shorter", () =>
    Effect.gen(function* () {
      const store = yield* MessageStore.MessageStore
      const body = bodyCompression.compress(
        Uint8Array.from({ length: 9000 }, (_, index) => (index * index * 31) >> 3),
        "ZSTD",
        22
      )
      yield* store.put({ topic: "topic", body })
      const { messages } = yield* store.get({ topic: "topic", queueId: 0, offset: 0 })
      assert.strictEqual(messages[0]!.sysFlag, 0)
    }).pipe(Effect.provide(MessageStore.layerMemory({ compressType: "ZSTD", compressMsgBodyOverHowmuch: 1 })))
  )
})
