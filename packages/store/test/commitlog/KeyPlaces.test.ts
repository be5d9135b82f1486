import { describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { assert } from "vitest"
import { KeyPlaces } from "../../src/commitlog/KeyPlaces.ts"
import * as MessageProperties from "../../src/commitlog/MessageProperties.ts"
import * as PropertyMap from "../../src/commitlog/PropertyMap.ts"
import * as Utf8 from "../../src/commitlog/Utf8.ts"

const BEFORE = 3
const { KEYS, TAGS, UNIQ_KEY } = MessageProperties

/** One after the other with the same object, so that nothing of the text before may be left. */
const places = new KeyPlaces()

const locate = (text: string): Readonly<Record<string, string | undefined>> => {
  const bytes = Utf8.encode("\u0002".repeat(BEFORE) + text)
  places.locate(bytes, BEFORE, bytes.length)
  const { keysEnd, keysStart, tagsEnd, tagsStart, uniqueKeyEnd, uniqueKeyStart } = places
  const read = (start: number, end: number) => (end > start ? Utf8.decode(bytes, start, end) : undefined)
  return {
    [KEYS]: read(keysStart, keysEnd),
    [TAGS]: read(tagsStart, tagsEnd),
    [UNIQ_KEY]: read(uniqueKeyStart, uniqueKeyEnd)
  }
}

const Text = Schema.Array(
  Schema.Literals([KEYS, TAGS, UNIQ_KEY, "a", "ä", "\u0000", "\u0001", "\u0002", "KEY", "S"])
).check(Schema.isMaxLength(16))

describe("KeyPlaces", () => {
  it.prop("finds in any text what decoding the whole gives, and nothing else", { parts: Text }, ({ parts }) => {
    const text = parts.join("")
    const bytes = Utf8.encode(text)
    const decoded = PropertyMap.decode({ bytes, view: new DataView(bytes.buffer) }, 0, bytes.length)
    const found = locate(text)
    for (const name of [KEYS, TAGS, UNIQ_KEY]) {
      assert.strictEqual(found[name], decoded[name], `${name} in ${JSON.stringify(text)}`)
    }
  })

  it("takes the last of several of one name, and none without a value", () => {
    assert.deepStrictEqual(locate(`${KEYS}\u0001a\u0002${TAGS}\u0001\u0002${KEYS}\u0001b c\u0002${KEYS}\u0001`), {
      [KEYS]: "b c",
      [TAGS]: undefined,
      [UNIQ_KEY]: undefined
    })
  })
})
