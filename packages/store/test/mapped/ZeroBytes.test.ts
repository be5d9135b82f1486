import { assert, describe, it } from "vitest"
import { isZero } from "../../src/mapped/ZeroBytes.ts"

const LENGTH = 20

describe("isZero", () => {
  it("sees one byte that is not zero, wherever the stretch begins and ends, and none outside it", () => {
    for (let shift = 0; shift < 4; shift++) {
      const bytes = new Uint8Array(new ArrayBuffer(LENGTH + shift), shift)
      for (let from = 0; from <= LENGTH; from++) {
        for (let to = from; to <= LENGTH; to++) {
          for (let at = 0; at < LENGTH; at++) {
            bytes[at] = 1
            assert.strictEqual(isZero(bytes, from, to), at < from || at >= to, `${shift} ${from} ${to} ${at}`)
            bytes[at] = 0
          }
        }
      }
    }
  })
})
