/** The bytes of a capture file as they arrive in chunks of any size. Holds what is not read yet, and little more. */

/** Thrown for bytes that are not a capture file, or not one that goes on. The reader is of no use afterwards. */
export class CaptureFault extends Error {
  readonly _tag = "CaptureFault"
  /** Where in the file, in bytes. */
  readonly position: number

  constructor(position: number, message: string) {
    super(message)
    this.position = position
  }
}

export class CaptureInput {
  /** A view whose first byte is the next one to read. Valid until the next `append` or `skip`. */
  view: DataView<ArrayBufferLike> = new DataView(new ArrayBuffer(0))
  /** How many bytes of the file were read so far. */
  position = 0
  #memory = new Uint8Array(0)
  #start = 0
  #end = 0

  get available(): number {
    return this.#end - this.#start
  }

  append(chunk: Uint8Array): void {
    const required = this.available + chunk.length
    if (required > this.#memory.length) {
      const memory = new Uint8Array(Math.max(required, this.#memory.length * 2))
      memory.set(this.#memory.subarray(this.#start, this.#end))
      this.#memory = memory
      this.#end -= this.#start
      this.#start = 0
    } else if (this.#end + chunk.length > this.#memory.length) {
      this.#memory.copyWithin(0, this.#start, this.#end)
      this.#end -= this.#start
      this.#start = 0
    }
    this.#memory.set(chunk, this.#end)
    this.#end += chunk.length
    this.#look()
  }

  skip(length: number): void {
    this.#start += length
    this.position += length
    this.#look()
  }

  /** A copy of `length` bytes from `offset` behind the next byte to read. */
  copy(offset: number, length: number): Uint8Array<ArrayBuffer> {
    return this.#memory.slice(this.#start + offset, this.#start + offset + length)
  }

  #look(): void {
    this.view = new DataView(this.#memory.buffer, this.#start, this.available)
  }
}
