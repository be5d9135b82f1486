import { describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { assert } from "vitest"
import * as Utf8 from "../../src/commitlog/Utf8.ts"

/** Whether `text` is what stands in the middle of some bytes. */
const isFound = (text: string, written: string): boolean => {
  const bytes = Utf8.encode(`..${written}..`)
  return Utf8.equalsText(text, bytes, 2, bytes.length - 2)
}

describe("Utf8.equalsText", () => {
  it.prop("finds a text where its bytes stand, and no other", { text: Schema.String, other: Schema.String }, (each) => {
    const text = each.text.toWellFormed()
    const other = each.other.toWellFormed()
    assert.isTrue(isFound(text, text))
    assert.strictEqual(isFound(text, other), text === other)
    assert.isFalse(isFound(text, `${text}x`))
    assert.isFalse(isFound(`${text}é`, text))
  })

  it("compares no byte behind the end", () => {
    const bytes = Utf8.encode("key1")
    assert.isTrue(Utf8.equalsText("key", bytes, 0, 3))
    assert.isFalse(Utf8.equalsText("key1", bytes, 0, 3))
    assert.isFalse(Utf8.equalsText("ké", bytes, 0, 2))
  })
})
