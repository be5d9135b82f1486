import { assert, describe, it } from "vitest"
import * as HostAddress from "../../src/commitlog/HostAddress.ts"

const roundTrip = (text: string) => {
  const bytes = HostAddress.parse(text)!
  return HostAddress.format(new DataView(bytes.buffer), 0, bytes.length)
}

describe("HostAddress", () => {
  it("prints IPv4 and IPv6 hosts as Java does", () => {
    assert.strictEqual(roundTrip("10.1.2.3:40123"), "10.1.2.3:40123")
    assert.strictEqual(roundTrip("[2001:db8::17]:1"), "[2001:db8:0:0:0:0:0:17]:1")
    assert.strictEqual(roundTrip("[::]:0"), "[0:0:0:0:0:0:0:0]:0")
    assert.strictEqual(roundTrip("[1:2:3:4:5:6:7:8]:65535"), "[1:2:3:4:5:6:7:8]:65535")
    assert.strictEqual(roundTrip("[fe80::]:5"), "[fe80:0:0:0:0:0:0:0]:5")
  })

  it("prints each of several hosts that take turns", () => {
    const texts = ["0.0.0.0:0", "10.1.2.3:1", "10.1.2.3:2", "10.1.2.4:2", "255.255.255.255:65535", "127.0.0.1:0"]
    for (const text of [...texts, ...texts.toReversed(), ...texts.flatMap((each) => [each, texts[0]!])]) {
      assert.strictEqual(roundTrip(text), text)
    }
  })

  it("prints each of more hosts than it remembers", () => {
    const texts = Array.from({ length: 1000 }, (_, index) => `10.0.${index >> 4}.${index & 0xf}:${index * 61}`)
    for (const text of [...texts, ...texts.toReversed()]) {
      assert.strictEqual(roundTrip(text), text)
    }
  })

  it("refuses what is no host", () => {
    for (const text of [
      "",
      "10.1.2.3",
      "10.1.2.3:",
      "10.1.2:1",
      "10.1.2.256:1",
      "10.1.2.3:65536",
      "10.1.2.3:-1",
      "::1:80",
      "[1:2:3]:1",
      "[1::2::3]:1",
      "[1:2:3:4:5:6:7:8:9]:1",
      "[12345::]:1",
      "[g::]:1",
      "localhost:1"
    ]) {
      assert.isUndefined(HostAddress.parse(text), text)
    }
  })
})
