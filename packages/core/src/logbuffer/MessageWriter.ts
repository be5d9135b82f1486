/**
 * Writes a message into a range of a term that its appender has claimed: in one frame, or in fragments of the MTU.
 * Each frame is published by itself, so a sender may send the first fragments while the last ones are written.
 */
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import * as Bytes from "../memory/Bytes.ts"
import * as F from "./FrameDescriptor.ts"
import * as HeaderWriter from "./HeaderWriter.ts"

/**
 * Gives the reserved value of a frame whose header and payload are written and whose length is not: a checksum of the
 * payload, a timestamp. Called once a frame, so for each fragment of a long message.
 */
export type ReservedValueSupplier = (term: AtomicBuffer, frameOffset: number, frameLength: number) => bigint

/** Length in a term of a message, with its headers and alignment. */
export const computeFramedLength = (length: number, maxPayloadLength: number): number => {
  if (length <= maxPayloadLength) {
    return F.alignFrame(length + F.HEADER_LENGTH)
  }
  const remainder = length % maxPayloadLength
  const whole = (length - remainder) / maxPayloadLength
  const lastFrameLength = remainder > 0 ? F.alignFrame(remainder + F.HEADER_LENGTH) : 0
  return whole * (maxPayloadLength + F.HEADER_LENGTH) + lastFrameLength
}

const storeReservedValue = (
  term: AtomicBuffer,
  offset: number,
  frameLength: number,
  supplier: ReservedValueSupplier
): void => {
  term.int64[(offset + 4 * F.RESERVED_VALUE_WORD) / 8] = supplier(term, offset, frameLength)
}

export const writeUnfragmented = (
  header: HeaderWriter.HeaderWriter,
  term: AtomicBuffer,
  termOffset: number,
  termId: number,
  source: Uint8Array<ArrayBufferLike>,
  sourceOffset: number,
  length: number,
  reservedValue: ReservedValueSupplier | undefined
): void => {
  const frameLength = length + F.HEADER_LENGTH
  header.claim(term, termOffset, frameLength, termId, HeaderWriter.UNFRAGMENTED)
  Bytes.copy(source, sourceOffset, term.bytes, termOffset + F.HEADER_LENGTH, length)
  if (reservedValue !== undefined) {
    storeReservedValue(term, termOffset, frameLength, reservedValue)
  }
  F.frameLengthRelease(term, termOffset, frameLength)
}

export const writeFragmented = (
  header: HeaderWriter.HeaderWriter,
  term: AtomicBuffer,
  termOffset: number,
  termId: number,
  source: Uint8Array<ArrayBufferLike>,
  sourceOffset: number,
  length: number,
  maxPayloadLength: number,
  reservedValue: ReservedValueSupplier | undefined
): void => {
  let offset = termOffset
  let written = 0
  while (written < length) {
    const payloadLength = Math.min(length - written, maxPayloadLength)
    const frameLength = payloadLength + F.HEADER_LENGTH
    header.claim(term, offset, frameLength, termId, fragmentWord(written, written + payloadLength, length))
    Bytes.copy(source, sourceOffset + written, term.bytes, offset + F.HEADER_LENGTH, payloadLength)
    if (reservedValue !== undefined) {
      storeReservedValue(term, offset, frameLength, reservedValue)
    }
    F.frameLengthRelease(term, offset, frameLength)
    offset += F.alignFrame(frameLength)
    written += payloadLength
  }
}

/** Writes the concatenation of `sources`, `length` bytes in all, in one frame or several. */
export const writeVector = (
  header: HeaderWriter.HeaderWriter,
  term: AtomicBuffer,
  termOffset: number,
  termId: number,
  sources: ReadonlyArray<Uint8Array<ArrayBufferLike>>,
  length: number,
  maxPayloadLength: number,
  reservedValue: ReservedValueSupplier | undefined
): void => {
  let offset = termOffset
  let written = 0
  let sourceIndex = 0
  let sourceOffset = 0
  do {
    const payloadLength = Math.min(length - written, maxPayloadLength)
    const frameLength = payloadLength + F.HEADER_LENGTH
    header.claim(term, offset, frameLength, termId, fragmentWord(written, written + payloadLength, length))
    let filled = 0
    while (filled < payloadLength) {
      const source = sources[sourceIndex]!
      const count = Math.min(payloadLength - filled, source.length - sourceOffset)
      Bytes.copy(source, sourceOffset, term.bytes, offset + F.HEADER_LENGTH + filled, count)
      filled += count
      sourceOffset += count
      if (sourceOffset === source.length) {
        sourceIndex += 1
        sourceOffset = 0
      }
    }
    if (reservedValue !== undefined) {
      storeReservedValue(term, offset, frameLength, reservedValue)
    }
    F.frameLengthRelease(term, offset, frameLength)
    offset += F.alignFrame(frameLength)
    written += payloadLength
  } while (written < length)
}

export const vectorLength = (sources: ReadonlyArray<Uint8Array<ArrayBufferLike>>): number => {
  let length = 0
  for (const source of sources) {
    length += source.length
  }
  return length
}

const fragmentWord = (begin: number, end: number, length: number): number =>
  begin === 0
    ? end === length
      ? HeaderWriter.UNFRAGMENTED
      : HeaderWriter.BEGIN
    : end === length
      ? HeaderWriter.END
      : HeaderWriter.MIDDLE
