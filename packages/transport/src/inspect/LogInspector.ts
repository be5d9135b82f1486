/**
 * What lies in a log buffer, frame by frame, also in one that its writers still use or that a dead one left. A term is
 * looked through from its beginning; where it is empty, because nothing is there yet or what was there is cleaned, the
 * next place that has a frame of this very place, term, session and stream goes on.
 */
import * as DataFrame from "@millrace/core/kernel/frame/DataFrame"
import * as FrameType from "@millrace/core/kernel/frame/FrameType"
import * as FrameDescriptor from "@millrace/core/kernel/logbuffer/FrameDescriptor"
import * as LogBufferDescriptor from "@millrace/core/kernel/logbuffer/LogBufferDescriptor"
import type { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"

/** One frame of a log. */
export interface LogFrame {
  readonly type: "DATA" | "PAD"
  /** Whether it is published. One that is not is being written, or its writer died. */
  readonly isPublished: boolean
  /** Where in the stream it begins. */
  readonly position: number
  readonly termId: number
  readonly termOffset: number
  /** With its header of 32 bytes, without what aligns it. */
  readonly frameLength: number
  readonly flags: number
  readonly sessionId: number
  readonly streamId: number
  readonly reservedValue: bigint
  /** A copy of the first bytes of its payload. */
  readonly payload: Uint8Array
}

export interface InspectOptions {
  /** Bytes of each payload that are copied. */
  readonly payloadLengthMax: number
}

/** The frames of all three terms, the oldest term first. */
export function* frames(log: LogBuffers, options: InspectOptions): Generator<LogFrame, void, undefined> {
  for (const { partition, termCount } of partitionsByAge(log)) {
    const term = log.terms[partition]!
    const termId = (log.initialTermId + termCount) | 0
    let offset = 0
    while (offset < log.termLength) {
      const length = FrameDescriptor.frameLengthAcquire(term, offset)
      if (length !== 0 && isFrameAt(log, term, termId, offset, Math.abs(length))) {
        yield frameAt(log, term, offset, length, options)
        offset += FrameDescriptor.alignFrame(Math.abs(length))
      } else {
        offset += FrameDescriptor.FRAME_ALIGNMENT
      }
    }
  }
}

interface Partition {
  readonly partition: number
  /** Terms of the stream before this one. */
  readonly termCount: number
}

/**
 * An image's log has no tails: which term a partition holds is what its frames say. A partition without a frame has no
 * place among them, nor anything to show.
 */
const partitionsByAge = (log: LogBuffers): ReadonlyArray<Partition> =>
  log.terms
    .flatMap((term, partition) => {
      const termId = firstTermId(log, term)
      const termCount = termId === undefined ? -1 : LogBufferDescriptor.computeTermCount(termId, log.initialTermId)
      return termCount >= 0 && LogBufferDescriptor.indexByTermCount(termCount) === partition
        ? [{ partition, termCount }]
        : []
    })
    .toSorted((left, right) => left.termCount - right.termCount)

const firstTermId = (log: LogBuffers, term: AtomicBuffer): number | undefined => {
  for (let offset = 0; offset < log.termLength; offset += FrameDescriptor.FRAME_ALIGNMENT) {
    const length = Math.abs(FrameDescriptor.frameLengthAcquire(term, offset))
    if (length !== 0) {
      const termId = term.int32[(offset >>> 2) + FrameDescriptor.TERM_ID_WORD]!
      if (isFrameAt(log, term, termId, offset, length)) {
        return termId
      }
    }
  }
  return undefined
}

const isFrameAt = (log: LogBuffers, term: AtomicBuffer, termId: number, offset: number, length: number): boolean => {
  const word = offset >>> 2
  const { int32 } = term
  const type = FrameDescriptor.typeOf(int32[word + FrameDescriptor.VERSION_FLAGS_TYPE_WORD]!)
  return (
    length >= FrameDescriptor.HEADER_LENGTH &&
    length <= log.termLength - offset &&
    (type === FrameType.DATA || type === FrameType.PAD) &&
    int32[word + FrameDescriptor.TERM_OFFSET_WORD] === offset &&
    int32[word + FrameDescriptor.TERM_ID_WORD] === termId &&
    int32[word + FrameDescriptor.SESSION_ID_WORD] === log.sessionId &&
    int32[word + FrameDescriptor.STREAM_ID_WORD] === log.streamId
  )
}

const frameAt = (
  log: LogBuffers,
  term: AtomicBuffer,
  offset: number,
  length: number,
  { payloadLengthMax }: InspectOptions
): LogFrame => {
  const word = offset >>> 2
  const frameLength = Math.abs(length)
  const termId = term.int32[word + FrameDescriptor.TERM_ID_WORD]!
  const isPadding = FrameDescriptor.isPadding(term, offset)
  const start = offset + FrameDescriptor.HEADER_LENGTH
  const end = isPadding ? start : Math.min(offset + frameLength, start + payloadLengthMax)
  return {
    type: isPadding ? "PAD" : "DATA",
    isPublished: length > 0,
    position: LogBufferDescriptor.computePosition(termId, offset, log.termLength, log.initialTermId),
    termId,
    termOffset: offset,
    frameLength,
    flags: FrameDescriptor.flagsOf(term.int32[word + FrameDescriptor.VERSION_FLAGS_TYPE_WORD]!),
    sessionId: log.sessionId,
    streamId: log.streamId,
    reservedValue: term.view.getBigInt64(offset + DataFrame.RESERVED_VALUE_FIELD_OFFSET, true),
    payload: term.bytes.slice(start, end)
  }
}
