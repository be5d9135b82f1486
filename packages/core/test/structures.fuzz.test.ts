/**
 * Whatever another process has written into shared memory, reading it ends: with what is there, or with `CorruptRecord`.
 * Nothing is read outside, and nothing goes on for ever.
 */
import { assert, describe, it } from "@effect/vitest"
import { BroadcastReceiver } from "../src/broadcast/BroadcastReceiver.ts"
import { BroadcastTransmitter } from "../src/broadcast/BroadcastTransmitter.ts"
import { CopyBroadcastReceiver } from "../src/broadcast/CopyBroadcastReceiver.ts"
import { Lapped } from "../src/broadcast/Lapped.ts"
import { CountersManager } from "../src/counters/CountersManager.ts"
import { CountersReader } from "../src/counters/CountersReader.ts"
import { DistinctErrorLog } from "../src/errorlog/DistinctErrorLog.ts"
import * as ErrorLogReader from "../src/errorlog/ErrorLogReader.ts"
import { LossReport } from "../src/lossreport/LossReport.ts"
import * as LossReportReader from "../src/lossreport/LossReportReader.ts"
import { AtomicBuffer } from "../src/memory/AtomicBuffer.ts"
import { CorruptRecord } from "../src/ringbuffer/CorruptRecord.ts"
import { ManyToOneRingBuffer } from "../src/ringbuffer/ManyToOneRingBuffer.ts"
import { OneToOneRingBuffer } from "../src/ringbuffer/OneToOneRingBuffer.ts"
import type { RingBuffer } from "../src/ringbuffer/RingBuffer.ts"
import * as Peers from "./Peers.ts"

/** Bytes around the window that nothing may touch. */
const MARGIN = 64
const MARK = 0xa5

class Arena {
  readonly buffer: AtomicBuffer
  readonly #bytes: Uint8Array

  constructor(length: number) {
    const memory = new ArrayBuffer(length + 2 * MARGIN)
    this.#bytes = new Uint8Array(memory).fill(MARK)
    this.#bytes.fill(0, MARGIN, MARGIN + length)
    this.buffer = new AtomicBuffer({ name: "arena", isClosed: false }, memory, MARGIN, length)
  }

  /** Overwrites some words, preferring values that look like lengths and positions. */
  damage(random: () => number): void {
    const words = this.buffer.int32
    const count = 1 + (random() % 6)
    for (let i = 0; i < count; i++) {
      const index = random() % words.length
      const value = random()
      const kind = value % 6
      words[index] =
        kind === 0
          ? value | 0
          : kind === 1
            ? -(value % 300)
            : kind === 2
              ? value % 300
              : kind === 3
                ? 0
                : (value % 40) * 8
    }
  }

  checkMargins(): void {
    const end = MARGIN + this.buffer.length
    if (!this.#bytes.every((byte, i) => (i >= MARGIN && i < end) || byte === MARK)) {
      assert.fail("something was written outside the window")
    }
  }
}

/** Runs a use of damaged memory; only the errors that say so are allowed. */
const survive = (use: () => unknown): void => {
  try {
    use()
  } catch (error) {
    if (!(error instanceof CorruptRecord || error instanceof Lapped)) {
      throw error
    }
  }
}

const inside = (buffer: AtomicBuffer, offset: number, length: number): void => {
  if (offset < 0 || length < 0 || offset + length > buffer.length) {
    assert.fail(`a message of ${length} bytes at ${offset} of ${buffer.length}`)
  }
}

const onMessage = (_typeId: number, buffer: AtomicBuffer, offset: number, length: number): void =>
  inside(buffer, offset, length)

const ring = (make: (buffer: AtomicBuffer) => RingBuffer) => (random: () => number) => {
  const arena = new Arena(256 + 768)
  const intact = make(arena.buffer)
  const message = new Uint8Array(32).fill(7)
  for (let i = random() % 12; i > 0; i--) {
    intact.write(1, message, 0, random() % 33)
    if (random() % 3 === 0) {
      intact.read(onMessage, 2)
    }
  }
  arena.damage(random)
  const damaged = random() % 2 === 0 ? intact : make(arena.buffer)
  for (let i = 0; i < 8; i++) {
    survive(() => damaged.read(onMessage))
    survive(() => damaged.write(2, message, 0, 32))
    survive(() => damaged.tryClaim(2, 16))
    survive(() => damaged.unblock())
  }
  survive(() => damaged.size)
  arena.checkMargins()
}

