import { crc32 } from "node:zlib"
import { assert, describe, it } from "vitest"
import * as Checksum from "../../src/commitlog/Checksum.ts"

const memoryOf = (length: number): Checksum.Memory => {
  const bytes = Uint8Array.from({ length }, (_, index) => (index * 131 + (index >>> 3)) & 0xff)
  return { bytes, view: new DataView(bytes.buffer) }
}

describe("Checksum", () => {
  it("equals zlib's CRC-32 without its sign bit at every length around the crossover, from any offset", () => {
    const memory = memoryOf(800)
    for (let length = 0; length <= 700; length++) {
      const start = length % 9
      const expected = crc32(memory.bytes.subarray(start, start + length)) & 0x7fffffff
      assert.strictEqual(Checksum.masked(memory, start, start + length), expected)
    }
  })

  it("goes on from the CRC of what stands before, by the loop and by zlib", () => {
    const memory = memoryOf(2000)
    for (const [middle, end] of [
      [0, 5],
      [13, 400],
      [700, 2000],
      [1990, 2000]
    ] as const) {
      const first = Checksum.update(0, memory, 0, middle)
      assert.strictEqual(Checksum.update(first, memory, middle, end) >>> 0, crc32(memory.bytes.subarray(0, end)))
    }
  })

  it("follows from the CRCs of two parts, whatever their lengths", () => {
    const { bytes } = memoryOf(70_000)
    const first = crc32(bytes.subarray(0, 91))
    for (const length of [0, 1, 2, 124, 255, 256, 257, 1024, 65_535, 65_536, 65_537, 69_909]) {
      const second = crc32(bytes.subarray(91, 91 + length))
      assert.strictEqual(Checksum.combine(first, second, length) >>> 0, crc32(bytes.subarray(0, 91 + length)))
    }
    const zeros = new Uint8Array(5 * 1024 * 1024 + 3)
    const combined = Checksum.combine(first, crc32(zeros), zeros.length)
    assert.strictEqual(combined >>> 0, crc32(zeros, first))
  })
})
