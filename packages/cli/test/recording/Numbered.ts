/** Messages that carry their number, of many lengths; some are longer than a frame. */
import { assert } from "vitest"

const NUMBER_LENGTH = 4
const LONG_EVERY = 300
const LONG_LENGTH = 5000

const lengthOf = (number: number): number =>
  number % LONG_EVERY === LONG_EVERY - 1 ? LONG_LENGTH : NUMBER_LENGTH + ((number * 37) % 200)

export const encode = (number: number): Uint8Array => {
  const bytes = new Uint8Array(lengthOf(number)).fill(number & 0xff)
  new DataView(bytes.buffer).setUint32(0, number, true)
  return bytes
}

/** The number of a message, which is whole. */
export const decode = (bytes: Uint8Array): number => {
  const number = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true)
  assert.strictEqual(bytes.length, lengthOf(number))
  assert.isTrue(bytes.subarray(NUMBER_LENGTH).every((byte) => byte === (number & 0xff)))
  return number
}
