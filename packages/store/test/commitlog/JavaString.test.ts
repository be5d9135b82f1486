import { assert, describe, it } from "vitest"
import * as JavaString from "../../src/commitlog/JavaString.ts"
import * as Utf8 from "../../src/commitlog/Utf8.ts"

const hashOfUtf8 = (prefix: number, text: string) => {
  const bytes = Utf8.encode(`..${text}`)
  return JavaString.hashCodeUtf8(prefix, bytes, 2, bytes.length)
}

describe("JavaString", () => {
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
