/** Text in records. Malformed bytes become U+FFFD, as in Java; a leading byte-order mark is text like any other. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
const encoder = new TextEncoder()

/** Below this length a loop over ASCII beats `TextDecoder` and `TextEncoder` (crossover measured near 20 bytes on Node 26). */
const LOOP_LENGTH_MAX = 20

export const decode = (bytes: Uint8Array, start: number, end: number): string => {
  if (end - start <= LOOP_LENGTH_MAX) {
    let text = ""
    let index = start
    while (index < end && bytes[index]! < 0x80) {
      text += String.fromCharCode(bytes[index]!)
      index++
    }
    if (index === end) {
      return text
    }
  }
  return decoder.decode(bytes.subarray(start, end))
}

export const encode = (text: string): Uint8Array<ArrayBuffer> => {
  if (text.length > LOOP_LENGTH_MAX) {
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
