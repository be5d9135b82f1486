import { assert, describe, it } from "vitest"
import * as PropertyMap from "../../src/commitlog/PropertyMap.ts"
import * as Utf8 from "../../src/commitlog/Utf8.ts"

type Pairs = ReadonlyArray<readonly [name: string, value: string]>

/** The pairs in the middle of some memory, with others around them. */
const decode = (pairs: Pairs): Pairs => {
  const text = Utf8.encode(pairs.map(([name, value]) => `${name}\u0001${value}\u0002`).join(""))
  const around = Utf8.encode("x\u0001y\u0002")
  const bytes = new Uint8Array(text.length + 2 * around.length)
  bytes.set(around)
  bytes.set(text, around.length)
  bytes.set(around, around.length + text.length)
  const view = new DataView(bytes.buffer)
  return Object.entries(PropertyMap.decode({ bytes, view }, around.length, around.length + text.length))
}

describe("PropertyMap", () => {
  it("tells names apart that stood in each other's place, or begin and end alike", () => {
    const lists: ReadonlyArray<Pairs> = [
      [
        ["KEYS", "1"],
        ["TAGS", "2"],
        ["__CRC32#", "3"]
      ],
      [
        ["KEYS", "1"],
        ["TAGS2", "2"],
        ["__CRC32!", "3"]
      ],
      [
        ["TAGS", "1"],
        ["KEYS", "2"]
      ],
      [
        ["KEY", "1"],
        ["TAG", "2"]
      ],
      [["KEYSKEYS", "1"]],
      [["KEYSkEYS", "1"]],
      [["Käse", "1"]],
      []
    ]
    for (const pairs of [...lists, ...lists.toReversed(), ...lists.flatMap((each) => [each, lists[0]!, each])]) {
      assert.deepStrictEqual(decode(pairs), pairs)
    }
  })

  it("tells more names apart than it remembers, of any length", () => {
    const pairs = Array.from(
      { length: 2000 },
      (_, index) => [`${"n".repeat(index % 50)}${index}x`, `${index}`] as const
    )
    for (const list of [pairs, pairs.toReversed(), ...pairs.map((pair) => [pairs[0]!, pair])]) {
      assert.deepStrictEqual(decode(list), [...new Map(list)])
    }
  })

  it("takes a name or value with bytes that are no text as what Java takes it for, each time", () => {
    const bytes = Uint8Array.from([0xff, 0x61, 1, 0xc3, 2, 0xfe, 0x61, 1, 0xe2, 0x82, 2])
    const memory = { bytes, view: new DataView(bytes.buffer) }
    for (let time = 0; time < 3; time++) {
      assert.deepStrictEqual(Object.entries(PropertyMap.decode(memory, 0, 5)), [["\ufffda", "\ufffd"]])
      assert.deepStrictEqual(Object.entries(PropertyMap.decode(memory, 5, 11)), [["\ufffda", "\ufffd"]])
    }
  })

  it("inherits nothing", () => {
    const properties: Record<string, unknown> = Object.fromEntries(decode([["a", "1"]]))
    assert.deepStrictEqual(properties, { a: "1" })
    const bytes = Utf8.encode("a\u00011\u0002")
    const decoded = PropertyMap.decode({ bytes, view: new DataView(bytes.buffer) }, 0, bytes.length)
    for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
      assert.isUndefined(decoded[name], name)
      assert.isFalse(name in decoded, name)
    }
  })

  it("notices that its memory is gone", () => {
    const bytes = Utf8.encode("a\u00011\u0002")
    const view = new DataView(bytes.buffer)
    const { length } = bytes
    structuredClone(bytes.buffer, { transfer: [bytes.buffer] })
    assert.throws(() => PropertyMap.decode({ bytes, view }, 0, length), "outside their memory")
  })
})
