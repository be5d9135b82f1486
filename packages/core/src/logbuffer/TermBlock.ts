/** A block of frames that are complete, headers and all, to be appended to a term as they are. */
import * as DataFrame from "../frame/DataFrame.ts"
import type { FrameBuffer } from "../frame/FrameBuffer.ts"
import * as FrameType from "../frame/FrameType.ts"
import * as HeaderDescriptor from "../frame/HeaderDescriptor.ts"
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import * as Bytes from "../memory/Bytes.ts"
import * as F from "./FrameDescriptor.ts"
import type { HeaderWriter } from "./HeaderWriter.ts"

/** The bytes are not frames that could come next in this log. Nothing was written. */
export class InvalidBlock extends Error {
  readonly _tag = "InvalidBlock"
  /** Offset in the block of the frame that is refused. */
  readonly offset: number
  readonly field: string
  readonly value: number
  readonly expected: string

  constructor(offset: number, field: string, value: number, expected: string) {
    super(`a block is refused: the ${field} of its frame at ${offset} is ${value}, expected ${expected}`)
    this.offset = offset
    this.field = field
    this.value = value
    this.expected = expected
  }
}

/**
 * Checks every frame of a block, not only the first as Aeron does: one wrong length in the middle would end the stream
 * for every subscriber.
 */
export const check = (
  source: FrameBuffer,
  offset: number,
  length: number,
  header: HeaderWriter,
  termId: number,
  termOffset: number,
  termLength: number
): void => {
  if (length <= 0 || length % F.FRAME_ALIGNMENT !== 0) {
    throw new InvalidBlock(0, "block length", length, "a multiple of 32")
  }
  if (offset < 0 || offset + length > source.bytes.length) {
    throw new InvalidBlock(0, "block length", length, `at most ${source.bytes.length - offset}, the end of its buffer`)
  }
  if (length > termLength - termOffset) {
    throw new InvalidBlock(0, "block length", length, `at most ${termLength - termOffset}, the rest of the term`)
  }
  let frame = 0
  while (frame < length) {
    const at = offset + frame
    const frameLength = HeaderDescriptor.frameLength(source, at)
    if (frameLength < F.HEADER_LENGTH || frameLength > length - frame) {
      throw new InvalidBlock(frame, "frame length", frameLength, `${F.HEADER_LENGTH} to ${length - frame}`)
    }
    const type = HeaderDescriptor.type(source, at)
    if (type !== FrameType.DATA && (type !== FrameType.PAD || frame === 0)) {
      throw new InvalidBlock(frame, "frame type", type, "DATA, or PAD behind the first frame")
    }
    expectField(frame, "term offset", DataFrame.termOffset(source, at), termOffset + frame)
    expectField(frame, "session id", DataFrame.sessionId(source, at), header.sessionId)
    expectField(frame, "stream id", DataFrame.streamId(source, at), header.streamId)
    expectField(frame, "term id", DataFrame.termId(source, at), termId)
    frame += F.alignFrame(frameLength)
  }
}

/**
 * Writes a checked block into its reserved range. As in a batch, minus the length of the whole is stored first, so
 * that an unblocker makes one PAD of a block whose writer died, and the first frame's length is stored last.
 */
export const write = (
  term: AtomicBuffer,
  termOffset: number,
  source: FrameBuffer,
  offset: number,
  length: number
): void => {
  F.frameLengthRelease(term, termOffset, -length)
  Bytes.copy(source.bytes, offset + 4, term.bytes, termOffset + 4, length - 4)
  F.frameLengthRelease(term, termOffset, HeaderDescriptor.frameLength(source, offset))
}

const expectField = (offset: number, field: string, value: number, expected: number): void => {
  if (value !== expected) {
    throw new InvalidBlock(offset, field, value, String(expected))
  }
}
