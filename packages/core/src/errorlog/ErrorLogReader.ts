/** Reads an error log while its owner goes on writing it. */
import { align } from "../memory/Alignment.ts"
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import { assertOpen } from "../memory/RegionState.ts"
import { CorruptRecord } from "../ringbuffer/CorruptRecord.ts"
import * as ErrorLogDescriptor from "./ErrorLogDescriptor.ts"

/** One distinct error. */
export type ErrorConsumer = (
  observationCount: number,
  firstObservationMs: number,
  lastObservationMs: number,
  text: string
) => void

const decoder = new TextDecoder()

export const hasErrors = (buffer: AtomicBuffer): boolean => {
  assertOpen(buffer.state)
  return buffer.length >= ErrorLogDescriptor.TEXT_OFFSET && lengthAt(buffer, 0) > 0
}

/** Hands every error last seen at or after `sinceMs` to `consumer`, in the order of first observation; returns how many. */
export const read = (buffer: AtomicBuffer, consumer: ErrorConsumer, sinceMs: number = 0): number => {
  let count = 0
  forEachRecord(buffer, (offset, length) => {
    const lastMs = Number(Atomics.load(buffer.int64, (offset + ErrorLogDescriptor.LAST_OBSERVATION_OFFSET) / 8))
    if (lastMs >= sinceMs) {
      count++
      consumer(
        Atomics.load(buffer.int32, (offset + ErrorLogDescriptor.OBSERVATION_COUNT_OFFSET) >>> 2),
        Number(Atomics.load(buffer.int64, (offset + ErrorLogDescriptor.FIRST_OBSERVATION_OFFSET) / 8)),
        lastMs,
        textAt(buffer, offset, length)
      )
    }
  })
  return count
}

/** Walks the records; returns where the next one would begin. */
export const forEachRecord = (buffer: AtomicBuffer, onRecord: (offset: number, length: number) => void): number => {
  assertOpen(buffer.state)
  let offset = 0
  while (offset + ErrorLogDescriptor.TEXT_OFFSET <= buffer.length) {
    assertOpen(buffer.state)
    const length = lengthAt(buffer, offset)
    if (length === 0) {
      break
    }
    const limit = buffer.length - offset
    if (length < ErrorLogDescriptor.TEXT_OFFSET || length > limit) {
      throw new CorruptRecord("error log", buffer.state.name, "record length", offset, length, limit)
    }
    onRecord(offset, length)
    offset = align(offset + length, ErrorLogDescriptor.RECORD_ALIGNMENT)
  }
  return offset
}

export const textAt = (buffer: AtomicBuffer, offset: number, length: number): string =>
  decoder.decode(buffer.bytes.slice(offset + ErrorLogDescriptor.TEXT_OFFSET, offset + length))

const lengthAt = (buffer: AtomicBuffer, offset: number): number =>
  Atomics.load(buffer.int32, (offset + ErrorLogDescriptor.LENGTH_OFFSET) >>> 2)
