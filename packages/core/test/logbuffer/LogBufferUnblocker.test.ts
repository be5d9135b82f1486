import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { frameBuffer } from "../../src/frame/FrameBuffer.ts"
import { BatchAppender } from "../../src/logbuffer/BatchAppender.ts"
import { BatchReader } from "../../src/logbuffer/BatchReader.ts"
import { BufferClaim } from "../../src/logbuffer/BufferClaim.ts"
import { ExclusiveTermAppender } from "../../src/logbuffer/ExclusiveTermAppender.ts"
import { FragmentBatch } from "../../src/logbuffer/FragmentBatch.ts"
import { CorruptFrame } from "../../src/logbuffer/FrameDescriptor.ts"
import { HeaderWriter } from "../../src/logbuffer/HeaderWriter.ts"
import type { LogBuffers } from "../../src/logbuffer/LogBuffers.ts"
import { LogBufferUnblocker } from "../../src/logbuffer/LogBufferUnblocker.ts"
import { TermAppender } from "../../src/logbuffer/TermAppender.ts"
import { TermTail } from "../../src/logbuffer/TermTail.ts"
import * as TermUnblocker from "../../src/logbuffer/TermUnblocker.ts"
import { KillSwitch } from "./killSwitch.ts"
import { makeLog, message, TERM_LENGTH, thrownBy } from "./testLog.ts"
import { wakingReader } from "./wakingReader.ts"

const BEFORE = message(100, 24)
const AFTER = message(101, 24)

/** Reads to the end as a driver's subscribers do: where they stand still, the driver unblocks. */
const readUnblocking = (log: LogBuffers, start: number, hasWriters = true) => {
  const reader = new BatchReader(log, start)
  const unblocker = new LogBufferUnblocker(log)
  const end = new TermAppender(log).position()
  const batch = new FragmentBatch(16)
  const messages: Array<ReadonlyArray<number>> = []
  for (;;) {
    while (reader.read(batch) > 0) {
      for (let index = 0; index < batch.count; index++) {
        messages.push(Array.from(batch.message(index)))
      }
    }
    if (reader.position >= end) {
      break
    }
    assert.isTrue(unblocker.unblock(reader.position, hasWriters), `blocked for ever at ${reader.position}`)
  }
  assert.strictEqual(reader.position, end)
  return messages
}

interface Writer {
  /** Appends to the log, which dies under it. */
  readonly write: (log: LogBuffers) => unknown
  /** What subscribers get when it comes to its end. */
  readonly messages: ReadonlyArray<Uint8Array>
}

const batchMessages = [message(1, 40), message(2, 8), message(3, 100)]

const WRITERS: Readonly<Record<string, Writer>> = {
  "a message": {
    write: (log) => new TermAppender(log).append(message(1, 100), 0, 100),
    messages: [message(1, 100)]
  },
  "a message with a reserved value": {
    write: (log) => new TermAppender(log).append(message(1, 9), 0, 9, () => -1n),
    messages: [message(1, 9)]
  },
  "a message of three fragments": {
    write: (log) => new TermAppender(log).appendVector([message(1, 224), message(2, 224), message(3, 52)]),
    messages: [Uint8Array.from([...message(1, 224), ...message(2, 224), ...message(3, 52)])]
  },
  "a batch": {
    write: (log) => new BatchAppender(new TermAppender(log)).appendAll(batchMessages, 0, 3),
    messages: batchMessages
  },
  "a batch of payload that looks like frames": {
    write: (log) => {
      const frame = new Uint8Array(128)
      new Int32Array(frame.buffer).fill(64)
      new BatchAppender(new TermAppender(log)).appendAll([frame, frame, frame], 0, 3)
    },
    messages: Array.from({ length: 3 }, () => new Uint8Array(new Int32Array(32).fill(64).buffer))
  },
  "a batch that is shorter than its claim": {
    write: (log) => {
      const batch = new BatchAppender(new TermAppender(log))
      batch.begin(640)
      batch.put(message(1, 40), 0, 40)
      batch.put(message(2, 8), 0, 8)
      batch.commit()
    },
    messages: [message(1, 40), message(2, 8)]
  }
}

/** What each writer does, and after how many stores it dies; most come to their end. */
const Deaths = Arbitrary.array(
  Arbitrary.schema(
    Schema.Struct({
      kind: Schema.Literals(["message", "fragments", "batch"]),
      steps: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 }))
    })
  ),
  { maxLength: 25 }
)

/** In a batch of its own object: one that died stays open for ever. */
const batchOf = (appender: TermAppender, messages: ReadonlyArray<Uint8Array>): number =>
  new BatchAppender(appender).appendAll(messages, 0, messages.length)

