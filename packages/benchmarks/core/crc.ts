/** CRC-32 by the library, which costs a call before it reads a byte: the store uses a loop of its own below 256 bytes. */
import { crc32 } from "node:zlib"
import { group, type Case } from "#harness/Group"

/** Results of the cases end here, so that none is optimised away. */
let sink = 0

const library = (bytes: number): Case => ({
  bytes,
  open: () => {
    const data = new Uint8Array(bytes).map((_, index) => index % 251)
    return {
      run: (count) => {
        for (let i = 0; i < count; i++) {
          sink ^= crc32(data)
        }
      }
    }
  }
})

export default group("core/crc", {
  baseline: "zlib-32",
  cases: {
    "zlib-32": library(32),
    "zlib-124": library(124),
    "zlib-1024": library(1024),
    "zlib-65536": library(65_536)
  }
})
