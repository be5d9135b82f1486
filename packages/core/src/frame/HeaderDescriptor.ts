/**
 * The eight bytes that every frame begins with, on the wire and in a term. Little-endian.
 *
 * ```
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +---------------------------------------------------------------+
 *  0|                         frame length                          |
 *   +---------------+---------------+-------------------------------+
 *  4|    version    |     flags     |             type              |
 *   +---------------+---------------+-------------------------------+
 * ```
 *
 * The frame length counts the header; alignment bytes behind the frame are not in it. In a term it is also the word
 * that publishes the frame: 0 is "nothing here yet", a negative value is "being written".
 */
import type { FrameBuffer } from "./FrameBuffer.ts"

export const FRAME_LENGTH_FIELD_OFFSET = 0
export const VERSION_FIELD_OFFSET = 4
export const FLAGS_FIELD_OFFSET = 5
export const TYPE_FIELD_OFFSET = 6
/** Length in bytes of the part that all frames share, and of the shortest frame there can be. */
export const MIN_HEADER_LENGTH = 8

/** The only version there is. A frame of another one is an invalid packet to every driver. */
export const CURRENT_VERSION = 0

/** Frames in a term, and DATA frames in a datagram, start at multiples of this. */
export const FRAME_ALIGNMENT = 32

/** The longest UDP payload in bytes that carries frames: the largest multiple of 32 that UDP over IPv4 takes. */
export const MAX_DATAGRAM_LENGTH = 65504

export const frameLength = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getInt32(offset + FRAME_LENGTH_FIELD_OFFSET, true)

export const setFrameLength = (buffer: FrameBuffer, offset: number, length: number): void =>
  buffer.view.setInt32(offset + FRAME_LENGTH_FIELD_OFFSET, length, true)

export const version = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getUint8(offset + VERSION_FIELD_OFFSET)

export const flags = (buffer: FrameBuffer, offset: number): number => buffer.view.getUint8(offset + FLAGS_FIELD_OFFSET)

export const setFlags = (buffer: FrameBuffer, offset: number, value: number): void =>
  buffer.view.setUint8(offset + FLAGS_FIELD_OFFSET, value)

export const type = (buffer: FrameBuffer, offset: number): number =>
  buffer.view.getUint16(offset + TYPE_FIELD_OFFSET, true)

export const setType = (buffer: FrameBuffer, offset: number, value: number): void =>
  buffer.view.setUint16(offset + TYPE_FIELD_OFFSET, value, true)

/** Writes the eight bytes. The type is one of `FrameType`. */
export const write = (buffer: FrameBuffer, offset: number, length: number, flags: number, type: number): void => {
  const view = buffer.view
  view.setInt32(offset + FRAME_LENGTH_FIELD_OFFSET, length, true)
  view.setUint8(offset + VERSION_FIELD_OFFSET, CURRENT_VERSION)
  view.setUint8(offset + FLAGS_FIELD_OFFSET, flags)
  view.setUint16(offset + TYPE_FIELD_OFFSET, type, true)
}
