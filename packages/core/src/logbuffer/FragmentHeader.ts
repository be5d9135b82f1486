/**
 * What a reader knows of the frame, or of the assembled message, that it hands over. One object is used for all of
 * them: valid during the handler's call, never after.
 */
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import * as F from "./FrameDescriptor.ts"

export class FragmentHeader {
  sessionId = 0
  streamId = 0
  termId = 0
  /** Of the frame, or of the first frame of an assembled message. */
  termOffset = 0
  /** `FrameFlags`. An assembled message has the bits of its first and its last fragment. */
  flags = 0
  /** The position behind the frame: where the stream goes on once this is consumed. */
  position = 0
  /** The reserved value by words. */
  reservedLow = 0
  reservedHigh = 0

  /** Of an assembled message: that of its first fragment. */
  get reservedValue(): bigint {
    return (BigInt(this.reservedHigh) << 32n) | BigInt(this.reservedLow >>> 0)
  }

  /** Takes the fields of the frame at `frameOffset`. */
  read(term: AtomicBuffer, frameOffset: number, position: number): void {
    const words = term.int32
    const word = frameOffset >>> 2
    this.flags = F.flagsOf(words[word + F.VERSION_FLAGS_TYPE_WORD]!)
    this.termOffset = words[word + F.TERM_OFFSET_WORD]!
    this.sessionId = words[word + F.SESSION_ID_WORD]!
    this.streamId = words[word + F.STREAM_ID_WORD]!
    this.termId = words[word + F.TERM_ID_WORD]!
    this.reservedLow = words[word + F.RESERVED_VALUE_WORD]!
    this.reservedHigh = words[word + F.RESERVED_VALUE_WORD + 1]!
    this.position = position
  }

  /** Takes all fields of another header. */
  copyFrom(other: FragmentHeader): void {
    this.sessionId = other.sessionId
    this.streamId = other.streamId
    this.termId = other.termId
    this.termOffset = other.termOffset
    this.flags = other.flags
    this.position = other.position
    this.reservedLow = other.reservedLow
    this.reservedHigh = other.reservedHigh
  }
}

/**
 * Takes one fragment or message: `length` bytes of `bytes` from `offset`. The bytes are the log itself or an
 * assembler's slab: copy what is to be kept.
 */
export type FragmentHandler = (
  bytes: Uint8Array<ArrayBufferLike>,
  offset: number,
  length: number,
  header: FragmentHeader
) => void
