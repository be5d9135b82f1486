/**
 * Makes damaged inputs out of whole ones: for each index of a seed the same bytes, so that one input is replayed by
 * its seed and index alone. All inputs share one buffer.
 */
import { random } from "../Peers.ts"

/** Room for a splice of two datagrams of Ethernet size, or for a small capture file and most of another. */
const CAPACITY = 8192

/** Numbers that lengths and offsets break at. */
const INTERESTING: ReadonlyArray<number> = [
  0, 1, 7, 8, 28, 31, 32, 33, 36, 40, 44, 64, 512, 513, 1023, 1024, 1408, 65_504, 65_505, 65_536, 0x7fff_ffe0,
  0x7fff_ffff, -1, -32, -0x8000_0000
]

type Next = () => number

export class Mutator {
  readonly #corpus: ReadonlyArray<Uint8Array>
  readonly #seed: number
  readonly #bytes = new Uint8Array(CAPACITY)
  readonly #view = new DataView(this.#bytes.buffer)

  constructor(corpus: ReadonlyArray<Uint8Array>, seed: number) {
    this.#corpus = corpus
    this.#seed = seed
  }

  /** The input of an index: a window that ends where its bytes do, valid until the next call. */
  input(index: number): Uint8Array {
    const next = random(this.#seed ^ Math.imul(index, 0x9e37_79b1))
    let length = this.#place(this.#pick(next), 0)
    for (let changes = next() % 4; changes > 0 && length > 0; changes--) {
      length = this.#change(length, next)
    }
    return this.#bytes.subarray(0, length)
  }

  #pick(next: Next): Uint8Array {
    return this.#corpus[next() % this.#corpus.length]!
  }

  #place(source: Uint8Array, at: number): number {
    const length = Math.min(source.length, CAPACITY - at)
    this.#bytes.set(source.subarray(0, length), at)
    return at + length
  }

  #change(length: number, next: Next): number {
    const at = next() % length
    switch (next() % 8) {
      case 0:
        this.#bytes[at]! ^= 1 << (next() & 7)
        return length
      case 1:
        this.#bytes[at] = next()
        return length
      case 2:
        return this.#setWord(length, at & ~3, INTERESTING[next() % INTERESTING.length]!)
      case 3:
        // The header is where a frame is judged.
        return this.#setWord(length, (next() % 12) * 4, INTERESTING[next() % INTERESTING.length]!)
      case 4:
        return this.#setWord(length, (next() % 12) * 4, next() | 0)
      case 5:
        return at
      case 6:
        return this.#place(this.#pick(next), length)
      default:
        return this.#place(this.#pick(next), at & ~31)
    }
  }

  #setWord(length: number, at: number, value: number): number {
    if (at + 4 <= length) {
      this.#view.setInt32(at, value, true)
    }
    return length
  }
}
