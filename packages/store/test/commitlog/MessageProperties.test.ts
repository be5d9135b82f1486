import { assert, describe, it } from "vitest"
import * as MessageProperties from "../../src/commitlog/MessageProperties.ts"
import * as Utf8 from "../../src/commitlog/Utf8.ts"

const decode = (text: string) => {
  const bytes = Utf8.encode(text)
  return { ...MessageProperties.decode(bytes, 0, bytes.length) }
}

const find = (text: string, name: string) => {
  const bytes = Utf8.encode(text)
  const range = { start: 0, end: 0 }
  return MessageProperties.find(bytes, 0, bytes.length, Utf8.encode(name), range)
    ? Utf8.decode(bytes, range.start, range.end)
    : undefined
}

describe("MessageProperties", () => {
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
