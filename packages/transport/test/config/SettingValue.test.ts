/** The text forms of option values, which are Aeron's. */
import { assert, describe, it } from "@effect/vitest"
import * as Setting from "../../src/config/Setting.ts"
import * as SettingValue from "../../src/config/SettingValue.ts"

const { INVALID } = SettingValue
const size = Setting.size("aeron.x", 64, "", 64, 4096)
const duration = Setting.duration("aeron.x", 1000, "")
const milliseconds = Setting.duration("aeron.x", 1000, "", 0, 1e6)
const choice = Setting.choice("aeron.x", "max", { max: ["multicast_max"], min: [] }, "")

const cases: ReadonlyArray<readonly [of: string, Setting.SettingKind, text: string, expected: unknown]> = [
  ["bytes", size, "1408", 1408],
  ["kibibytes", size, "64k", 65_536],
  ["mebibytes, in capitals", size, "2M", 2 * 1024 ** 2],
  ["gibibytes", size, "1g", 1024 ** 3],
  ["a size with two letters", size, "64kb", INVALID],
  ["a size below 0", size, "-1", INVALID],
  ["an empty size", size, "", INVALID],
  ["nanoseconds without a unit", duration, "5000", 5000],
  ["nanoseconds", duration, "5000ns", 5000],
  ["microseconds", duration, "7us", 7000],
  ["milliseconds", duration, "200ms", 200e6],
  ["seconds, in capitals", duration, "10S", 10e9],
  ["a duration with a fraction", duration, "1.5s", INVALID],
  ["a duration in minutes", duration, "1min", INVALID],
  ["a duration longer than all time", duration, "99999999999999s", Number.MAX_SAFE_INTEGER],
  ["a number that counts milliseconds", milliseconds, "500", 500e6],
  ["the same with a unit", milliseconds, "5s", 5e9],
  ["a switch that is on", Setting.flag("aeron.x", false, ""), "true", true],
  ["a switch that is off", Setting.flag("aeron.x", true, ""), "0", false],
  ["a switch by another word", Setting.flag("aeron.x", true, ""), "yes", INVALID],
  ["an integer", Setting.integer("aeron.x", 1, "", 0), "-7", -7],
  ["an integer in base 16", Setting.integer("aeron.x", 1, "", 0), "0x10", 16],
  ["an integer with a rest", Setting.integer("aeron.x", 1, "", 0), "7x", INVALID],
  ["64 bits", Setting.int64("aeron.x", -1n, ""), "-9223372036854775808", -(2n ** 63n)],
  ["65 bits", Setting.int64("aeron.x", -1n, ""), "9223372036854775808", INVALID],
  ["a share", Setting.fraction("aeron.x", ""), "0.25", 0.25],
  ["no share", Setting.fraction("aeron.x", ""), "much", INVALID],
  ["a choice by our name", choice, "min", "min"],
  ["a choice by Aeron's name", choice, "multicast_max", "max"],
  ["no choice", choice, "toString", INVALID],
  ["a text", Setting.text("aeron.x", ""), "as it is", "as it is"]
]

describe("SettingValue", () => {
  it.each(cases)("reads %s", (_of, setting, text, expected) => {
    assert.strictEqual(SettingValue.parse(setting, text), expected)
  })

  it("takes what is beyond the limits back to them", () => {
    assert.deepStrictEqual(
      [1, 100, 10_000].map((value) => SettingValue.clamp(size, value)),
      [64, 100, 4096]
    )
    assert.strictEqual(SettingValue.clamp(choice, "min"), "min")
  })

  it("knows what is no value of a setting, whatever its type", () => {
    const values = [undefined, null, 64, 63, 64.5, "64", true, 64n, {}]
    assert.deepStrictEqual(
      values.filter((value) => SettingValue.isAllowed(size, value)),
      [64]
    )
    assert.deepStrictEqual(
      values.filter((value) => SettingValue.isAllowed(Setting.int64("aeron.x", undefined, ""), value)),
      [undefined, 64n]
    )
    assert.isFalse(SettingValue.isAllowed(choice, "constructor"))
  })

  it("shows durations in the largest unit that divides them", () => {
    assert.deepStrictEqual([7200e9, 321_000, 250e6, 1001, 0].map(SettingValue.formatDuration), [
      "7200s",
      "321us",
      "250ms",
      "1001ns",
      "0ns"
    ])
  })
})
