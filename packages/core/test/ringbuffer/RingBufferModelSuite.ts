/** Both rings against a model, under random commands. */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import type { AtomicBuffer } from "../../src/memory/AtomicBuffer.ts"
import { HeapRegion } from "../../src/memory/HeapRegion.ts"
import { Action } from "../../src/ringbuffer/ControlledMessageHandler.ts"
import { ManyToOneRingBuffer } from "../../src/ringbuffer/ManyToOneRingBuffer.ts"
import { OneToOneRingBuffer } from "../../src/ringbuffer/OneToOneRingBuffer.ts"
import { HEADER_LENGTH } from "../../src/ringbuffer/RecordDescriptor.ts"
import type { RingBuffer } from "../../src/ringbuffer/RingBuffer.ts"
import * as RingBufferDescriptor from "../../src/ringbuffer/RingBufferDescriptor.ts"
import { type ModelRecord, RingBufferModel } from "./RingBufferModel.ts"

const CAPACITY = 256
const LENGTH_MAX = CAPACITY / 8

const int = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const Command = Schema.Union([
  Schema.Struct({ op: Schema.Literal("write"), length: int(0, LENGTH_MAX), typeId: int(1, 1000) }),
  Schema.Struct({ op: Schema.Literal("claim"), length: int(0, LENGTH_MAX), typeId: int(1, 1000) }),
  Schema.Struct({ op: Schema.Literal("end"), index: int(0, 7), how: Schema.Literals(["commit", "abort"]) }),
  Schema.Struct({ op: Schema.Literal("read"), limit: int(0, 12) }),
  Schema.Struct({
    op: Schema.Literal("controlledRead"),
    actions: Schema.Array(Schema.Literals([Action.ABORT, Action.BREAK, Action.COMMIT, Action.CONTINUE]))
  }),
  Schema.Struct({ op: Schema.Literal("unblock") })
])
type Command = typeof Command.Type

const Commands = Arbitrary.array(Arbitrary.schema(Command), { maxLength: 120 })

/** Positions where something carries: the buffer's end, 2^32, and beyond what a double holds without alignment. */
const Start = Schema.Literals([0, CAPACITY - 24, 2 ** 32 - 40, 2 ** 40 + 8, 2 ** 52])

/** Runs the same commands on a ring and on the model, comparing what each shows after every step. */
class Pair {
  readonly ring: RingBuffer
  readonly model: RingBufferModel
  private readonly open: Array<{ readonly offset: number; readonly record: ModelRecord }> = []
  private counter = 0

  constructor(ring: RingBuffer, model: RingBufferModel) {
    this.ring = ring
    this.model = model
  }

  step(command: Command): void {
    switch (command.op) {
      case "write": {
        const message = this.message(command.length)
        const record = this.model.claim(command.typeId, message)
        assert.strictEqual(
          this.ring.write(command.typeId, Uint8Array.from(message), 0, message.length),
          record !== undefined
        )
        if (record !== undefined) {
          record.state = "message"
        }
        break
      }
      case "claim": {
        this.claim(command.typeId, this.message(command.length))
        break
      }
      case "end": {
        this.end(command.index, command.how)
        break
      }
      case "read": {
        this.read(command.limit, [])
        break
      }
      case "controlledRead": {
        this.read(Infinity, command.actions)
        break
      }
      case "unblock": {
        if (this.ring instanceof ManyToOneRingBuffer) {
          assert.strictEqual(this.ring.unblock(), this.model.unblock())
        }
      }
    }
    assert.strictEqual(this.ring.producerPosition, this.model.tail)
    assert.strictEqual(this.ring.consumerPosition, this.model.head)
    assert.strictEqual(this.ring.size, this.model.tail - this.model.head)
  }

  private claim(typeId: number, message: ReadonlyArray<number>): void {
    const record = this.model.claim(typeId, message)
    const offset = this.ring.tryClaim(typeId, message.length)
    if (record === undefined) {
      assert.strictEqual(offset, RingBufferDescriptor.INSUFFICIENT_CAPACITY)
      return
    }
    assert.strictEqual(offset, (record.position % CAPACITY) + HEADER_LENGTH)
    this.ring.buffer.bytes.set(message, offset)
    this.open.push({ offset, record })
  }

  private end(index: number, how: "commit" | "abort"): void {
    const [claim] = this.open.splice(index, 1)
    // A claim that was unblocked is no longer its producer's to end: its bytes may belong to another by now.
    if (claim?.record.state === "open") {
      claim.record.state = how === "commit" ? "message" : "padding"
      this.ring[how](claim.offset)
    }
  }

  private read(limit: number, actions: ReadonlyArray<Action>): void {
    const expected = this.model.read(limit, actions)
    const seen: Array<readonly [number, ReadonlyArray<number>]> = []
    const see = (typeId: number, buffer: AtomicBuffer, offset: number, length: number): Action => {
      seen.push([typeId, [...buffer.bytes.subarray(offset, offset + length)]])
      return actions[seen.length - 1] ?? Action.CONTINUE
    }
    const isAborted = expected.length > 0 && actions[expected.length - 1] === Action.ABORT
    const count = actions.length > 0 ? this.ring.controlledRead(see, limit) : this.ring.read(see, limit)
    assert.strictEqual(count, expected.length - (isAborted ? 1 : 0))
    assert.deepStrictEqual(
      seen,
      expected.map((record) => [record.typeId, record.message] as const)
    )
  }

  private message(length: number): ReadonlyArray<number> {
    this.counter++
    return Array.from({ length }, (_, i) => (this.counter * 31 + i) & 0xff)
  }
}

const bufferStartingAt = (position: number): AtomicBuffer => {
  const buffer = new HeapRegion("ring", CAPACITY + RingBufferDescriptor.TRAILER_LENGTH).buffer()
  buffer.view.setBigInt64(CAPACITY + RingBufferDescriptor.TAIL_POSITION_OFFSET, BigInt(position), true)
  buffer.view.setBigInt64(CAPACITY + RingBufferDescriptor.HEAD_POSITION_OFFSET, BigInt(position), true)
  return buffer
}

export const suite = (accesses: string): void => {
  describe(`ring buffers against a model, with ${accesses}`, () => {
    it.prop(
      "the many-to-one ring behaves as a list of records",
      [Commands, Start],
      ([commands, start]) => {
        const pair = new Pair(new ManyToOneRingBuffer(bufferStartingAt(start)), new RingBufferModel(CAPACITY, 0, start))
        for (const command of commands) {
          pair.step(command)
        }
      },
      { arbitrary: { runs: 500, size: 100 } }
    )

    it.prop(
      "the one-to-one ring behaves as a list of records",
      [Commands, Start],
      ([commands, start]) => {
        const pair = new Pair(
          new OneToOneRingBuffer(bufferStartingAt(start)),
          new RingBufferModel(CAPACITY, HEADER_LENGTH, start)
        )
        for (const command of commands) {
          pair.step(command)
        }
      },
      { arbitrary: { runs: 500, size: 100 } }
    )
  })
}
