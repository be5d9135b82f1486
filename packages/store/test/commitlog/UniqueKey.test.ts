import { assert, describe, it } from "@effect/vitest"
import * as UniqueKey from "../../src/commitlog/UniqueKey.ts"

const origin = { address: Uint8Array.of(10, 0, 0, 7), pid: 70_001, random: 0xdeadbeef }
/** 2 November 2026, 03:04:05.006, where the test runs: 97,445,006 ms of the month. */
const NOW = new Date(2026, 10, 2, 3, 4, 5, 6).getTime()

describe("ids of messages", () => {
  it("are address, pid, random, time of the month and counter, in upper-case hex", () => {
    const keys = new UniqueKey.UniqueKeys(origin)
    assert.strictEqual(keys.next(NOW), "0A0000071171DEADBEEF05CEE48E0000")
    assert.strictEqual(keys.next(NOW), "0A0000071171DEADBEEF05CEE48E0001")
  })

  it("have 56 characters with an address of IPv6", () => {
    const address = Uint8Array.from({ length: 16 }, (_, index) => index)
    const id = new UniqueKey.UniqueKeys({ ...origin, address }).next(NOW)
    assert.strictEqual(id, "000102030405060708090A0B0C0D0E0F1171DEADBEEF05CEE48E0000")
  })

  it("differ for 65,536 messages of one millisecond, and begin again with their counter after that", () => {
    const keys = new UniqueKey.UniqueKeys(origin)
    const ids = new Set(Array.from({ length: 65_536 }, () => keys.next(NOW)))
    assert.strictEqual(ids.size, 65_536)
    assert.isTrue(ids.has(keys.next(NOW)))
  })
})
