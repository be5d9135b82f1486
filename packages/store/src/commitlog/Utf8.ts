/** Text in records. Malformed bytes become U+FFFD, as in Java; a leading byte-order mark is text like any other. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
const encoder = new TextEncoder()

/** Below this length a loop over ASCII beats `TextEncoder` (crossover measured near 20 bytes on Node 26). */
const ENCODE_LOOP_LENGTH_MAX = 20
/** The same for `TextDecoder`, which needs a view of the bytes (crossover near 48, and 40 where the text is then searched). */
const DECODE_LOOP_LENGTH_MAX = 40

/** Memory that is closed has no bytes left: the view of them throws. */
export const decode = (bytes: Uint8Array, start: number, end: number): string =>
  (end - start <= DECODE_LOOP_LENGTH_MAX && end <= bytes.length ? decodeAscii(bytes, start, end) : undefined) ??
  decoder.decode(bytes.subarray(start, end))

/**
 * The text of bytes that are ASCII, else undefined. Made of several units at once: to put each behind the last takes three
 * times as long.
 */
const decodeAscii = (bytes: Uint8Array, start: number, end: number): string | undefined => {
  let text = ""
  let all = 0
  let at = start
  for (; at + 8 <= end; at += 8) {
    const a = bytes[at]!
    const b = bytes[at + 1]!
    const c = bytes[at + 2]!
    const d = bytes[at + 3]!
    const e = bytes[at + 4]!
    const f = bytes[at + 5]!
    const g = bytes[at + 6]!
    const h = bytes[at + 7]!
    all |= a | b | c | d | e | f | g | h
    text += String.fromCharCode(a, b, c, d, e, f, g, h)
  }
  if (at + 4 <= end) {
    const a = bytes[at]!
    const b = bytes[at + 1]!
    const c = bytes[at + 2]!
    const d = bytes[at + 3]!
    all |= a | b | c | d
    text += String.fromCharCode(a, b, c, d)
    at += 4
  }
  if (at + 2 <= end) {
    const a = bytes[at]!
    const b = bytes[at + 1]!
    all |= a | b
    text += String.fromCharCode(a, b)
    at += 2
  }
  if (at < end) {
    all |= bytes[at]!
    text += String.fromCharCode(bytes[at]!)
  }
  return all > 0x7f ? undefined : text
}

export const encode = (text: string): Uint8Array<ArrayBuffer> => {
  if (text.length > ENCODE_LOOP_LENGTH_MAX) {
    return encoder.encode(text)
  }
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit > 0x7f) {
      return encoder.encode(text)
    }
    bytes[index] = unit
  }
  return bytes
}

/** A UTF-16 unit takes at most three bytes. */
export const lengthMax = (text: string): number => text.length * 3

/** Writes `text` at `offset`, where `lengthMax(text)` bytes must be free, and returns the offset behind it. */
export const write = (text: string, target: Uint8Array, offset: number): number => {
  let at = offset
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit > 0x7f) {
      return offset + encoder.encodeInto(text, target.subarray(offset)).written
    }
    target[at++] = unit
  }
  return at
}

/** Whether these bytes, and no others, stand at [start, end). */
export const equals = (expected: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean => {
  if (end - start !== expected.length) {
    return false
  }
  for (let index = 0; index < expected.length; index++) {
    if (bytes[start + index] !== expected[index]) {
      return false
    }
  }
  return true
}

/** Whether this text, and nothing else, stands at [start, end). */
export const equalsText = (text: string, bytes: Uint8Array, start: number, end: number): boolean => {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit > 0x7f) {
      return equals(encoder.encode(text), bytes, start, end)
    }
    if (start + index >= end || bytes[start + index] !== unit) {
      return false
    }
  }
  return end - start === text.length
}
