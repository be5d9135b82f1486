/** Reads a loss report while its owner goes on writing it. */
import { align } from "../memory/Alignment.ts"
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import { assertOpen } from "../memory/RegionState.ts"
import { CorruptRecord } from "../ringbuffer/CorruptRecord.ts"
import * as LossReportDescriptor from "./LossReportDescriptor.ts"

/** The loss that one stream from one source has seen. */
export interface LossReportEntry {
  readonly observationCount: bigint
  readonly totalBytesLost: bigint
  readonly firstObservationMs: number
  readonly lastObservationMs: number
  readonly sessionId: number
  readonly streamId: number
  readonly channel: string
  readonly source: string
}

const decoder = new TextDecoder()

/** Hands every entry to `consumer`, in the order of first observation; returns how many there were. */
export const read = (buffer: AtomicBuffer, consumer: (entry: LossReportEntry) => void): number => {
  let count = 0
  walk(buffer, (offset, channelLength, sourceLength) => {
    count++
    consumer(entryAt(buffer, offset, channelLength, sourceLength))
  })
  return count
}

/** Where the entry after the last one begins. */
export const endOffset = (buffer: AtomicBuffer): number => walk(buffer, () => {})

const walk = (
  buffer: AtomicBuffer,
  onEntry: (offset: number, channelLength: number, sourceLength: number) => void
): number => {
  const entryLengthMin = LossReportDescriptor.entryLength(0, 0)
  let offset = 0
  assertOpen(buffer.state)
  while (offset + entryLengthMin <= buffer.length) {
    assertOpen(buffer.state)
    const countIndex = (offset + LossReportDescriptor.OBSERVATION_COUNT_OFFSET) / 8
    if (Atomics.load(buffer.int64, countIndex) <= 0n) {
      break
    }
    // The padding behind the channel belongs to the limit: the source's length has to lie inside the report.
    const roomForTexts = buffer.length - offset - entryLengthMin
    const channelLength = textLength(
      buffer,
      offset + LossReportDescriptor.CHANNEL_OFFSET,
      roomForTexts - (roomForTexts % LossReportDescriptor.TEXT_ALIGNMENT)
    )
    const sourceOffset = offset + LossReportDescriptor.sourceOffset(channelLength)
    const sourceLimit = buffer.length - sourceOffset - LossReportDescriptor.TEXT_LENGTH_LENGTH
    const sourceLength = textLength(buffer, sourceOffset, sourceLimit)
    onEntry(offset, channelLength, sourceLength)
    const length = LossReportDescriptor.entryLength(channelLength, sourceLength)
    offset = align(offset + length, LossReportDescriptor.ENTRY_ALIGNMENT)
  }
  return offset
}

const entryAt = (
  buffer: AtomicBuffer,
  offset: number,
  channelLength: number,
  sourceLength: number
): LossReportEntry => {
  const { int64, view } = buffer
  return {
    observationCount: Atomics.load(int64, (offset + LossReportDescriptor.OBSERVATION_COUNT_OFFSET) / 8),
    totalBytesLost: Atomics.load(int64, (offset + LossReportDescriptor.TOTAL_BYTES_LOST_OFFSET) / 8),
    firstObservationMs: Number(Atomics.load(int64, (offset + LossReportDescriptor.FIRST_OBSERVATION_OFFSET) / 8)),
    lastObservationMs: Number(Atomics.load(int64, (offset + LossReportDescriptor.LAST_OBSERVATION_OFFSET) / 8)),
    sessionId: view.getInt32(offset + LossReportDescriptor.SESSION_ID_OFFSET, true),
    streamId: view.getInt32(offset + LossReportDescriptor.STREAM_ID_OFFSET, true),
    channel: textAt(buffer, offset + LossReportDescriptor.CHANNEL_OFFSET, channelLength),
    source: textAt(buffer, offset + LossReportDescriptor.sourceOffset(channelLength), sourceLength)
  }
}

const textLength = (buffer: AtomicBuffer, offset: number, limit: number): number => {
  const length = buffer.view.getInt32(offset, true)
  if (length < 0 || length > limit) {
    throw new CorruptRecord("loss report", buffer.state.name, "text length", offset, length, limit)
  }
  return length
}

const textAt = (buffer: AtomicBuffer, offset: number, length: number): string => {
  const start = offset + LossReportDescriptor.TEXT_LENGTH_LENGTH
  return decoder.decode(buffer.bytes.slice(start, start + length))
}
