/**
 * Names of properties that were read lately, as text, and which of them stood behind which: most messages have the same few
 * in the same order. A new string for each takes longer than the values do. The table has one length, and a place is taken
 * over by the next name that belongs there; that a name is the one expected is told from its bytes, all of them.
 */
import { NAME_SEPARATOR } from "./MessageProperties.ts"
import * as Utf8 from "./Utf8.ts"

/** Memory with a record in it. */
export interface Memory {
  readonly bytes: Uint8Array
  readonly view: DataView
}

/** No name; what stands behind it is the first name of a message. */
export const NONE = 0

const PLACES_BITS = 8
const PLACES = 1 << PLACES_BITS
/** Longer names are read anew each time. */
const LENGTH_MAX = 32
/** That of Knuth's multiplicative hash: 2^32 divided by the golden ratio. */
const MULTIPLIER = 0x9e3779b1

const texts: Array<string> = Array.from({ length: PLACES }, () => "")
const lengths = new Uint8Array(PLACES)
const bytesOf = new Uint8Array(PLACES * LENGTH_MAX)
const viewOf = new DataView(bytesOf.buffer)
const followers = new Uint8Array(PLACES)

export const textAt = (place: number): string => texts[place]!

export const lengthAt = (place: number): number => lengths[place]!

/** The place of the name at `at`, if it is the one that stood behind `previous` before; else NONE. */
export const expected = (previous: number, { bytes, view }: Memory, at: number, end: number): number => {
  const place = followers[previous]!
  const length = lengths[place]!
  if (at + length >= end || bytes[at + length] !== NAME_SEPARATOR) {
    return NONE
  }
  const known = place * LENGTH_MAX
  let index = 0
  for (; index + 4 <= length; index += 4) {
    if (view.getInt32(at + index) !== viewOf.getInt32(known + index)) {
      return NONE
    }
  }
  for (; index < length; index++) {
    if (bytes[at + index] !== bytesOf[known + index]) {
      return NONE
    }
  }
  return place
}

/** The place of the name at [start, end), which it has or gets; NONE for one that is too long. */
export const learn = (previous: number, bytes: Uint8Array, start: number, end: number): number => {
  const length = end - start
  if (length > LENGTH_MAX) {
    return NONE
  }
  let hash = length
  for (let at = start; at < end; at++) {
    hash = (Math.imul(hash, 31) + bytes[at]!) | 0
  }
  const place = Math.max(NONE + 1, Math.imul(hash, MULTIPLIER) >>> (32 - PLACES_BITS))
  if (!isAt(place, bytes, start, length)) {
    texts[place] = Utf8.decode(bytes, start, end)
    lengths[place] = length
    bytesOf.set(bytes.subarray(start, end), place * LENGTH_MAX)
  }
  followers[previous] = place
  return place
}

const isAt = (place: number, bytes: Uint8Array, start: number, length: number): boolean => {
  if (lengths[place] !== length) {
    return false
  }
  for (let index = 0; index < length; index++) {
    if (bytes[start + index] !== bytesOf[place * LENGTH_MAX + index]) {
      return false
    }
  }
  return true
}
