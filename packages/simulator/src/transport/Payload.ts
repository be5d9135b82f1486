/**
 * What messages carry: who published them, their number, and bytes that follow from the two, so that a subscriber can
 * tell a message that arrived from one that was made up.
 *
 * ```
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +---------------------------------------------------------------+
 *  0|                          publisher id                         |
 *   +---------------------------------------------------------------+
 *  4|                           number                              |
 *   +---------------------------------------------------------------+
 *  8|                        pattern, to the end                    |
 * ```
 */
export const LENGTH_MIN = 8

const PERIOD = 4099
/** Two periods and the longest message, so that a pattern from any place of it is one piece. */
const PATTERN = Buffer.alloc(PERIOD * 2 + 64 * 1024)
for (let index = 0; index < PATTERN.length; index++) {
  PATTERN[index] = Math.imul((index % PERIOD) + 1, 0x9e3779b1) >>> 24
}

const patternOf = (publisherId: number, number: number, length: number): Uint8Array => {
  const at = (publisherId * 31 + number * 17) % PERIOD
  return PATTERN.subarray(at, at + length)
}

export const write = (
  target: Uint8Array,
  offset: number,
  length: number,
  publisherId: number,
  number: number
): void => {
  const view = new DataView(target.buffer, target.byteOffset + offset, length)
  view.setInt32(0, publisherId, true)
  view.setInt32(4, number, true)
  target.set(patternOf(publisherId, number, length - LENGTH_MIN), offset + LENGTH_MIN)
}

/** Undefined when the bytes are no message that was ever written. */
export const read = (
  message: Uint8Array<ArrayBufferLike>
): { readonly publisherId: number; readonly number: number } | undefined => {
  if (message.length < LENGTH_MIN) {
    return undefined
  }
  const view = new DataView(message.buffer, message.byteOffset, message.length)
  const publisherId = view.getInt32(0, true)
  const number = view.getInt32(4, true)
  if (publisherId < 0 || number < 0) {
    return undefined
  }
  const pattern = patternOf(publisherId, number, message.length - LENGTH_MIN)
  return Buffer.compare(message.subarray(LENGTH_MIN), pattern) === 0 ? { publisherId, number } : undefined
}
