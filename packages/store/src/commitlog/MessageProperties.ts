/**
 * Properties of a message as one string: name, U+0001, value, U+0002, repeated. Stores written by 4.9.2 to 5.1.4 leave
 * out the last U+0002; both forms are read. A pair counts only if its name and its value have a character each.
 */
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
