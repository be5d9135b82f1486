/** The same commands on a log and on its model, whichever form of ordered access is in use. */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { BatchAppender, framedLength } from "../../src/logbuffer/BatchAppender.ts"
import { BatchReader } from "../../src/logbuffer/BatchReader.ts"
import { BufferClaim } from "../../src/logbuffer/BufferClaim.ts"
import { ExclusiveTermAppender } from "../../src/logbuffer/ExclusiveTermAppender.ts"
import { FragmentAssembler, COMPLETE } from "../../src/logbuffer/FragmentAssembler.ts"
import { FragmentBatch } from "../../src/logbuffer/FragmentBatch.ts"
import * as LogBufferDescriptor from "../../src/logbuffer/LogBufferDescriptor.ts"
import type { LogBuffers } from "../../src/logbuffer/LogBuffers.ts"
import type { MessageAppender } from "../../src/logbuffer/MessageAppender.ts"
import { TermAppender } from "../../src/logbuffer/TermAppender.ts"
import * as TermCleaner from "../../src/logbuffer/TermCleaner.ts"
import * as TermReader from "../../src/logbuffer/TermReader.ts"
import { type Entry, LogModel } from "./LogModel.ts"
import { makeLog, message, TERM_LENGTH, viewOf } from "./testLog.ts"

const MTU = 256
const MESSAGE_LENGTH_MAX = TERM_LENGTH / 8

const int = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const Command = Schema.Union([
  Schema.Struct({ op: Schema.Literal("append"), length: int(0, 600) }),
  Schema.Struct({ op: Schema.Literal("append"), length: int(0, MESSAGE_LENGTH_MAX) }),
  Schema.Struct({ op: Schema.Literal("appendVector"), lengths: Schema.Array(int(0, 500)) }),
  Schema.Struct({ op: Schema.Literal("batch"), lengths: Schema.Array(int(0, MTU - 32)), spare: int(0, 4) }),
  Schema.Struct({ op: Schema.Literal("claim"), length: int(0, MTU - 32) }),
  Schema.Struct({ op: Schema.Literal("end"), index: int(0, 5), how: Schema.Literals(["commit", "abort"]) }),
  Schema.Struct({ op: Schema.Literal("read"), capacity: int(1, 20) })
])
type Command = typeof Command.Type

const Commands = Arbitrary.array(Arbitrary.schema(Command), { maxLength: 150 })

/** Terms behind the stream at its start: none, some, and where term ids wrap and positions are longest. */
const TermCount = Schema.Literals([0, 5, 2 ** 31 - 3])
const TermOffset = Schema.Literals([0, 32, TERM_LENGTH - 4096, TERM_LENGTH - 32])

/** One log and its model through the same commands, as a publisher, a subscriber and a driver that cleans. */
class Pair {
  private readonly model: LogModel
  private readonly log: LogBuffers
  private readonly appenders: ReadonlyArray<MessageAppender>
  private readonly batches: ReadonlyArray<BatchAppender>
  private readonly batchReader: BatchReader
  private readonly cursor = new TermReader.TermCursor()
  private readonly assembler = new FragmentAssembler(MESSAGE_LENGTH_MAX)
  private readonly open: Array<{ readonly claim: BufferClaim; readonly entry: Entry }> = []
  private cleanPosition: number
  private framePosition: number
  private counter = 0
  private messageCount = 0

  constructor(isExclusive: boolean, termCount: number, termOffset: number) {
    this.log = makeLog({ initialTermId: 11, mtuLength: MTU, termCount, termOffset })
    const position = termCount * TERM_LENGTH + termOffset
    this.model = new LogModel(TERM_LENGTH, MTU, position)
    this.appenders = isExclusive
      ? [new ExclusiveTermAppender(this.log)]
      : [this.log, viewOf(this.log), viewOf(this.log)].map((log) => new TermAppender(log))
    this.batches = this.appenders.map((appender) => new BatchAppender(appender))
    this.batchReader = new BatchReader(this.log, position)
    this.cleanPosition = position
    this.framePosition = position
  }

  step(command: Command): void {
    const writer = this.counter++ % this.appenders.length
    const appender = this.appenders[writer]!
    if (command.op === "read") {
      this.read(command.capacity)
    } else if (command.op === "end") {
      this.end(command.index, command.how)
    } else if (this.model.position - this.model.readPosition < TERM_LENGTH / 2) {
      // As a position limit does: half a term may be claimed and not read.
      this.write(command, appender, this.batches[writer]!)
    }
    assert.strictEqual(appender.position(), this.model.position)
  }

