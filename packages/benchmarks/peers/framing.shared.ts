/** Messages on a stream of bytes: each has its length before it, four bytes of it. */

const HEADER_LENGTH = 4

/** `count` times the same message. */
export const encode = (message: Uint8Array, count: number): Buffer => {
  const frameLength = HEADER_LENGTH + message.length
  const chunk = Buffer.allocUnsafe(frameLength * count)
  for (let index = 0; index < count; index++) {
    chunk.writeUInt32LE(message.length, index * frameLength)
    chunk.set(message, index * frameLength + HEADER_LENGTH)
  }
  return chunk
}

/** Takes chunks as they come and gives every whole message in them. */
export class Decoder {
  #rest: Buffer = Buffer.alloc(0)

  decode(chunk: Buffer, onMessage: (message: Buffer) => void): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    for (;;) {
      if (bytes.length < HEADER_LENGTH) {
        break
      }
      const end = HEADER_LENGTH + bytes.readUInt32LE(0)
      if (bytes.length < end) {
        break
      }
      onMessage(bytes.subarray(HEADER_LENGTH, end))
      bytes = bytes.subarray(end)
    }
    this.#rest = bytes
  }
}
