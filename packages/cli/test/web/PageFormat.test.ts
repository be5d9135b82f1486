import { assert, describe, it } from "@effect/vitest"
import * as Quantity from "../../src/output/Quantity.ts"

type Format = Record<"grouped" | "bytes" | "duration" | "latency", (value: number) => string>

const format = (await import(new URL("../../page/format.js", import.meta.url).href)) as Format

const NUMBERS = [0, 1, 12.4, 999, 999.4, 999.5, 1000, 1234, 59_949, 60_000, 3_599_999, 1_784_867, 5e9, 7e12, 4e15]

describe("numbers on the page", () => {
  it("read as those of the command line", () => {
    for (const number of NUMBERS) {
      assert.strictEqual(format.grouped(number), Quantity.grouped(number))
      assert.strictEqual(format.bytes(number), Quantity.bytes(number))
      assert.strictEqual(format.duration(number), Quantity.duration(number))
      assert.strictEqual(format.latency(number / 100), Quantity.latency(number / 100))
    }
  })
})
