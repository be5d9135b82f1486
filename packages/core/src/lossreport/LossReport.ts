/**
 * Records where data was lost: one entry a stream and source, updated in place. One owner a report, on one thread.
 * A report that already holds entries is continued behind them.
 */
import { align } from "../memory/Alignment.ts"
import { assert } from "../memory/Assert.ts"
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import { assertOpen } from "../memory/RegionState.ts"
import * as LossReportDescriptor from "./LossReportDescriptor.ts"
import * as LossReportReader from "./LossReportReader.ts"

/** Length of a driver's report file. */
export const LENGTH_DEFAULT = 1024 * 1024

/** What `createEntry` returns when the report is full. */
export const NO_ROOM = -1

export class LossReport {
  private readonly buffer: AtomicBuffer
  private nextOffset: number

  constructor(buffer: AtomicBuffer) {
    this.buffer = buffer
    this.nextOffset = LossReportReader.endOffset(buffer)
  }

  /**
   * Begins an entry with its first observation; returns the entry's offset for `recordObservation`, or NO_ROOM. Channel
   * and source are ASCII: a character beyond it becomes a question mark.
   */
  createEntry(
    bytesLost: number,
    nowMs: number,
    sessionId: number,
    streamId: number,
    channel: string,
    source: string
  ): number {
    const buffer = this.buffer
    assertOpen(buffer.state)
    const offset = this.nextOffset
    const length = LossReportDescriptor.entryLength(channel.length, source.length)
    if (length > buffer.length - offset) {
      return NO_ROOM
    }
    const view = buffer.view
    view.setBigInt64(offset + LossReportDescriptor.TOTAL_BYTES_LOST_OFFSET, BigInt(bytesLost), true)
    view.setBigInt64(offset + LossReportDescriptor.FIRST_OBSERVATION_OFFSET, BigInt(nowMs), true)
    view.setBigInt64(offset + LossReportDescriptor.LAST_OBSERVATION_OFFSET, BigInt(nowMs), true)
    view.setInt32(offset + LossReportDescriptor.SESSION_ID_OFFSET, sessionId, true)
    view.setInt32(offset + LossReportDescriptor.STREAM_ID_OFFSET, streamId, true)
    this.putText(offset + LossReportDescriptor.CHANNEL_OFFSET, channel)
    this.putText(offset + LossReportDescriptor.sourceOffset(channel.length), source)
    this.nextOffset = align(offset + length, LossReportDescriptor.ENTRY_ALIGNMENT)
    // Release: a reader that sees the count relies on the rest of the entry being there.
    Atomics.store(buffer.int64, (offset + LossReportDescriptor.OBSERVATION_COUNT_OFFSET) / 8, 1n)
    return offset
  }

  /** Adds an observation to the entry at `entryOffset`. */
  recordObservation(entryOffset: number, bytesLost: number, nowMs: number): void {
    const { int64, state } = this.buffer
    assertOpen(state)
    assert(entryOffset >= 0 && entryOffset < this.nextOffset, "entry offset is not one that createEntry returned")
    assert(entryOffset % LossReportDescriptor.ENTRY_ALIGNMENT === 0, "entry offset is not aligned to 64")
    Atomics.store(int64, (entryOffset + LossReportDescriptor.LAST_OBSERVATION_OFFSET) / 8, BigInt(nowMs))
    Atomics.add(int64, (entryOffset + LossReportDescriptor.TOTAL_BYTES_LOST_OFFSET) / 8, BigInt(bytesLost))
    Atomics.add(int64, (entryOffset + LossReportDescriptor.OBSERVATION_COUNT_OFFSET) / 8, 1n)
  }

  private putText(offset: number, text: string): void {
    this.buffer.view.setInt32(offset, text.length, true)
    const start = offset + LossReportDescriptor.TEXT_LENGTH_LENGTH
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      this.buffer.bytes[start + i] = code < 0x80 ? code : 0x3f
    }
  }
}
