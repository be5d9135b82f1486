import { assert, describe, it } from "@effect/vitest"
import * as Json from "../../src/output/Json.ts"

describe("Json", () => {
  it("gives numbers where a double holds them, and else every digit as text", () => {
    assert.strictEqual(Json.int64(-1n), -1)
    assert.strictEqual(Json.int64(BigInt(Number.MAX_SAFE_INTEGER)), Number.MAX_SAFE_INTEGER)
    assert.strictEqual(Json.int64(0x7fff_ffff_ffff_ffffn), "9223372036854775807")
  })
})
