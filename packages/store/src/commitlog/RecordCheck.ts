/**
 * Says whether the bytes at a place of the log are a record, a blank, or neither and why. Nothing that stands there is
 * trusted: each length is held against the bytes that are left before it is used.
 */
import * as Checksum from "./Checksum.ts"
import { NAME_SEPARATOR, PROPERTY_SEPARATOR } from "./MessageProperties.ts"
import type { RecordCursor } from "./RecordCursor.ts"
import * as RecordDescriptor from "./RecordDescriptor.ts"
import { getInt64 } from "../mapped/BigEndian.ts"
import type { FileWindow } from "../mapped/FileSystem.ts"
import * as Utf8 from "./Utf8.ts"

/** What `check` answers: the length of a valid record (positive), or one of these. */
export const BLANK = 0
export const NO_ROOM = -1
export const ZERO = -2
export const BAD_MAGIC = -3
export const BAD_LENGTH = -4
export const BAD_POSITION = -5
export const BAD_BODY_CRC = -6
export const BAD_PROPERTY_CRC = -7
export const MISSING_PROPERTY_CRC = -8
export const BAD_PROPERTIES = -9
/** These are not answered by `check`, which knows of no queues, but by who reads the log as a whole. */
export const BAD_QUEUE_OFFSET = -10
export const BAD_QUEUE = -11

const reasons: Readonly<Record<number, string>> = {
  [NO_ROOM]: "end of file",
  [ZERO]: "nothing written",
  [BAD_MAGIC]: "unknown magic",
  [BAD_LENGTH]: "lengths that do not add up",
  [BAD_POSITION]: "another position inside",
  [BAD_BODY_CRC]: "wrong body CRC",
  [BAD_PROPERTY_CRC]: "wrong record CRC",
  [MISSING_PROPERTY_CRC]: "no record CRC",
  [BAD_PROPERTIES]: "unfinished properties",
  [BAD_QUEUE_OFFSET]: "a queue offset that no log of this length can have",
  [BAD_QUEUE]: "a topic or queue id that no directory can have as its name"
}

export const reasonOf = (code: number): string => reasons[code] ?? "valid"

export interface RecordCheckOptions {
  readonly checkCrc: boolean
  /** Demand the CRC property of each record (RocketMQ's `forceVerifyPropCRC`). */
  readonly requireCrcProperty: boolean
}

/**
 * Checks the bytes at `offset` of the file that `window` shows, up to the file's end at `limit`. `position` is the place
 * in the log: a record that names another one is stale. On success `cursor` points at the record. The window must reach
 * as far as `lengthAt` says.
 */
export const check = (
  window: FileWindow,
  offset: number,
  limit: number,
  position: number,
  cursor: RecordCursor,
  options: RecordCheckOptions
): number => {
  const { view } = window
  const room = limit - offset
  if (room < RecordDescriptor.BLANK_LENGTH_MIN) {
    return NO_ROOM
  }
  const at = offset - window.base
  const totalSize = view.getInt32(at + RecordDescriptor.TOTAL_SIZE_OFFSET)
  const magic = view.getInt32(at + RecordDescriptor.MAGIC_OFFSET)
  if (magic === RecordDescriptor.MAGIC_BLANK) {
    return totalSize === room ? BLANK : BAD_LENGTH
  }
  if (magic !== RecordDescriptor.MAGIC_V1 && magic !== RecordDescriptor.MAGIC_V2) {
    return magic === 0 && totalSize === 0 ? ZERO : BAD_MAGIC
  }
  if (totalSize < RecordDescriptor.RECORD_LENGTH_MIN || totalSize > room) {
    return BAD_LENGTH
  }
  // Before more of it is looked at: what another place has in it may claim any length.
  if (getInt64(view, at + RecordDescriptor.PHYSICAL_OFFSET_OFFSET) !== position) {
    return BAD_POSITION
  }
  if (!cursor.wrapIfWhole(window, offset)) {
    return BAD_LENGTH
  }
  return options.checkCrc ? checkCrc(cursor, options.requireCrcProperty) : totalSize
}

/**
 * How much of the file a check has to see from `offset` on, told by the first bytes of what stands there: the length of
 * a record that knows its place, else no more than those.
 */
