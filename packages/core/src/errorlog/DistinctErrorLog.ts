/**
 * Records each distinct error once, with a count and the times it was first and last seen, so that an error in a loop
 * does not bury the others. Two errors are the same when their texts are: name, message, stack and causes.
 *
 * One owner a log, on one thread. A log that already holds records is continued.
 */
import { align } from "../memory/Alignment.ts"
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import { assertOpen } from "../memory/RegionState.ts"
import * as ErrorLogDescriptor from "./ErrorLogDescriptor.ts"
import * as ErrorLogReader from "./ErrorLogReader.ts"

/** A chain of causes is followed this far. */
const CAUSES_MAX = 16

const encoder = new TextEncoder()

export class DistinctErrorLog {
  private readonly buffer: AtomicBuffer
  private readonly epochMs: () => number
  private readonly offsets = new Map<string, number>()
  private nextOffset: number

  constructor(buffer: AtomicBuffer, epochMs: () => number) {
    this.buffer = buffer
    this.epochMs = epochMs
    this.nextOffset = ErrorLogReader.forEachRecord(buffer, (offset, length) => {
      this.offsets.set(ErrorLogReader.textAt(buffer, offset, length), offset)
    })
  }

  /** Number of distinct errors in the log. */
  get distinctCount(): number {
    return this.offsets.size
  }

  /** Records an error; false when it is a new one and the log has no room for it. */
  record(error: unknown): boolean {
    return this.recordText(textOf(error))
  }

  /** Records an error by its text alone. */
  recordText(text: string): boolean {
    const buffer = this.buffer
    assertOpen(buffer.state)
    const nowMs = BigInt(this.epochMs())
    const offset = this.offsets.get(text) ?? this.append(text, nowMs)
    if (offset < 0) {
      return false
    }
    Atomics.add(buffer.int32, (offset + ErrorLogDescriptor.OBSERVATION_COUNT_OFFSET) >>> 2, 1)
    Atomics.store(buffer.int64, (offset + ErrorLogDescriptor.LAST_OBSERVATION_OFFSET) / 8, nowMs)
    return true
  }

  /** Appends a record that was not observed yet; -1 when there is no room. */
  private append(text: string, nowMs: bigint): number {
    const buffer = this.buffer
    const encoded = encoder.encode(text)
    const offset = this.nextOffset
    const length = ErrorLogDescriptor.TEXT_OFFSET + encoded.length
    if (length > buffer.length - offset) {
      return -1
    }
    buffer.bytes.set(encoded, offset + ErrorLogDescriptor.TEXT_OFFSET)
    buffer.int64[(offset + ErrorLogDescriptor.FIRST_OBSERVATION_OFFSET) / 8] = nowMs
    this.nextOffset = align(offset + length, ErrorLogDescriptor.RECORD_ALIGNMENT)
    this.offsets.set(text, offset)
    // Release: a reader that sees the length relies on the text being there.
    Atomics.store(buffer.int32, (offset + ErrorLogDescriptor.LENGTH_OFFSET) >>> 2, length)
    return offset
  }
}

const textOf = (error: unknown): string => {
  let text = textOfOne(error)
  let cause = error
  for (let i = 0; i < CAUSES_MAX && cause instanceof Error && cause.cause !== undefined; i++) {
    cause = cause.cause
    text += `\nCaused by: ${textOfOne(cause)}`
  }
  return text
}

const textOfOne = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error)
