import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { BroadcastReceiver } from "../../src/broadcast/BroadcastReceiver.ts"
import { BroadcastTransmitter } from "../../src/broadcast/BroadcastTransmitter.ts"
import { CopyBroadcastReceiver } from "../../src/broadcast/CopyBroadcastReceiver.ts"
import { Lapped } from "../../src/broadcast/Lapped.ts"
import type { AtomicBuffer } from "../../src/memory/AtomicBuffer.ts"
import { HeapRegion } from "../../src/memory/HeapRegion.ts"
import { RegionClosed } from "../../src/memory/RegionState.ts"
import { CorruptRecord } from "../../src/ringbuffer/CorruptRecord.ts"

const CAPACITY = 1024
const TAIL_INTENT = CAPACITY
const TAIL = CAPACITY + 8
const LATEST = CAPACITY + 16

const makeBuffer = (capacity: number = CAPACITY) => new HeapRegion("broadcast", capacity + 128).buffer()
const makeCopying = (buffer: AtomicBuffer) => new CopyBroadcastReceiver(new BroadcastReceiver(buffer))
const bytes = (length: number, fill: number = 7): Uint8Array => new Uint8Array(length).fill(fill)

const receiveOne = (receiver: CopyBroadcastReceiver): readonly [number, ReadonlyArray<number>] | undefined => {
  let message: readonly [number, ReadonlyArray<number>] | undefined
  receiver.receive((typeId, scratch, offset, length) => {
    message = [typeId, [...scratch.bytes.subarray(offset, offset + length)]]
  })
  return message
}