export const lengthAt = ({ base, view }: FileWindow, offset: number, limit: number, position: number): number => {
  const at = offset - base
  const room = limit - offset
  if (room < RecordDescriptor.RECORD_LENGTH_MIN) {
    return room
  }
  const magic = view.getInt32(at + RecordDescriptor.MAGIC_OFFSET)
  const isRecord =
    (magic === RecordDescriptor.MAGIC_V1 || magic === RecordDescriptor.MAGIC_V2) &&
    getInt64(view, at + RecordDescriptor.PHYSICAL_OFFSET_OFFSET) === position
  const totalSize = view.getInt32(at + RecordDescriptor.TOTAL_SIZE_OFFSET)
  return isRecord && totalSize <= room ? totalSize : 0
}

const checkCrc = (cursor: RecordCursor, requireCrcProperty: boolean): number => {
  const { at, bodyAt, bodyLength, totalSize } = cursor
  const stored = crcProperty(cursor)
  if (stored < 0) {
    if (requireCrcProperty || stored === CRC_PROPERTY_BROKEN) {
      return MISSING_PROPERTY_CRC
    }
    if (!hasProperties(cursor)) {
      return BAD_PROPERTIES
    }
    return bodyLength === 0 || Checksum.masked(cursor, bodyAt, bodyAt + bodyLength) === cursor.bodyCrc
      ? totalSize
      : BAD_BODY_CRC
  }
  const end = at + totalSize - RecordDescriptor.CRC_PROPERTY_LENGTH
  if (Checksum.masked(cursor, at, end) !== stored) {
    return BAD_PROPERTY_CRC
  }
  return totalSize
}

/**
 * Whether properties without a CRC can be whole: there is a name with a value, and no unwritten bytes at the end. Where
 * the last sectors of a record did not reach the device its body is right and its properties end in zeros.
 */
const hasProperties = ({ bytes, propertiesAt, propertiesLength }: RecordCursor): boolean => {
  const end = propertiesAt + propertiesLength
  return propertiesLength === 0 || (bytes[end - 1] !== 0 && bytes.subarray(propertiesAt, end).includes(NAME_SEPARATOR))
}

const CRC_PROPERTY_ABSENT = -1
const CRC_PROPERTY_BROKEN = -2
const CRC_PREFIX = Utf8.encode(`${RecordDescriptor.CRC_PROPERTY_NAME}\u0001`)
/** Its name as two words. */
const CRC_PREFIX_HIGH = new DataView(CRC_PREFIX.buffer).getInt32(0)
const CRC_PREFIX_LOW = new DataView(CRC_PREFIX.buffer).getInt32(4)
/** A name that is off by this many bytes is that of the CRC property, damaged: else a flipped bit there would hide it. */
const MISMATCHES_MAX = 2

/** The value of the CRC property at the record's end, or one of the two negative codes. */
const crcProperty = (cursor: RecordCursor): number => {
  const { bytes, view } = cursor
  if (cursor.propertiesLength < RecordDescriptor.CRC_PROPERTY_LENGTH) {
    return CRC_PROPERTY_ABSENT
  }
  const start = cursor.propertiesAt + cursor.propertiesLength - RecordDescriptor.CRC_PROPERTY_LENGTH
  const digitsAt = start + CRC_PREFIX.length
  const isNamed =
    view.getInt32(start) === CRC_PREFIX_HIGH &&
    view.getInt32(start + 4) === CRC_PREFIX_LOW &&
    bytes[digitsAt - 1] === NAME_SEPARATOR
  if (!isNamed) {
    return mismatchCount(bytes, start) <= MISMATCHES_MAX ? CRC_PROPERTY_BROKEN : CRC_PROPERTY_ABSENT
  }
  if (bytes[digitsAt + RecordDescriptor.CRC_DIGITS] !== PROPERTY_SEPARATOR) {
    return CRC_PROPERTY_BROKEN
  }
  let value = 0
  for (let at = digitsAt + RecordDescriptor.CRC_DIGITS - 1; at >= digitsAt; at--) {
    const digit = bytes[at]! - 0x30
    if (digit < 0 || digit > 9) {
      return CRC_PROPERTY_BROKEN
    }
    value = value * 10 + digit
  }
  return value
}

const mismatchCount = (bytes: Uint8Array, start: number): number => {
  let count = 0
  for (let index = 0; index < CRC_PREFIX.length; index++) {
    count += bytes[start + index] === CRC_PREFIX[index] ? 0 : 1
  }
  return count
}