const broadcast = (random: () => number): void => {
  const arena = new Arena(256 + 128)
  const transmitter = new BroadcastTransmitter(arena.buffer)
  const receiver = new CopyBroadcastReceiver(new BroadcastReceiver(arena.buffer), 16)
  const message = new Uint8Array(32).fill(7)
  for (let i = random() % 12; i > 0; i--) {
    transmitter.transmit(1, message, 0, random() % 33)
  }
  arena.damage(random)
  const late = new CopyBroadcastReceiver(new BroadcastReceiver(arena.buffer), 16)
  for (let i = 0; i < 12; i++) {
    survive(() => receiver.receive(onMessage))
    survive(() => late.receive(onMessage))
    survive(() => transmitter.transmit(2, message, 0, 32))
  }
  arena.checkMargins()
}

const counters = (random: () => number): void => {
  const metadata = new Arena(4 * 512)
  const values = new Arena(4 * 128)
  const manager = new CountersManager(metadata.buffer, values.buffer, () => 0, 0)
  for (let i = 0; i < 3; i++) {
    manager.allocate({ typeId: i, label: "label", registrationId: BigInt(i) })
  }
  metadata.damage(random)
  values.damage(random)
  const reader = new CountersReader(metadata.buffer, values.buffer)
  survive(() => reader.forEach(() => {}))
  survive(() => reader.findByTypeIdAndRegistrationId(1, 1n))
  survive(() => manager.appendToLabel(0, "more"))
  survive(() => manager.allocate({ typeId: 9, label: "x".repeat(500), key: new Uint8Array(500) }))
  metadata.checkMargins()
  values.checkMargins()
}

const errorLog = (random: () => number): void => {
  const arena = new Arena(512)
  const log = new DistinctErrorLog(arena.buffer, () => 1)
  for (let i = random() % 6; i > 0; i--) {
    log.recordText("e".repeat(random() % 90))
  }
  arena.damage(random)
  survive(() => ErrorLogReader.read(arena.buffer, () => {}))
  survive(() => new DistinctErrorLog(arena.buffer, () => 2).recordText("new"))
  survive(() => log.recordText("another"))
  arena.checkMargins()
}

const lossReport = (random: () => number): void => {
  const arena = new Arena(512)
  const report = new LossReport(arena.buffer)
  for (let i = random() % 4; i > 0; i--) {
    report.createEntry(1, 1, 1, 1, "c".repeat(random() % 60), "s".repeat(random() % 30))
  }
  arena.damage(random)
  survive(() => LossReportReader.read(arena.buffer, () => {}))
  survive(() => new LossReport(arena.buffer).createEntry(1, 1, 1, 1, "channel", "source"))
  survive(() => report.createEntry(1, 1, 1, 1, "channel", "source"))
  arena.checkMargins()
}

const targets: Readonly<Record<string, (random: () => number) => void>> = {
  "many-to-one ring": ring((buffer) => new ManyToOneRingBuffer(buffer)),
  "one-to-one ring": ring((buffer) => new OneToOneRingBuffer(buffer)),
  broadcast,
  counters,
  "error log": errorLog,
  "loss report": lossReport
}

describe("damaged shared memory", () => {
  for (const [name, target] of Object.entries(targets)) {
    it(`of a ${name} is read or refused, and never leads outside`, () => {
      const count = Math.ceil(Peers.countOr(30_000) / 6)
      for (let i = 0; i < count; i++) {
        const seed = Peers.seed + i
        try {
          target(Peers.random(seed))
        } catch (error) {
          throw new Error(`seed ${seed}`, { cause: error })
        }
      }
    })
  }
})
