import { assert, describe, it } from "vitest"
import * as HostAddress from "../../src/commitlog/HostAddress.ts"
import * as MessageId from "../../src/commitlog/MessageId.ts"

describe("MessageId", () => {
  it("names the store and the position, in 32 or 56 characters", () => {
    const ipv4 = MessageId.format(HostAddress.parse("127.0.0.1:10911")!, 202)
    assert.strictEqual(ipv4, "7F00000100002A9F00000000000000CA")
    const ipv6 = MessageId.format(HostAddress.parse("[fe80::abcd:1]:10911")!, 2494)
    assert.strictEqual(ipv6, "FE8000000000000000000000ABCD000100002A9F00000000000009BE")
    assert.strictEqual(MessageId.positionOf(ipv4), 202)
    assert.strictEqual(MessageId.positionOf(ipv6), 2494)
  })

  it("keeps every bit of a position", () => {
    const host = HostAddress.parse("1.2.3.4:5")!
    for (const position of [0, 0x89abcdef, 2 ** 32, 0xfedc_89ab_cdef, Number.MAX_SAFE_INTEGER]) {
      assert.strictEqual(MessageId.positionOf(MessageId.format(host, position)), position)
    }
    assert.strictEqual(MessageId.format(host, 0xfedc_89ab_cdef), "01020304000000050000FEDC89ABCDEF")
  })

  it("finds no position in what is no id", () => {
    for (const text of ["", "7F", "x".repeat(32), "7F00000100002A9FFFFFFFFFFFFFFFFF"]) {
      assert.strictEqual(MessageId.positionOf(text), -1)
    }
  })
})
