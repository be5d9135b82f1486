import { describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { assert } from "vitest"
import * as JavaString from "../../src/commitlog/JavaString.ts"
import * as Utf8 from "../../src/commitlog/Utf8.ts"

const hashOfUtf8 = (prefix: number, text: string) => {
  const bytes = Utf8.encode(`..${text}`)
  return JavaString.hashCodeUtf8(prefix, bytes, 2, bytes.length)
}

/** As the specification of Java says it: s[0]*31^(n-1) + s[1]*31^(n-2) + … + s[n-1], of which 32 bits stay. */
const hashOf = (text: string): number => {
  let sum = 0n
  for (let index = 0; index < text.length; index++) {
    sum += BigInt(text.charCodeAt(index)) * 31n ** BigInt(text.length - 1 - index)
  }
  return Number(BigInt.asIntN(32, sum))
}

describe("JavaString", () => {
  it.prop(
    "hashes any text as Java's specification says, halves of surrogate pairs too",
    { text: Schema.String, units: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xffff }))) },
    ({ text, units }) => {
      const other = String.fromCharCode(...units)
      for (const each of [text, other, text + other]) {
        assert.strictEqual(JavaString.hashCode(each), hashOf(each))
        // What no UTF-8 can say is not stored, and so never hashed in place.
        const wellFormed = each.toWellFormed()
        assert.strictEqual(hashOfUtf8(0, wellFormed), hashOf(wellFormed))
        assert.strictEqual(hashOfUtf8(hashOf("topic#"), wellFormed), hashOf(`topic#${wellFormed}`))
      }
    }
  )

  it("hashes as Java does", () => {
    assert.strictEqual(JavaString.hashCode(""), 0)
    assert.strictEqual(JavaString.hashCode("TagA"), 2598919)
    assert.strictEqual(JavaString.hashCode("polygenelubricants"), -0x80000000)
    assert.strictEqual(JavaString.hashCode("Aa"), JavaString.hashCode("BB"))
  })

  it("hashes UTF-8 in place as it hashes the text, ASCII or not, after any prefix", () => {
    for (const text of ["", "TagA", "polygenelubricants", "ключ", "a ключ", "😀", "naïve 世界"]) {
      assert.strictEqual(hashOfUtf8(0, text), JavaString.hashCode(text))
      assert.strictEqual(hashOfUtf8(JavaString.hashCode("topic#"), text), JavaString.hashCode(`topic#${text}`))
    }
  })
})
