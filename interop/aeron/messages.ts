/** Message n of the interop runs: its number as a little-endian int64, then byte i = (n + i) mod 256. */
import assert from "node:assert/strict"

const HEADER_LENGTH = 8

/** Lengths go round in this list. */
export const lengthsOf = (list: string): ReadonlyArray<number> => list.split(",").map(Number)

export const lengthOf = (number: number, lengths: ReadonlyArray<number>): number => lengths[number % lengths.length]!

export const write = (bytes: Uint8Array, offset: number, number: number, length: number): void => {
  new DataView(bytes.buffer, bytes.byteOffset + offset, HEADER_LENGTH).setBigInt64(0, BigInt(number), true)
  for (let i = HEADER_LENGTH; i < length; i++) {
    bytes[offset + i] = number + i
  }
}

export const make = (number: number, length: number): Uint8Array => {
  const message = new Uint8Array(length)
  write(message, 0, number, length)
  return message
}

/** Throws when it is not message `number`. */
export const check = (message: Uint8Array, number: number, lengths: ReadonlyArray<number>): void => {
  assert.equal(message.length, lengthOf(number, lengths), `length of message ${number}`)
  const found = new DataView(message.buffer, message.byteOffset, HEADER_LENGTH).getBigInt64(0, true)
  assert.equal(found, BigInt(number), "number of a message")
  for (let i = HEADER_LENGTH; i < message.length; i++) {
    if (message[i] !== ((number + i) & 0xff)) {
      assert.fail(`byte ${i} of message ${number} is wrong`)
    }
  }
}
