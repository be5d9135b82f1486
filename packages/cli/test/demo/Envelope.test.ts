import { assert, describe, it } from "vitest"
import * as Envelope from "../../src/demo/Envelope.ts"

const record = { origin: "São Paulo", delay: -3, nested: { a: [1, null] }, end: true }

describe("Envelope", () => {
  it("carries a record as one kind byte and its JSON", () => {
    const message = Envelope.encodeRecord(record)
    assert.strictEqual(message[0], Envelope.RECORD)
    assert.strictEqual(new TextDecoder().decode(message.subarray(1)), JSON.stringify(record))
    assert.deepStrictEqual(Envelope.recordOf(message), record)
  })

  it("reads a message from the middle of a larger buffer", () => {
    const message = Envelope.encodeRecord(record)
    const buffer = new Uint8Array(message.length + 20)
    buffer.set(message, 10)
    assert.deepStrictEqual(Envelope.recordOf(buffer.subarray(10, 10 + message.length)), record)
  })

  it("refuses an end record that lacks its fields", () => {
    const end = { count: 3, checksum: 0xffffffff }
    assert.deepStrictEqual(Envelope.endOf(Envelope.encodeEnd(end)), end)
    const broken = Envelope.encodeRecord({ count: 3 })
    assert.throws(() => Envelope.endOf(broken))
  })

  it("sums up the messages in their order", () => {
    const messages = [{ a: 1 }, { a: 2 }].map(Envelope.encodeRecord)
    const forward = new Envelope.Tally()
    const backward = new Envelope.Tally()
    for (const message of messages) {
      forward.add(message)
    }
    for (const message of messages.toReversed()) {
      backward.add(message)
    }
    assert.strictEqual(forward.count, 2)
    assert.strictEqual(forward.bytes, 16)
    assert.notStrictEqual(forward.end().checksum, backward.end().checksum)
  })
})
