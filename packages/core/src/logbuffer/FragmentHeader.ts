/**
 * What a reader knows of the frame, or of the assembled message, that it hands over. One object is used for all of
 * them: valid during the handler's call, never after.
 */
import * as FrameType from "../frame/FrameType.ts"
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import * as F from "./FrameDescriptor.ts"

export class FragmentHeader {
  /** The position behind the frame: where the stream goes on once this is consumed. */
  position = 0
  /** The words of a term, or the eight of `own`. Fields are read when they are asked for: most handlers want few. */
  private words: Int32Array<ArrayBufferLike>
  private word = 0
  private readonly own = new Int32Array(F.HEADER_LENGTH >>> 2)

  constructor() {
    this.words = this.own
  }

  get sessionId(): number {
    return this.words[this.word + F.SESSION_ID_WORD]!
  }

  get streamId(): number {
    return this.words[this.word + F.STREAM_ID_WORD]!
  }

  get termId(): number {
    return this.words[this.word + F.TERM_ID_WORD]!
  }

  /** Of the frame, or of the first frame of an assembled message. */
  get termOffset(): number {
    return this.words[this.word + F.TERM_OFFSET_WORD]!
  }

  /** `FrameFlags`. An assembled message has the bits of its first and its last fragment. */
  get flags(): number {
    return F.flagsOf(this.words[this.word + F.VERSION_FLAGS_TYPE_WORD]!)
  }

  /** Of an assembled message: that of its first fragment. */
  get reservedValue(): bigint {
    const low = this.words[this.word + F.RESERVED_VALUE_WORD]!
    const high = this.words[this.word + F.RESERVED_VALUE_WORD + 1]!
    return (BigInt(high) << 32n) | BigInt(low >>> 0)
  }

  /** Becomes that of the frame at `frameOffset`, without copying it. */
  wrap(term: AtomicBuffer, frameOffset: number, position: number): void {
    this.words = term.int32
    this.word = frameOffset >>> 2
    this.position = position
  }

  /** Becomes a copy of a first fragment's header, which may be gone when the last one arrives. */
  copyFrom(other: FragmentHeader): void {
    for (let index = 0; index < this.own.length; index++) {
      this.own[index] = other.words[other.word + index]!
    }
    this.words = this.own
    this.word = 0
    this.position = other.position
  }

  /** Becomes that of the whole message, of a copy of its first fragment's. */
  complete(last: FragmentHeader): void {
    this.own[F.VERSION_FLAGS_TYPE_WORD] = F.versionFlagsType(this.flags | last.flags, FrameType.DATA)
    this.position = last.position
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