  private write(
    command: Exclude<Command, { readonly op: "read" | "end" }>,
    appender: MessageAppender,
    batch: BatchAppender
  ): void {
    switch (command.op) {
      case "append": {
        const bytes = this.message(command.length)
        const expected = this.model.claim(this.model.framedLength(bytes.length), [text(bytes)], "published")
        assert.strictEqual(appender.append(bytes, 0, bytes.length), expected)
        break
      }
      case "appendVector": {
        const parts = command.lengths.slice(0, 16).map((length) => this.message(length))
        const joined = Buffer.concat(parts)
        const expected = this.model.claim(this.model.framedLength(joined.length), [text(joined)], "published")
        assert.strictEqual(appender.appendVector(parts), expected)
        break
      }
      case "batch": {
        this.writeBatch(command.lengths.slice(0, 20), command.spare, batch)
        break
      }
      case "claim": {
        const bytes = this.message(command.length)
        const expected = this.model.claim(framedLength(bytes.length), [text(bytes)], "open")
        const claim = new BufferClaim()
        assert.strictEqual(appender.claim(bytes.length, claim), expected)
        if (expected >= 0) {
          claim.buffer.bytes.set(bytes, claim.offset)
          this.open.push({ claim, entry: this.model.entries.at(-1)! })
        }
      }
    }
  }

  private writeBatch(lengths: ReadonlyArray<number>, spare: number, batch: BatchAppender): void {
    const messages = lengths.map((length) => this.message(length))
    const length = messages.reduce((sum, bytes) => sum + framedLength(bytes.length), 32 * spare)
    if (length === 0) {
      return
    }
    const contents = messages.map((bytes) => text(bytes))
    const expected = this.model.claim(length, contents, "published")
    assert.strictEqual(batch.begin(length), expected)
    if (expected >= 0) {
      for (const bytes of messages) {
        batch.put(bytes, 0, bytes.length)
      }
      batch.commit()
    }
  }

  private end(index: number, how: "commit" | "abort"): void {
    const [ended] = this.open.splice(index, 1)
    if (ended !== undefined) {
      ended.claim[how]()
      ended.entry.state = how === "commit" ? "published" : "padding"
    }
  }

  private read(capacity: number): void {
    const expected = this.model.read()
    const batch = new FragmentBatch(capacity)
    const inBatches: Array<string> = []
    while (this.batchReader.read(batch) > 0) {
      assert.isAtMost(batch.count, capacity)
      const owned = batch.toOwned()
      for (let index = 0; index < batch.count; index++) {
        inBatches.push(text(batch.message(index)))
        assert.strictEqual(text(owned.message(index)), text(batch.message(index)))
      }
      assert.isAtMost(batch.positions[batch.count - 1]!, this.batchReader.position)
    }
    assert.deepStrictEqual(inBatches, expected)
    assert.deepStrictEqual(this.readFrames(capacity), expected)
    assert.strictEqual(this.batchReader.position, this.model.readPosition)
    assert.strictEqual(this.framePosition, this.model.readPosition)
    while (this.cleanPosition < this.model.readPosition) {
      this.cleanPosition = TermCleaner.clean(this.log, this.cleanPosition, this.model.readPosition)
    }
  }

  /** The same again through the reader of single frames and an assembler. */
  private readFrames(limit: number): ReadonlyArray<string> {
    const messages: Array<string> = []
    let position: number
    do {
      position = this.framePosition
      const offset = LogBufferDescriptor.computeTermOffset(position, TERM_LENGTH)
      const term = this.log.terms[LogBufferDescriptor.indexByPosition(position, TERM_LENGTH)]!
      this.cursor.termOffset = offset
      TermReader.read(term, position - offset, this.cursor, limit, (bytes, begin, length, header) => {
        if (header.flags === 0xc0) {
          messages.push(text(bytes.subarray(begin, begin + length)))
        } else if (this.assembler.onFragment(bytes, begin, length, header) === COMPLETE) {
          messages.push(text(this.assembler.bytes.subarray(0, this.assembler.length)))
        }
      })
      this.framePosition = position - offset + this.cursor.termOffset
    } while (this.framePosition > position)
    return messages
  }

  private message(length: number): Uint8Array {
    return message(this.messageCount++, length)
  }
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1")

export const suite = (access: string): void => {
  describe(`log buffers against a model, with ${access}`, () => {
    for (const kind of ["exclusive", "concurrent"] as const) {
      it.prop(
        `appenders (${kind}), readers, rotation and cleaning behave as a list of messages`,
        [Commands, TermCount, TermOffset],
        ([commands, termCount, termOffset]) => {
          const pair = new Pair(kind === "exclusive", termCount, termOffset)
          for (const command of commands) {
            pair.step(command)
          }
          pair.step({ op: "read", capacity: 7 })
        },
        { arbitrary: { runs: 150, size: 150 } }
      )
    }
  })
}
