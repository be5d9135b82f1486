/**
 * Properties of a message as one string: name, U+0001, value, U+0002, repeated. Stores written by 4.9.2 to 5.1.4 leave
 * out the last U+0002; both forms are read. A pair counts only if its name and its value have a character each.
 */
import * as Utf8 from "./Utf8.ts"

export const NAME_SEPARATOR = 1
export const PROPERTY_SEPARATOR = 2

export const KEYS = "KEYS"
export const TAGS = "TAGS"
export const WAIT = "WAIT"
export const DELAY = "DELAY"
export const UNIQ_KEY = "UNIQ_KEY"
/** Further queues that the message stands in, and its offsets in them. */
export const INNER_MULTI_DISPATCH = "INNER_MULTI_DISPATCH"
export const INNER_MULTI_QUEUE_OFFSET = "INNER_MULTI_QUEUE_OFFSET"
/** How many messages an inner batch has, and the queue offset of the first. */
export const INNER_NUM = "INNER_NUM"
export const INNER_BASE = "INNER_BASE"

/** A property by its name in bytes: where its value starts, and how long it is. */
export interface PropertyRange {
  start: number
  end: number
}

/**
 * Finds the value of property `name` in `bytes[start..end)`. Writes it into `range` and returns whether it was found.
 * Like the parser it skips pairs without a value; the last of several pairs of one name wins, as in a map.
 */
export const find = (
  bytes: Uint8Array,
  start: number,
  end: number,
  name: Uint8Array,
  range: PropertyRange
): boolean => {
  let found = false
  let at = start
  while (at < end) {
    let stop = at
    let separator = -1
    while (stop < end && bytes[stop] !== PROPERTY_SEPARATOR) {
      if (separator < 0 && bytes[stop] === NAME_SEPARATOR) {
        separator = stop
      }
      stop++
    }
    if (separator - at === name.length && stop > separator + 1 && startsWith(bytes, at, name)) {
      range.start = separator + 1
      range.end = stop
      found = true
    }
    at = stop + 1
  }
  return found
}

const startsWith = (bytes: Uint8Array, at: number, name: Uint8Array): boolean => {
  for (let index = 0; index < name.length; index++) {
    if (bytes[at + index] !== name[index]) {
      return false
    }
  }
  return true
}

/** All pairs of `bytes[start..end)`, without a prototype so that any name is only a name. */
export const decode = (bytes: Uint8Array, start: number, end: number): Record<string, string> => {
  const properties: Record<string, string> = Object.create(null)
  const text = Utf8.decode(bytes, start, end)
  let separator = -1
  for (let at = 0; at < text.length;) {
    const stop = text.indexOf("\u0002", at)
    const pairEnd = stop < 0 ? text.length : stop
    if (separator < at) {
      separator = text.indexOf("\u0001", at)
      separator = separator < 0 ? text.length : separator
    }
    if (separator > at && separator < pairEnd - 1) {
      properties[text.slice(at, separator)] = text.slice(separator + 1, pairEnd)
    }
    at = pairEnd + 1
  }
  return properties
}

/** Whether `text` can stand as a name or a value: the two separators cannot. */
export const isLegal = (text: string): boolean => {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit === NAME_SEPARATOR || unit === PROPERTY_SEPARATOR) {
      return false
    }
  }
  return true
}