/** Every state that a writer can leave behind, with other writers before and after it. */
const eachDeath = (writer: Writer, check: (log: LogBuffers, steps: number, killed: boolean) => void): number => {
  for (let steps = 0; ; steps++) {
    const log = makeLog()
    new TermAppender(log).append(BEFORE, 0, BEFORE.length)
    const killSwitch = new KillSwitch(log)
    const killed = killSwitch.run(steps, () => writer.write(killSwitch.log))
    check(log, steps, killed)
    if (!killed) {
      return steps
    }
  }
}

describe("LogBufferUnblocker", () => {
  for (const [name, writer] of Object.entries(WRITERS)) {
    it(`frees the readers at every step at which the writer of ${name} can die`, () => {
      const whole = [BEFORE, ...writer.messages, AFTER].map((bytes) => Array.from(bytes))
      const without = [BEFORE, AFTER].map((bytes) => Array.from(bytes))
      const steps = eachDeath(writer, (log, step, killed) => {
        new TermAppender(log).append(AFTER, 0, AFTER.length)
        const messages = readUnblocking(log, 0)
        // All of it or nothing: never a part of a message or of a batch, and never anything of the others.
        assert.deepStrictEqual(messages, killed ? without : whole, `dead before store ${step}`)
      })
      assert.isAbove(steps, 7)
    })
  }

  for (const [name, writer] of Object.entries(WRITERS)) {
    it(`frees the readers at every step at which the writer of ${name} can die, where it was the last one`, () => {
      const whole = [BEFORE, ...writer.messages].map((bytes) => Array.from(bytes))
      eachDeath(writer, (log, step, killed) => {
        const messages = readUnblocking(log, 0, false)
        assert.deepStrictEqual(messages, killed ? [Array.from(BEFORE)] : whole, `dead before store ${step}`)
        assert.isFalse(new LogBufferUnblocker(log).unblock(new TermAppender(log).position(), false))
      })
    })
  }

  it.prop(
    "frees the readers from any sequence of living and dead writers, over the end of the term too",
    [Deaths, Schema.Literals([0, TERM_LENGTH - 2048, TERM_LENGTH - 96])],
    ([deaths, termOffset]) => {
      const log = makeLog({ termOffset })
      const killSwitch = new KillSwitch(log)
      const appender = new TermAppender(killSwitch.log)
      const expected: Array<ReadonlyArray<number>> = []
      deaths.forEach(({ kind, steps }, index) => {
        const messages = [40, 8, 100].map((length, nth) => message(10 * index + nth, length))
        const long = [message(index, 224), message(index + 1, 224), message(index + 2, 52)]
        const write = {
          message: () => appender.append(messages[2]!, 0, 100),
          fragments: () => appender.appendVector(long),
          batch: () => batchOf(appender, messages)
        }[kind]
        const written = { message: [messages[2]!], fragments: [Buffer.concat(long)], batch: messages }[kind]
        const killed = killSwitch.run(steps, () => {
          while (write() < 0) {
            // The log was rotated.
          }
        })
        if (!killed) {
          expected.push(...written.map((bytes) => Array.from(bytes)))
        }
      })
      const last = new TermAppender(log)
      while (last.append(AFTER, 0, AFTER.length) < 0) {
        // The log was rotated.
      }
      assert.deepStrictEqual(readUnblocking(log, termOffset), [...expected, Array.from(AFTER)])
    },
    { arbitrary: { runs: 200, size: 40 } }
  )

  it("waits with a claim of which nothing is written until its end is known", () => {
    const writer = WRITERS["a message"]!
    eachDeath(writer, (log, step, killed) => {
      const unblocker = new LogBufferUnblocker(log)
      const reader = new BatchReader(log, 64)
      if (killed) {
        assert.strictEqual(unblocker.unblock(reader.position), step > 0)
        assert.strictEqual(reader.read(new FragmentBatch(4)), 0)
      }
    })
  })

  it("pads a dead claim up to the end of the term and rotates the log", () => {
    const log = makeLog({ termOffset: TERM_LENGTH - 256 })
    const tail = new TermTail(log.metadata)
    tail.getAndAdd(0, 160)
    tail.getAndAdd(0, 160)
    assert.isTrue(new LogBufferUnblocker(log).unblock(TERM_LENGTH - 256))
    assert.strictEqual(new TermAppender(log).position(), TERM_LENGTH)
    new TermAppender(log).append(AFTER, 0, AFTER.length)
    assert.deepStrictEqual(readUnblocking(log, TERM_LENGTH - 256), [Array.from(AFTER)])
  })

  it("pads a writer that died while it padded the end of the term, and the next writer rotates", () => {
    for (let steps = 0; ; steps++) {
      const log = makeLog({ termOffset: TERM_LENGTH - 96 })
      const killSwitch = new KillSwitch(log)
      const killed = killSwitch.run(steps, () => new TermAppender(killSwitch.log).append(message(1, 100), 0, 100))
      if (!killed) {
        break
      }
      assert.isTrue(new LogBufferUnblocker(log).unblock(TERM_LENGTH - 96))
      const appender = new TermAppender(log)
      while (appender.append(AFTER, 0, AFTER.length) < 0) {
        // One ADMIN_ACTION when the unblocker could not know that the log is to be rotated.
      }
      assert.deepStrictEqual(readUnblocking(log, TERM_LENGTH - 96), [Array.from(AFTER)])
    }
  })

  it("rotates for a writer that filled the term and died before it did", () => {
    const log = makeLog({ termOffset: TERM_LENGTH })
    const unblocker = new LogBufferUnblocker(log)
    assert.isTrue(unblocker.unblock(TERM_LENGTH))
    assert.strictEqual(new TermAppender(log).position(), TERM_LENGTH)
    assert.isFalse(unblocker.unblock(TERM_LENGTH), "nothing is claimed in the new term")
  })

  it("finishes a rotation that was done by half", () => {
    const log = makeLog({ termOffset: TERM_LENGTH })
    log.metadata.int64[1] = 8n << 32n
    assert.isTrue(new LogBufferUnblocker(log).unblock(TERM_LENGTH))
    assert.strictEqual(log.metadata.int32[6], 1)
  })

  it("does nothing where a frame is published or nothing is claimed", () => {
    const log = makeLog()
    new TermAppender(log).append(BEFORE, 0, BEFORE.length)
    const before = log.terms[0].bytes.slice()
    const unblocker = new LogBufferUnblocker(log)
    assert.isFalse(unblocker.unblock(0))
    assert.isFalse(unblocker.unblock(64))
    assert.deepStrictEqual(log.terms[0].bytes, before)
  })

  it("does not rotate past the last term of a stream", () => {
    const last = 2 ** 31 - 1
    const log = makeLog({ termCount: last, termOffset: TERM_LENGTH })
    assert.isFalse(new LogBufferUnblocker(log).unblock(2 ** 47))
    const blocked = makeLog({ termCount: last, termOffset: TERM_LENGTH + 64 })
    assert.isTrue(new LogBufferUnblocker(blocked).unblock(2 ** 47 - 64))
    assert.strictEqual(blocked.metadata.int32[6], last)
  })

  it("frees a block append whose writer died, however its payload looks", () => {
    const donor = makeLog()
    const payload = new Uint8Array(new Int32Array(24).fill(64).buffer)
    const recorder = new ExclusiveTermAppender(donor)
    recorder.append(payload, 0, payload.length)
    recorder.append(payload, 0, payload.length)
    const block = frameBuffer(donor.terms[0].bytes.slice(0, recorder.position()))
    const length = block.bytes.length
    for (let copied = 32; copied <= length; copied += 32) {
      const log = makeLog()
      new ExclusiveTermAppender(log).appendBlock(block, 0, length)
      // Minus the whole length was stored first; then the writer died with this much of the block copied.
      log.terms[0].int32[0] = -length
      log.terms[0].bytes.fill(0, copied)
      assert.deepStrictEqual(readUnblocking(log, 0), [], `${copied} bytes copied`)
    }
  })

  it("makes padding that tells nothing of what the dead writer had begun", () => {
    const log = makeLog()
    const claim = new BufferClaim()
    new TermAppender(log).claim(33, claim)
    claim.flags = 0
    claim.reservedValue = -1n
    new LogBufferUnblocker(log).unblock(0)
    const padded = makeLog()
    new ExclusiveTermAppender(padded).appendPadding(33)
    assert.deepStrictEqual(log.terms[0].bytes.slice(0, 32), padded.terms[0].bytes.slice(0, 32))
  })

  it("leaves a claim alone whose writer wakes up while its range is being scanned", () => {
    const log = makeLog()
    new TermTail(log.metadata).getAndAdd(0, 96)
    new TermAppender(log).append(AFTER, 0, AFTER.length)
    const woken = wakingReader(log.terms[0], 96, () => {
      log.terms[0].int32[8] = 1
    })
    const status = woken.run(() => TermUnblocker.unblock(new HeaderWriter(log.metadata), woken.buffer, 0, 160, 7))
    assert.strictEqual(status, TermUnblocker.NO_ACTION)
    assert.strictEqual(log.terms[0].int32[0], 0)
  })

  it("frees a claim that was never committed", () => {
    const log = makeLog()
    const claim = new BufferClaim()
    new TermAppender(log).claim(33, claim)
    new TermAppender(log).append(AFTER, 0, AFTER.length)
    assert.deepStrictEqual(readUnblocking(log, 0), [Array.from(AFTER)])
  })

  it("refuses a negative length that reaches beyond the term", () => {
    const log = makeLog()
    new TermAppender(log).append(BEFORE, 0, BEFORE.length)
    for (const frameLength of [-(TERM_LENGTH + 32), -1, -(2 ** 31)]) {
      log.terms[0].int32[0] = frameLength
      assert.instanceOf(
        thrownBy(() => new LogBufferUnblocker(log).unblock(0)),
        CorruptFrame
      )
    }
  })
})
