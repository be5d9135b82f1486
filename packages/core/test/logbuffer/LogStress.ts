/**
 * The plan of the log buffer's stress tests, known to every peer: where things lie in the shared region, and which
 * messages a publisher sends in which way.
 */
import * as LogBufferDescriptor from "../../src/logbuffer/LogBufferDescriptor.ts"
import { LogBuffers } from "../../src/logbuffer/LogBuffers.ts"
import type { AtomicBuffer } from "../../src/memory/AtomicBuffer.ts"
import * as Int64 from "../../src/memory/Int64.ts"
import type { Region } from "../../src/memory/Region.ts"
import { random } from "../Peers.ts"
import { encode, HEADER_LENGTH, isWhole } from "../ringbuffer/StressMessage.ts"

export const TERM_LENGTH = LogBufferDescriptor.TERM_LENGTH_MIN
export const MTU = 256
export const LENGTH_MAX = 1500
/** A publisher of batches sends this many messages at once: all of them arrive, or none. */
export const BATCH_COUNT = 16

/** One message in this many is longer than a frame. */
const FRAGMENTED_EVERY = 50

const LOG_LENGTH = LogBufferDescriptor.computeLogLength(TERM_LENGTH, LogBufferDescriptor.PAGE_SIZE_MIN)
const CONTROL_LENGTH = 4096
const LIMIT_OFFSET = 0
const STOP_OFFSET = 64
const READER_OFFSET = 128

export const REGION_LENGTH = LOG_LENGTH + CONTROL_LENGTH

/** The log, and beside it what a driver's counters hold: the publishers' limit and the readers' positions. */
export class SharedLog {
  readonly log: LogBuffers
  private readonly control: AtomicBuffer

  private constructor(log: LogBuffers, control: AtomicBuffer) {
    this.log = log
    this.control = control
  }

  static create(region: Region, type: number): SharedLog {
    const log = LogBuffers.create(logOf(region), {
      correlationId: 1n,
      initialTermId: 2 ** 31 - 3,
      mtuLength: MTU,
      termLength: TERM_LENGTH,
      pageSize: LogBufferDescriptor.PAGE_SIZE_MIN,
      sessionId: 1,
      streamId: 2,
      type
    })
    return new SharedLog(log, region.buffer(LOG_LENGTH, CONTROL_LENGTH))
  }

  static open(region: Region): SharedLog {
    return new SharedLog(new LogBuffers(logOf(region)), region.buffer(LOG_LENGTH, CONTROL_LENGTH))
  }

  get limit(): number {
    return Int64.loadMonotonic(this.control, LIMIT_OFFSET)
  }

  set limit(position: number) {
    Int64.storeExclusiveRelease(this.control, LIMIT_OFFSET, position)
  }

  readerPosition(reader: number): number {
    return Int64.loadMonotonic(this.control, READER_OFFSET + 64 * reader)
  }

  setReaderPosition(reader: number, position: number): void {
    Int64.storeExclusiveRelease(this.control, READER_OFFSET + 64 * reader, position)
  }

  get isStopped(): boolean {
    return Atomics.load(this.control.int32, STOP_OFFSET / 4) === 1
  }

  stop(): void {
    Atomics.store(this.control.int32, STOP_OFFSET / 4, 1)
  }
}

/** The log is a region of its own to its kernels. */
const logOf = (region: Region): Region => ({
  state: region.state,
  length: LOG_LENGTH,
  buffer: (offset = 0, length = LOG_LENGTH - offset) => region.buffer(offset, length),
  close: () => region.close()
})

/** How long each message of a publisher is. Those that go in batches are never fragmented. */
export const lengths = (seed: number, publisher: number, isBatched: boolean): (() => number) => {
  const next = random(seed * 31 + publisher + 1)
  return () => {
    const isFragmented = next() % FRAGMENTED_EVERY === 0 && !isBatched
    return HEADER_LENGTH + (next() % ((isFragmented ? LENGTH_MAX : MTU - 32) - HEADER_LENGTH))
  }
}

/** Checks that each publisher's messages come whole and in order, none twice and none left out. */
export class Checker {
  readonly received: Array<number>
  total = 0
  private readonly nextLengths: ReadonlyArray<() => number>

  constructor(seed: number, ways: ReadonlyArray<Way>) {
    this.received = ways.map(() => 0)
    this.nextLengths = ways.map((way, publisher) => lengths(seed, publisher, way === "batch"))
  }

  onMessage(bytes: Uint8Array<ArrayBufferLike>, offset: number, length: number): void {
    const publisher = word(bytes, offset)
    const sequence = word(bytes, offset + 4)
    const expected = this.received[publisher]
    if (sequence !== expected) {
      throw new Error(`message ${sequence} of publisher ${publisher} came where ${expected} was due`)
    }
    if (length !== this.nextLengths[publisher]!() || !isWhole(bytes, offset, length, publisher, sequence)) {
      throw new Error(`message ${sequence} of publisher ${publisher}, ${length} bytes long, is torn`)
    }
    this.received[publisher] = sequence + 1
    this.total++
  }
}

const word = (bytes: Uint8Array<ArrayBufferLike>, offset: number): number =>
  bytes[offset]! | (bytes[offset + 1]! << 8) | (bytes[offset + 2]! << 16) | (bytes[offset + 3]! << 24)

/** How a publisher sends: message by message, through claims of which some are aborted, or in batches. */
export type Way = "append" | "claim" | "batch"

export interface PublisherPlan {
  readonly publisher: number
  readonly way: Way
  readonly isExclusive: boolean
  /** A multiple of `BATCH_COUNT`. */
  readonly messageCount: number
  readonly seed: number
}

export interface ReaderPlan {
  readonly reader: number
  readonly kind: "batches" | "frames"
  readonly ways: ReadonlyArray<Way>
  readonly messageCount: number
  readonly seed: number
}

export { encode }
