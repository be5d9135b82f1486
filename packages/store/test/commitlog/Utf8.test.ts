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

describe("Utf8.decode", () => {
  it("gives back texts of any length, ASCII or not, from the middle of some bytes", () => {
    for (let length = 0; length < 70; length++) {
      const ascii = Array.from({ length }, (_, index) => String.fromCharCode((index * 37) % 0x80)).join("")
      const texts = [ascii, ...Array.from(ascii, (_, at) => `${ascii.slice(0, at)}é${ascii.slice(at + 1)}`)]
      for (const text of texts) {
        const bytes = new TextEncoder().encode(`ä${text}ä`)
        assert.strictEqual(Utf8.decode(bytes, 2, bytes.length - 2), text)
      }
    }
  })

  it("notices that its memory is gone, or ends before the text", () => {
    const bytes = Utf8.encode("key1")
    assert.strictEqual(Utf8.decode(bytes, 0, 4), "key1")
    structuredClone(bytes.buffer, { transfer: [bytes.buffer] })
    assert.throws(() => Utf8.decode(bytes, 0, 4), TypeError)
  })
})
