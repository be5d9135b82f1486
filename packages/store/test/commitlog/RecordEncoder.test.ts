import { describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { assert } from "vitest"
import * as HostAddress from "../../src/commitlog/HostAddress.ts"
import type { MessageInput } from "../../src/commitlog/MessageInput.ts"
import * as RecordCheck from "../../src/commitlog/RecordCheck.ts"
import { RecordCursor } from "../../src/commitlog/RecordCursor.ts"
import { RecordEncoder } from "../../src/commitlog/RecordEncoder.ts"
import * as Utf8 from "../../src/commitlog/Utf8.ts"

const host = (text: string) => HostAddress.parse(text)!

const encoder = (appendCrcProperty: boolean) =>
  new RecordEncoder({
    appendCrcProperty,
    defaultBornHost: host("10.1.2.3:40123"),
    defaultStoreHost: host("127.0.0.1:10911")
  })

const POSITION = 0x1_0000_0100
const QUEUE_OFFSET = 7
const STORE_TIME = 1_796_001_688_658

/** One record as it stands in the log. */
const encode = (message: MessageInput, appendCrcProperty: boolean): Uint8Array => {
  const encoding = encoder(appendCrcProperty)
  const length = encoding.encode(0, message, Utf8.encode(message.topic), STORE_TIME)
  encoding.stamp(0, length, POSITION, QUEUE_OFFSET, STORE_TIME)
  return encoding.bytes.slice(0, length)
}

const CHECK: RecordCheck.RecordCheckOptions = { checkCrc: true, requireCrcProperty: false }

const check = (bytes: Uint8Array, cursor = new RecordCursor()) => {
  const window = { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), base: 0 }
  return RecordCheck.check(window, 0, bytes.length, POSITION, cursor, CHECK)
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

const plain: MessageInput = {
  topic: "TopicA",
  queueId: 2,
  body: Buffer.from("hello"),
  keys: "k1",
  tags: "TagA",
  flag: 9,
  bornTimestamp: 1_700_000_000_000,
  reconsumeTimes: 3,
  preparedTransactionOffset: 0x0102_0304_0506
}

describe("RecordEncoder", () => {
  it("writes the documented layout, byte for byte", () => {
    assert.strictEqual(
      hex(encode(plain, false)),
      [
        "00000078", // total size 120
        "daa320a7", // magic of version 1
        "3610a686", // CRC-32 of "hello"
        "00000002", // queue id
        "00000009", // flag
        "0000000000000007", // queue offset
        "0000000100000100", // physical offset
        "00000000", // sys flag
        "0000018bcfe56800", // born time
        "0a01020300009cbb", // born host
        "000001a22a0aec52", // store time
        "7f00000100002a9f", // store host
        "00000003", // reconsume times
        "0000010203040506", // prepared transaction offset
        "0000000568656c6c6f", // body
        `06${hex(Buffer.from("TopicA"))}`, // topic
        `0012${hex(Buffer.from("KEYS\u0001k1\u0002TAGS\u0001TagA\u0002"))}`
      ].join("")
    )
  })

  it("ends a record with the CRC property, least significant digit first", () => {
    const bytes = encode(plain, true)
    const property = Buffer.from(bytes.subarray(-20)).toString("latin1")
    assert.match(property, /^__CRC32#\u0001\d{10}\u0002$/)
    assert.strictEqual(check(bytes), bytes.length)
  })

  it("writes version 2 with a topic length of two bytes beyond 127 bytes", () => {
    const bytes = encode({ ...plain, topic: "t".repeat(128) }, false)
    const cursor = new RecordCursor()
    assert.strictEqual(check(bytes, cursor), bytes.length)
    assert.strictEqual(cursor.version, 2)
    assert.strictEqual(cursor.topic, "t".repeat(128))
    assert.strictEqual(encode({ ...plain, topic: "t".repeat(127) }, false).length + 2, bytes.length)
  })

  it("marks IPv6 hosts in the sys flag and gives them 20 bytes", () => {
    const message = { ...plain, bornHost: "[2001:db8::17]:1", storeHost: "[fe80::abcd:1]:10911" }
    const bytes = encode(message, true)
    const cursor = new RecordCursor()
    assert.strictEqual(check(bytes, cursor), bytes.length)
    assert.strictEqual(cursor.sysFlag, (1 << 4) | (1 << 5))
    assert.strictEqual(cursor.bornHost, "[2001:db8:0:0:0:0:0:17]:1")
    assert.strictEqual(cursor.storeHost, "[fe80:0:0:0:0:0:abcd:1]:10911")
    assert.strictEqual(cursor.storeTimestamp, STORE_TIME)
    assert.strictEqual(bytes.length, encode(plain, true).length + 24)
  })

  it("gives prepared and rolled back messages the queue offset 0", () => {
    for (const [sysFlag, expected] of [
      [0, QUEUE_OFFSET],
      [1 << 2, 0],
      [2 << 2, QUEUE_OFFSET],
      [3 << 2, 0]
    ] as const) {
      const cursor = new RecordCursor()
      check(encode({ ...plain, sysFlag }, true), cursor)
      assert.strictEqual(cursor.queueOffset, expected)
    }
  })

  it("closes a raw property string that has no last separator before the CRC property", () => {
    const bytes = encode({ topic: "t", body: new Uint8Array(0), rawProperties: Buffer.from("a\u00011") }, true)
    const cursor = new RecordCursor()
    assert.strictEqual(check(bytes, cursor), bytes.length)
    assert.match(cursor.propertiesText, /^a\u00011\u0002__CRC32#\u0001\d{10}\u0002$/)
    const without = encode({ topic: "t", body: new Uint8Array(0), rawProperties: Buffer.from("a\u00011") }, false)
    check(without, cursor)
    assert.deepStrictEqual({ ...cursor.decodeProperties() }, { a: "1" })
  })

  it("lets keys, tags and wait win over properties of their names", () => {
    const cursor = new RecordCursor()
    const properties = { KEYS: "x", TAGS: "y", WAIT: "true", color: "red" }
    check(encode({ ...plain, keys: ["a", "b"], wait: false, properties }, true), cursor)
    const found = { ...cursor.decodeProperties() }
    delete found["__CRC32#"]
    assert.deepStrictEqual(found, { KEYS: "a b", TAGS: "TagA", WAIT: "false", color: "red" })
  })

  it("reports any flipped bit of a record with the CRC property", () => {
    const bytes = encode(plain, true)
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const damaged = bytes.slice()
      damaged[bit >>> 3]! ^= 1 << (bit & 7)
      assert.isBelow(check(damaged), 1, `bit ${bit}`)
    }
  })

  it("reports any flipped bit of the body without it", () => {
    const bytes = encode(plain, false)
    const bodyAt = Buffer.from(bytes).indexOf("hello")
    for (let bit = bodyAt * 8; bit < (bodyAt + 5) * 8; bit++) {
      const damaged = bytes.slice()
      damaged[bit >>> 3]! ^= 1 << (bit & 7)
      assert.strictEqual(check(damaged), RecordCheck.BAD_BODY_CRC)
    }
  })

  it("never reads beyond the bytes that are there, whatever they are", () => {
    const bytes = encode(plain, true)
    for (let length = 0; length < bytes.length; length++) {
      assert.isBelow(check(bytes.slice(0, length)), 0)
    }
    const lengths = [-1, 0, 8, 90, 91, 0x7fffffff, -0x80000000]
    for (let at = 0; at + 4 <= bytes.length; at++) {
      for (const length of lengths) {
        const damaged = bytes.slice()
        new DataView(damaged.buffer).setInt32(at, length)
        check(damaged)
      }
    }
  })

  const Int32 = Schema.Int.check(Schema.isBetween({ minimum: -0x80000000, maximum: 0x7fffffff }))
  const Offset = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
  const Host = Schema.Struct({
    units: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xff }))).check(
      Schema.isBetweenLength(16, 16)
    ),
    port: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xffff })),
    isIpv6: Schema.Boolean
  })
  const textOf = ({ isIpv6, port, units }: typeof Host.Type): string =>
    isIpv6
      ? `[${Array.from({ length: 8 }, (_, index) => (units[2 * index]! * 256 + units[2 * index + 1]!).toString(16)).join(":")}]:${port}`
      : `${units.slice(0, 4).join(".")}:${port}`

  it.prop(
    "gives back every field, for hosts of either kind, topics of either version, with and without its CRC",
    {
      topicLength: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 250 })),
      queueId: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0x7fffffff })),
      flag: Int32,
      reconsumeTimes: Int32,
      bornTimestamp: Offset,
      preparedTransactionOffset: Offset,
      bornHost: Host,
      storeHost: Host,
      hasCrc: Schema.Boolean
    },
    ({ bornHost, hasCrc, storeHost, topicLength, ...fields }) => {
      const hosts = { bornHost: textOf(bornHost), storeHost: textOf(storeHost) }
      const topic = "t".repeat(topicLength)
      const bytes = encode({ topic, body: Buffer.from("body"), keys: "k", ...fields, ...hosts }, hasCrc)
      const record = new RecordCursor()
      assert.strictEqual(check(bytes, record), bytes.length)
      assert.strictEqual(record.version, topicLength > 127 ? 2 : 1)
      assert.strictEqual(record.topic, topic)
      for (const [name, value] of Object.entries({ ...fields, ...hosts })) {
        assert.strictEqual(record[name as keyof typeof fields], value, name)
      }
      const { physicalOffset, queueOffset, storeTimestamp, totalSize } = record
      assert.deepStrictEqual(
        [physicalOffset, queueOffset, storeTimestamp, totalSize],
        [POSITION, QUEUE_OFFSET, STORE_TIME, bytes.length]
      )
      assert.strictEqual(record.sysFlag, (bornHost.isIpv6 ? 16 : 0) | (storeHost.isIpv6 ? 32 : 0))
    }
  )

  it.prop(
    "gives back what it was given",
    {
      body: Schema.Uint8Array,
      topic: Schema.String.check(Schema.isBetweenLength(1, 80)),
      values: Schema.Array(Schema.String)
    },
    ({ body, topic, values }) => {
      const clean = values.map((value) => value.replaceAll(/[\u0001\u0002]/g, "").toWellFormed())
      const properties = Object.fromEntries(clean.map((value, index) => [`p${index}`, value]))
      const name = topic.toWellFormed()
      const cursor = new RecordCursor()
      const bytes = encode({ topic: name, body, properties }, true)
      assert.strictEqual(check(bytes, cursor), bytes.length)
      assert.strictEqual(cursor.topic, name)
      assert.deepStrictEqual([...cursor.bytes.subarray(cursor.bodyAt, cursor.bodyAt + cursor.bodyLength)], [...body])
      const decoded = cursor.decodeProperties()
      clean.forEach((value, index) => assert.strictEqual(decoded[`p${index}`] ?? "", value))
    }
  )
})
