import { assert, describe, it } from "vitest"
import * as Text from "../../src/output/Text.ts"

const bytes = (...values: Array<number>): Uint8Array => Uint8Array.from(values)

describe("Text", () => {
  it("tells text from bytes that are none", () => {
    assert.strictEqual(Text.fromUtf8(new TextEncoder().encode("São ✈")), "São ✈")
    assert.strictEqual(Text.fromUtf8(bytes(0xff, 0x41)), undefined)
    assert.strictEqual(Text.fromUtf8(bytes()), "")
  })

  it("shows what a terminal would obey", () => {
    assert.strictEqual(Text.printable("a\u001b[2Jb\u0007\u009b"), "a\\x1b[2Jb\\x07\\x9b")
    assert.strictEqual(Text.printable("a\r\n\tb"), "a\\r\\n\\tb")
    assert.strictEqual(Text.printable("São ✈ 東京"), "São ✈ 東京")
  })

  it("shows a body as text or in hex", () => {
    assert.strictEqual(Text.body(new TextEncoder().encode('{"a":1}\n')), '{"a":1}\\n')
    assert.strictEqual(Text.body(bytes(0xff, 0x00)), "0xff00")
    assert.strictEqual(Text.body(bytes()), "")
  })
})