describe("BroadcastTransmitter", () => {
  it("writes the record, then moves latest and tail", () => {
    const buffer = makeBuffer()
    const transmitter = new BroadcastTransmitter(buffer)
    transmitter.transmit(5, bytes(3), 0, 3)
    transmitter.transmit(6, bytes(9), 0, 9)
    assert.deepStrictEqual([...buffer.int32.subarray(0, 3)], [11, 5, 0x070707])
    assert.deepStrictEqual([...buffer.int32.subarray(4, 6)], [17, 6])
    assert.strictEqual(buffer.view.getBigInt64(TAIL_INTENT, true), 40n)
    assert.strictEqual(buffer.view.getBigInt64(TAIL, true), 40n)
    assert.strictEqual(buffer.view.getBigInt64(LATEST, true), 16n)
  })

  it("pads the end when the record does not fit before it", () => {
    const buffer = makeBuffer(128)
    const transmitter = new BroadcastTransmitter(buffer)
    for (let i = 0; i < 5; i++) {
      transmitter.transmit(1, bytes(16), 0, 16)
    }
    transmitter.transmit(2, bytes(16, 9), 0, 16)
    assert.deepStrictEqual([...buffer.int32.subarray(120 / 4, 128 / 4)], [8, -1])
    assert.deepStrictEqual([...buffer.int32.subarray(0, 2)], [24, 2])
    assert.strictEqual(buffer.view.getBigInt64(128 + 8, true), 128n + 24n)
    assert.strictEqual(buffer.view.getBigInt64(128 + 16, true), 128n)
  })

  it("goes on where an earlier transmitter stopped", () => {
    const buffer = makeBuffer()
    new BroadcastTransmitter(buffer).transmit(1, bytes(8), 0, 8)
    const receiver = makeCopying(buffer)
    new BroadcastTransmitter(buffer).transmit(2, bytes(8), 0, 8)
    assert.strictEqual(receiveOne(receiver)?.[0], 1)
    assert.strictEqual(receiveOne(receiver)?.[0], 2)
  })

  it("refuses messages longer than an eighth of the capacity", () => {
    const transmitter = new BroadcastTransmitter(makeBuffer())
    assert.strictEqual(transmitter.maxMessageLength, 128)
    transmitter.transmit(1, bytes(128), 0, 128)
    assert.throws(() => transmitter.transmit(1, bytes(129), 0, 129), /longer than the buffer's maxMessageLength/)
    assert.throws(() => transmitter.transmit(1, bytes(8), 4, 5), /outside its source/)
    assert.throws(() => transmitter.transmit(0, bytes(8), 0, 8), /type id/)
  })

  it("refuses memory that is not a power of two and a trailer", () => {
    for (const length of [0, 128, 136, 1024, 1000 + 128]) {
      const buffer = new HeapRegion("broadcast", length).buffer()
      assert.throws(() => new BroadcastTransmitter(buffer), /power of two plus its trailer/)
      assert.throws(() => new BroadcastReceiver(buffer), /power of two plus its trailer/)
    }
  })

  it("reports a tail that cannot be", () => {
    const buffer = makeBuffer()
    const transmitter = new BroadcastTransmitter(buffer)
    for (const tail of [4n, -12n, 2n ** 60n + 1n]) {
      buffer.view.setBigInt64(TAIL, tail, true)
      assert.throws(() => transmitter.transmit(1, bytes(8), 0, 8), CorruptRecord)
    }
  })
})

describe("BroadcastReceiver", () => {
  it("sees each message in place and says whether it is still intact", () => {
    const buffer = makeBuffer()
    const transmitter = new BroadcastTransmitter(buffer)
    const receiver = new BroadcastReceiver(buffer)
    assert.isFalse(receiver.receiveNext())
    transmitter.transmit(3, bytes(5, 1), 0, 5)
    assert.isTrue(receiver.receiveNext())
    assert.deepStrictEqual([receiver.typeId, receiver.offset, receiver.length], [3, 8, 5])
    assert.isTrue(receiver.validate())
    for (let i = 0; i < 64; i++) {
      transmitter.transmit(4, bytes(8), 0, 8)
    }
    assert.isFalse(receiver.validate())
  })

  it("starts with the latest message", () => {
    const buffer = makeBuffer()
    const transmitter = new BroadcastTransmitter(buffer)
    transmitter.transmit(1, bytes(8), 0, 8)
    transmitter.transmit(2, bytes(8), 0, 8)
    const receiver = new BroadcastReceiver(buffer)
    assert.isTrue(receiver.receiveNext())
    assert.strictEqual(receiver.typeId, 2)
  })

  it("counts being overtaken and goes on with the latest message", () => {
    const buffer = makeBuffer()
    const transmitter = new BroadcastTransmitter(buffer)
    const receiver = new BroadcastReceiver(buffer)
    for (let typeId = 1; typeId <= 100; typeId++) {
      transmitter.transmit(typeId, bytes(8), 0, 8)
    }
    assert.isFalse(receiver.receiveNext())
    assert.strictEqual(receiver.lappedCount, 1)
    assert.isTrue(receiver.receiveNext())
    assert.strictEqual(receiver.typeId, 100)
    assert.strictEqual(receiver.lappedCount, 1)
  })

  it("is overtaken by the intent to write, before a byte is overwritten", () => {
    const buffer = makeBuffer()
    new BroadcastTransmitter(buffer).transmit(1, bytes(8), 0, 8)
    const receiver = new BroadcastReceiver(buffer)
    assert.isTrue(receiver.receiveNext())
    buffer.view.setBigInt64(TAIL_INTENT, BigInt(CAPACITY), true)
    assert.isFalse(receiver.validate())
  })

  it("reports records and positions that cannot be", () => {
    for (const length of [0, 7, -1, CAPACITY / 8 + 9, 2 ** 31 - 1]) {
      const buffer = makeBuffer()
      const receiver = new BroadcastReceiver(buffer)
      new BroadcastTransmitter(buffer).transmit(1, bytes(8), 0, 8)
      buffer.view.setInt32(0, length, true)
      assert.throws(() => receiver.receiveNext(), CorruptRecord)
    }
    const padded = makeBuffer()
    const receiver = new BroadcastReceiver(padded)
    new BroadcastTransmitter(padded).transmit(1, bytes(8), 0, 8)
    padded.view.setInt32(4, -1, true)
    assert.throws(() => receiver.receiveNext(), /type after padding/)
    const misaligned = makeBuffer()
    misaligned.view.setBigInt64(LATEST, 4n, true)
    misaligned.view.setBigInt64(TAIL, 40n, true)
    assert.throws(() => new BroadcastReceiver(misaligned).receiveNext(), CorruptRecord)
  })

  it("does not hang on a trailer that says it is lapped for ever", () => {
    const buffer = makeBuffer()
    const receiver = new BroadcastReceiver(buffer)
    buffer.view.setBigInt64(TAIL_INTENT, 2n ** 52n, true)
    buffer.view.setBigInt64(TAIL, 64n, true)
    assert.isFalse(receiver.receiveNext())
    assert.isFalse(receiver.receiveNext())
    assert.strictEqual(receiver.lappedCount, 2)
  })
})

describe("CopyBroadcastReceiver", () => {
  it("grows its scratch buffer for longer messages", () => {
    const buffer = makeBuffer(128 * 1024)
    const receiver = makeCopying(buffer)
    const message = Uint8Array.from({ length: 16 * 1024 }, (_, i) => i)
    new BroadcastTransmitter(buffer).transmit(1, message, 0, message.length)
    assert.deepStrictEqual(receiveOne(receiver), [1, [...message]])
  })

  it("fails loudly when it was lapped, once, and then goes on", () => {
    const buffer = makeBuffer()
    const transmitter = new BroadcastTransmitter(buffer)
    const receiver = makeCopying(buffer)
    for (let typeId = 1; typeId <= 100; typeId++) {
      transmitter.transmit(typeId, bytes(8), 0, 8)
    }
    assert.throws(() => receiveOne(receiver), Lapped)
    assert.strictEqual(receiveOne(receiver)?.[0], 100)
    transmitter.transmit(101, bytes(8), 0, 8)
    assert.strictEqual(receiveOne(receiver)?.[0], 101)
  })

  it("hands nothing on that was overwritten while it was copied", () => {
    const buffer = makeBuffer()
    const receiver = new BroadcastReceiver(buffer)
    new BroadcastTransmitter(buffer).transmit(1, bytes(8), 0, 8)
    const overtaking = new Proxy(receiver, {
      get: (target, property) => {
        if (property === "offset") {
          buffer.view.setBigInt64(TAIL_INTENT, BigInt(CAPACITY), true)
        }
        const value: unknown = Reflect.get(target, property, target)
        return typeof value === "function" ? value.bind(target) : value
      }
    })
    assert.throws(
      () => new CopyBroadcastReceiver(overtaking).receive(() => assert.fail("handed on a torn message")),
      Lapped
    )
  })

  it("fails with RegionClosed at every entry after its region was closed", () => {
    const region = new HeapRegion("broadcast", CAPACITY + 128)
    const buffer = region.buffer()
    const transmitter = new BroadcastTransmitter(buffer)
    const receiver = new BroadcastReceiver(buffer)
    const copying = new CopyBroadcastReceiver(receiver)
    transmitter.transmit(1, bytes(8), 0, 8)
    region.close()
    const entries = [
      () => transmitter.transmit(1, bytes(8), 0, 8),
      () => receiver.receiveNext(),
      () => receiver.validate(),
      () => copying.receive(() => {}),
      () => new BroadcastTransmitter(buffer),
      () => new BroadcastReceiver(buffer)
    ]
    for (const entry of entries) {
      assert.throws(entry, RegionClosed)
    }
  })
})

const int = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const Command = Schema.Union([
  Schema.Struct({ op: Schema.Literal("transmit"), length: int(0, 32), typeId: int(1, 1000) }),
  Schema.Struct({ op: Schema.Literal("receive"), receiver: int(0, 2), count: int(1, 12) }),
  Schema.Struct({ op: Schema.Literal("join"), receiver: int(0, 2) })
])
const Commands = Arbitrary.array(Arbitrary.schema(Command), { maxLength: 200 })

/** A broadcast in plain JavaScript: all messages ever sent, with the position where each record and its padding begin. */
class BroadcastModel {
  readonly capacity: number
  tail: number
  readonly records: Array<{ start: number; end: number; typeId: number; message: ReadonlyArray<number> }> = []

  constructor(capacity: number, start: number) {
    this.capacity = capacity
    this.tail = start
  }

  transmit(typeId: number, message: ReadonlyArray<number>): void {
    const length = Math.ceil((message.length + 8) / 8) * 8
    const toEnd = this.capacity - (this.tail % this.capacity)
    const start = this.tail
    this.tail += (toEnd < length ? toEnd : 0) + length
    this.records.push({ start, end: this.tail, typeId, message })
  }

  /** What the receiver at `cursor` gets: a record, "lapped", or nothing. */
  receive(cursor: number) {
    if (cursor >= this.tail) {
      return undefined
    }
    return cursor + this.capacity <= this.tail ? "lapped" : this.records.find((record) => record.end > cursor)
  }

  /** Where a record's own bytes begin, behind its padding. */
  latest(): number {
    const record = this.records.at(-1)
    return record === undefined ? this.tail : record.end - Math.ceil((record.message.length + 8) / 8) * 8
  }
}

describe("a broadcast against a model", () => {
  it.prop(
    "every receiver gets every message in order or is told that it was lapped",
    [Commands, Schema.Literals([0, 2 ** 32 - 40, 2 ** 40 + 8])],
    ([commands, start]) => {
      const buffer = makeBuffer(256)
      buffer.view.setBigInt64(256 + 8, BigInt(start), true)
      buffer.view.setBigInt64(256 + 16, BigInt(start), true)
      const transmitter = new BroadcastTransmitter(buffer)
      const model = new BroadcastModel(256, start)
      const join = () => ({ receiver: makeCopying(buffer), cursor: model.latest() })
      const receivers = [join(), join(), join()]
      let counter = 0
      for (const command of commands) {
        if (command.op === "transmit") {
          counter++
          const message = Array.from({ length: command.length }, (_, i) => (counter * 31 + i) & 0xff)
          transmitter.transmit(command.typeId, Uint8Array.from(message), 0, message.length)
          model.transmit(command.typeId, message)
        } else if (command.op === "join") {
          receivers[command.receiver] = join()
        } else {
          const entry = receivers[command.receiver]!
          for (let i = 0; i < command.count; i++) {
            const expected = model.receive(entry.cursor)
            if (expected === "lapped") {
              assert.throws(() => receiveOne(entry.receiver), Lapped)
              entry.cursor = model.latest()
            } else {
              assert.deepStrictEqual(
                receiveOne(entry.receiver),
                expected === undefined ? undefined : [expected.typeId, expected.message]
              )
              entry.cursor = expected?.end ?? entry.cursor
            }
          }
        }
      }
    },
    { arbitrary: { runs: 500, size: 150 } }
  )
})
