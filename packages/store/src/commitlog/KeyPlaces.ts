/**
 * Where the tags, the keys and the unique key of a record stand. Dispatch, index and recovery ask each record for all of
 * them: one pass over its properties finds them together, where a search for each took as long.
 */
import { KEYS, NAME_SEPARATOR, PROPERTY_SEPARATOR, TAGS, UNIQ_KEY } from "./MessageProperties.ts"
import * as Utf8 from "./Utf8.ts"

/** Four bytes, and the two names that have as many, as one number each: names are compared at once, not byte by byte. */
const wordAt = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!
const KEYS_WORD = wordAt(Utf8.encode(KEYS), 0)
const TAGS_WORD = wordAt(Utf8.encode(TAGS), 0)
const WORD_LENGTH = 4
const UNIQ_KEY_NAME = Utf8.encode(UNIQ_KEY)

/** Start and end of each value; one that is not there ends where it starts. */
export class KeyPlaces {
  tagsStart: number = 0
  tagsEnd: number = 0
  keysStart: number = 0
  keysEnd: number = 0
  uniqueKeyStart: number = 0
  uniqueKeyEnd: number = 0

  /** Finds them in `bytes[start..end)`. Pairs without a value do not count, and of several of one name the last does. */
  locate(bytes: Uint8Array, start: number, end: number): void {
    this.tagsEnd = this.tagsStart
    this.keysEnd = this.keysStart
    this.uniqueKeyEnd = this.uniqueKeyStart
    for (let at = start; at < end;) {
      let separator = at
      while (separator < end && bytes[separator] !== NAME_SEPARATOR && bytes[separator] !== PROPERTY_SEPARATOR) {
        separator++
      }
      let stop = separator
      while (stop < end && bytes[stop] !== PROPERTY_SEPARATOR) {
        stop++
      }
      if (stop > separator + 1) {
        this.#note(bytes, at, separator, stop)
      }
      at = stop + 1
    }
  }

  #note(bytes: Uint8Array, nameAt: number, nameEnd: number, valueEnd: number): void {
    if (nameEnd - nameAt === WORD_LENGTH) {
      const word = wordAt(bytes, nameAt)
      if (word === KEYS_WORD) {
        this.keysStart = nameEnd + 1
        this.keysEnd = valueEnd
      } else if (word === TAGS_WORD) {
        this.tagsStart = nameEnd + 1
        this.tagsEnd = valueEnd
      }
    } else if (Utf8.equals(UNIQ_KEY_NAME, bytes, nameAt, nameEnd)) {
      this.uniqueKeyStart = nameEnd + 1
      this.uniqueKeyEnd = valueEnd
    }
  }
}
