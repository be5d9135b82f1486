import { assert, describe, it } from "vitest"
import * as HostAddress from "../../src/commitlog/HostAddress.ts"
import * as MessageId from "../../src/commitlog/MessageId.ts"

/** The id of the record at a position of the store at a host, which stands somewhere in its memory. */
const idOf = (host: string, position: number): string => {
  const bytes = HostAddress.parse(host)!
  const view = new DataView(new ArrayBuffer(bytes.length + 6))
  new Uint8Array(view.buffer).set(bytes, 3)
  return MessageId.format(view, 3, bytes.length, position)
}

describe("MessageId", () => {
  it("names the store and the position, in 32 or 56 characters", () => {
    const ipv4 = idOf("127.0.0.1:10911", 202)
    assert.strictEqual(ipv4, "7F00000100002A9F00000000000000CA")
    const ipv6 = idOf("[fe80::abcd:1]:10911", 2494)
    assert.strictEqual(ipv6, "FE8000000000000000000000ABCD000100002A9F00000000000009BE")
    assert.strictEqual(MessageId.positionOf(ipv4), 202)
    assert.strictEqual(MessageId.positionOf(ipv6), 2494)
  })

  it("keeps every bit of a position", () => {
    const host = "1.2.3.4:5"
    for (const position of [0, 0x89abcdef, 2 ** 32, 0xfedc_89ab_cdef, Number.MAX_SAFE_INTEGER]) {
      assert.strictEqual(MessageId.positionOf(idOf(host, position)), position)
    }
    assert.strictEqual(idOf(host, 0xfedc_89ab_cdef), "01020304000000050000FEDC89ABCDEF")
  })

  it("names each of several stores and halves of positions that take turns", () => {
    const ids = [
      { host: "0.0.0.0:0", position: 0, id: "00000000000000000000000000000000" },
      { host: "1.2.3.4:5", position: 255, id: "010203040000000500000000000000FF" },
      { host: "1.2.3.4:6", position: 255, id: "010203040000000600000000000000FF" },
      { host: "1.2.3.4:6", position: 2 ** 32 + 255, id: "010203040000000600000001000000FF" },
      { host: "255.255.255.255:65535", position: 1, id: "FFFFFFFF0000FFFF0000000000000001" }
    ]
    for (const { host, id, position } of [...ids, ...ids.toReversed(), ...ids.flatMap((each) => [each, ids[0]!])]) {
      assert.strictEqual(idOf(host, position), id)
    }
  })

  it("finds no position in what is no id", () => {
    for (const text of ["", "7F", "x".repeat(32), "7F00000100002A9FFFFFFFFFFFFFFFFF"]) {
      assert.strictEqual(MessageId.positionOf(text), -1)
    }
  })
})
