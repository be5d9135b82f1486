/**
 * Writes the header of a frame that is being claimed: what stays the same in a stream is read once from the default
 * header of the log. Three stores of Aeron's 64-bit words are six plain 32-bit ones here.
 */
import * as DataFrame from "../frame/DataFrame.ts"
import * as FrameFlags from "../frame/FrameFlags.ts"
import * as FrameType from "../frame/FrameType.ts"
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import { storeRelease } from "../memory/Ordering.ts"
import * as F from "./FrameDescriptor.ts"
import * as LogBufferDescriptor from "./LogBufferDescriptor.ts"

/** The word of version, flags and type of a message in one frame. */
export const UNFRAGMENTED = F.versionFlagsType(FrameFlags.UNFRAGMENTED, FrameType.DATA)
export const BEGIN = F.versionFlagsType(FrameFlags.BEGIN, FrameType.DATA)
export const MIDDLE = F.versionFlagsType(0, FrameType.DATA)
export const END = F.versionFlagsType(FrameFlags.END, FrameType.DATA)
/** Padding carries the flags of a whole message, as in Aeron's logs. */
export const PADDING = F.versionFlagsType(FrameFlags.UNFRAGMENTED, FrameType.PAD)

export class HeaderWriter {
  readonly sessionId: number
  readonly streamId: number

  constructor(metadata: AtomicBuffer) {
    const header = LogBufferDescriptor.DEFAULT_FRAME_HEADER_OFFSET
    this.sessionId = DataFrame.sessionId(metadata, header)
    this.streamId = DataFrame.streamId(metadata, header)
  }

  /**
   * Claims the frame at `offset`: first minus `claimedLength`, so that an unblocker that finds the writer dead knows
   * how far its padding may reach, then the fields. The reserved value stays as the cleaned term has it, 0. The frame
   * stays invisible until its length is stored by `FrameDescriptor.frameLengthRelease`.
   *
   * No fence keeps the later stores behind the first one, and none is needed: whoever acts on a negative length does so
   * after the writer has been dead or stopped for seconds, when all its earlier stores have long reached memory.
   */
  claim(term: AtomicBuffer, offset: number, claimedLength: number, termId: number, versionFlagsType: number): void {
    storeRelease(term.int32, offset >>> 2, -claimedLength)
    this.fields(term, offset, termId, versionFlagsType)
  }

  /** The fields behind the length word of a frame whose range is already claimed by an earlier one's length. */
  fields(term: AtomicBuffer, offset: number, termId: number, versionFlagsType: number): void {
    const words = term.int32
    const word = offset >>> 2
    words[word + F.VERSION_FLAGS_TYPE_WORD] = versionFlagsType
    words[word + F.TERM_OFFSET_WORD] = offset
    words[word + F.SESSION_ID_WORD] = this.sessionId
    words[word + F.STREAM_ID_WORD] = this.streamId
    words[word + F.TERM_ID_WORD] = termId
  }

  /** Writes and publishes padding over `length` bytes. */
  pad(term: AtomicBuffer, offset: number, length: number, termId: number): void {
    this.claim(term, offset, length, termId, PADDING)
    F.frameLengthRelease(term, offset, length)
  }

  /** As `pad`, over a claim that someone else may have begun to write: the reserved value is set back to 0 as well. */
  resetToPadding(term: AtomicBuffer, offset: number, length: number, termId: number): void {
    const word = (offset >>> 2) + F.RESERVED_VALUE_WORD
    this.fields(term, offset, termId, PADDING)
    term.int32[word] = 0
    term.int32[word + 1] = 0
    F.frameLengthRelease(term, offset, length)
  }
}
