/**
 * Frames as they lie in a term: DATA frames (`frame/DataFrame.ts` has the picture) addressed by aligned 32-bit words,
 * so that one store publishes and one load sees.
 *
 * The frame length is the word that the whole log turns on:
 *
 * - `0`: nothing here yet. Terms are zeroed before they are used again, and every appender relies on that.
 * - negative: claimed, being written. Minus the length that an unblocker may turn into padding.
 * - positive: published. Stored last, and nothing in the frame changes after it.
 */
import * as DataFrame from "../frame/DataFrame.ts"
import * as FrameType from "../frame/FrameType.ts"
import * as HeaderDescriptor from "../frame/HeaderDescriptor.ts"
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import { loadAcquire, storeRelease } from "../memory/Ordering.ts"

export const FRAME_ALIGNMENT = HeaderDescriptor.FRAME_ALIGNMENT
export const HEADER_LENGTH = DataFrame.HEADER_LENGTH

// Indexes of the fields as 32-bit words from the start of the frame.
export const VERSION_FLAGS_TYPE_WORD = HeaderDescriptor.VERSION_FIELD_OFFSET >>> 2
export const TERM_OFFSET_WORD = DataFrame.TERM_OFFSET_FIELD_OFFSET >>> 2
export const SESSION_ID_WORD = DataFrame.SESSION_ID_FIELD_OFFSET >>> 2
export const STREAM_ID_WORD = DataFrame.STREAM_ID_FIELD_OFFSET >>> 2
export const TERM_ID_WORD = DataFrame.TERM_ID_FIELD_OFFSET >>> 2
export const RESERVED_VALUE_WORD = DataFrame.RESERVED_VALUE_FIELD_OFFSET >>> 2

// Version, flags and type share one word: bits 0-7, 8-15 and 16-31.
const FLAGS_SHIFT = 8
const TYPE_SHIFT = 16

/** The word of version, flags and type of a frame. */
export const versionFlagsType = (flags: number, type: number): number =>
  HeaderDescriptor.CURRENT_VERSION | (flags << FLAGS_SHIFT) | (type << TYPE_SHIFT)

export const flagsOf = (versionFlagsType: number): number => (versionFlagsType >>> FLAGS_SHIFT) & 0xff

export const typeOf = (versionFlagsType: number): number => versionFlagsType >>> TYPE_SHIFT

/** Length that a frame of `length` bytes takes in a term. For lengths within a term, at most 1 GiB. */
export const alignFrame = (length: number): number => (length + (FRAME_ALIGNMENT - 1)) & ~(FRAME_ALIGNMENT - 1)

/** The frame length at `offset`. What is behind a positive one is complete and will not change until it is cleaned. */
export const frameLengthAcquire = (term: AtomicBuffer, offset: number): number => loadAcquire(term.int32, offset >>> 2)

/**
 * Publishes the frame at `offset`: the last store to it. A reader that sees a positive length takes header and
 * payload as written, without any other check of order.
 */
export const frameLengthRelease = (term: AtomicBuffer, offset: number, length: number): void =>
  storeRelease(term.int32, offset >>> 2, length)

export const isPadding = (term: AtomicBuffer, offset: number): boolean =>
  typeOf(term.int32[(offset >>> 2) + VERSION_FLAGS_TYPE_WORD]!) === FrameType.PAD

/** A frame length in a log that cannot be: a writer broke the protocol, or the bytes are not a log. */
export class CorruptFrame extends Error {
  readonly _tag = "CorruptFrame"
  readonly region: string
  readonly termOffset: number
  readonly frameLength: number
  readonly termLength: number

  constructor(term: AtomicBuffer, termOffset: number, frameLength: number) {
    super(
      `frame at term offset ${termOffset} of ${term.state.name} says it is ${frameLength} bytes long; at least ` +
        `${HEADER_LENGTH} and at most ${term.length - termOffset} are possible there: the log was overwritten`
    )
    this.region = term.state.name
    this.termOffset = termOffset
    this.frameLength = frameLength
    this.termLength = term.length
  }
}

/**
 * Refuses a positive frame length that cannot be a frame at `offset`. A log is memory that other processes write, so
 * each length read from it passes here before it is used.
 */
export const checkFrameLength = (term: AtomicBuffer, offset: number, frameLength: number): void => {
  if (frameLength < HEADER_LENGTH || frameLength > term.length - offset) {
    throw new CorruptFrame(term, offset, frameLength)
  }
}
