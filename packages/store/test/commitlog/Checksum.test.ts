import { crc32 } from "node:zlib"
import { assert, describe, it } from "vitest"
import * as Checksum from "../../src/commitlog/Checksum.ts"

describe("Checksum", () => {
  it("equals zlib's CRC-32 without its sign bit at every length around the crossover, from any offset", () => {
    const bytes = Uint8Array.from({ length: 700 }, (_, index) => (index * 131 + (index >>> 3)) & 0xff)
    for (let length = 0; length <= 600; length++) {
      const start = length % 9
      const expected = crc32(bytes.subarray(start, start + length)) & 0x7fffffff
      assert.strictEqual(Checksum.masked(bytes, start, start + length), expected)
    }
  })
})
