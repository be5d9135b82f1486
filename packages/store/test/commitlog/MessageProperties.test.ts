import { describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { assert } from "vitest"
import * as MessageProperties from "../../src/commitlog/MessageProperties.ts"
import * as PropertyMap from "../../src/commitlog/PropertyMap.ts"
import * as Utf8 from "../../src/commitlog/Utf8.ts"

const decode = (text: string) => {
  const bytes = Utf8.encode(text)
  return { ...PropertyMap.decode({ bytes, view: new DataView(bytes.buffer) }, 0, bytes.length) }
}

const find = (text: string, name: string) => {
  const bytes = Utf8.encode(text)
  const range = { start: 0, end: 0 }
  return MessageProperties.find(bytes, 0, bytes.length, Utf8.encode(name), range)
    ? Utf8.decode(bytes, range.start, range.end)
    : undefined
}

/** Names and values of one or two letters, separators anywhere: many texts are none that a writer makes. */
const Text = Schema.Array(Schema.Literals(["a", "b", "ä", "\u0001", "\u0002"])).check(Schema.isMaxLength(30))
const Name = Schema.String.check(Schema.isMinLength(1))

describe("MessageProperties", () => {
  it.prop(
    "gives back every pair that was written, with and without the last separator, in any order",
    { pairs: Schema.Array(Schema.Tuple([Name, Name])), isClosed: Schema.Boolean },
    ({ isClosed, pairs }) => {
      const clean = pairs.map((pair) => pair.map((text) => text.toWellFormed())) as Array<[string, string]>
      const legal = new Map(clean.filter((pair) => pair.every(MessageProperties.isLegal)))
      const text =
        [...legal].map(([name, value]) => `${name}\u0001${value}`).join("\u0002") + (isClosed ? "\u0002" : "")
      assert.deepStrictEqual(new Map(Object.entries(decode(text))), legal)
      legal.forEach((value, name) => assert.strictEqual(find(text, name), value))
    }
  )

  it.prop("finds in any text what decoding the whole gives, and nothing else", { parts: Text }, ({ parts }) => {
    const text = parts.join("")
    const decoded = decode(text)
    for (const name of ["a", "b", "ab", "ä", ...Object.keys(decoded)]) {
      assert.strictEqual(find(text, name), decoded[name], `${name} in ${JSON.stringify(text)}`)
    }
  })

  it("reads both forms of the end, and leaves out pairs without a name or a value", () => {
    assert.deepStrictEqual(decode("a\u00011\u0002b\u00012\u0002"), { a: "1", b: "2" })
    assert.deepStrictEqual(decode("a\u00011\u0002b\u00012"), { a: "1", b: "2" })
    assert.deepStrictEqual(decode("a\u0001\u0002b\u00012\u0002\u0001x\u0002c\u0002"), { b: "2" })
    assert.deepStrictEqual(decode(""), {})
  })

  it("finds one property in place as the whole is decoded", () => {
    const texts = [
      "a\u00011\u0002b\u00012\u0002",
      "a\u0001\u0002b\u0001x\u0001y",
      "ab\u00011\u0002a\u00012",
      "a\u00011\u0002a\u00012\u0002"
    ]
    for (const text of texts) {
      for (const name of ["a", "b", "ab", "c"]) {
        assert.strictEqual(find(text, name), decode(text)[name], `${name} in ${JSON.stringify(text)}`)
      }
    }
  })

  it("takes no name for more than a name", () => {
    assert.deepStrictEqual(Object.entries(decode("__proto__\u0001x\u0002")), [["__proto__", "x"]])
  })
})
