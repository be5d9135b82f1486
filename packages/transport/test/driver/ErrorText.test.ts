import { assert, describe, it } from "@effect/vitest"
import * as ErrorText from "../../src/driver/ErrorText.ts"

describe("ErrorText", () => {
  it("is the message of an error, and anything else as text", () => {
    assert.strictEqual(ErrorText.of(new TypeError("no such host")), "no such host")
    assert.strictEqual(ErrorText.of("no such host"), "no such host")
    assert.strictEqual(ErrorText.of(undefined), "undefined")
  })
})
