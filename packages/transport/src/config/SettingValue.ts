/**
 * The text forms of option values, as Aeron has them: sizes with `k` `m` `g`, durations with `ns` `us` `ms` `s`,
 * switches as `true` `on` `1`, choices by the names of Aeron's functions and classes.
 */
import {
  SWITCH,
  type BooleanKind,
  type ChoiceKind,
  type DurationKind,
  type Setting,
  type SettingKind
} from "./Setting.ts"

export type Value = number | boolean | string | bigint | undefined

/** A text is no value of a setting. */
export const INVALID = Symbol("no value of the setting")

const SIZE = /^\s*(\d+)([kmg]?)$/i
const DURATION = /^\s*(\d+)(ns|us|ms|s|)$/i
const INTEGER = /^\s*[+-]?(?:0x[0-9a-f]+|\d+)$/i
const FRACTION = /^\s*\d*\.?\d+(?:e[+-]?\d+)?$/i

const SIZE_UNITS: Readonly<Record<string, number>> = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }
const DURATION_UNITS_NS: Readonly<Record<string, number>> = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 }
const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n

const parseSize = (text: string): number | typeof INVALID => {
  const match = SIZE.exec(text)
  return match === null ? INVALID : Number(match[1]) * SIZE_UNITS[match[2]!.toLowerCase()]!
}

const parseDuration = ({ plainUnitNs }: DurationKind, text: string): number | typeof INVALID => {
  const match = DURATION.exec(text)
  if (match === null) {
    return INVALID
  }
  const unitNs = match[2] === "" ? plainUnitNs : DURATION_UNITS_NS[match[2]!.toLowerCase()]!
  return Math.min(Number(match[1]) * unitNs, Number.MAX_SAFE_INTEGER)
}

const parseInt64 = (text: string): bigint | typeof INVALID => {
  if (!INTEGER.test(text)) {
    return INVALID
  }
  const isNegative = text.trim().startsWith("-")
  const magnitude = BigInt(text.trim().replace(/^[+-]/, ""))
  const value = isNegative ? -magnitude : magnitude
  return value < INT64_MIN || value > INT64_MAX ? INVALID : value
}

const parseBoolean = ({ words }: BooleanKind, text: string): boolean | typeof INVALID => {
  const isOff = words.off.includes(text) || SWITCH.off.includes(text)
  return words.on.includes(text) || SWITCH.on.includes(text) || (isOff ? false : INVALID)
}

const parseChoice = ({ choices }: ChoiceKind, text: string): string | typeof INVALID =>
  Object.keys(choices).find((name) => name === text || choices[name]!.includes(text)) ?? INVALID

/** The value that a text stands for, whatever the limits of the setting. */
export const parse = (setting: SettingKind, text: string): Value | typeof INVALID => {
  switch (setting.kind) {
    case "boolean":
      return parseBoolean(setting, text)
    case "duration":
      return parseDuration(setting, text)
    case "size":
      return parseSize(text)
    case "integer":
      return INTEGER.test(text) ? Number(text) : INVALID
    case "int64":
      return parseInt64(text)
    case "fraction":
      return FRACTION.test(text) ? Number(text) : INVALID
    case "choice":
      return parseChoice(setting, text)
    case "text":
      return text
  }
}

const limitsOf = (setting: SettingKind): readonly [minimum: number, maximum: number] => {
  switch (setting.kind) {
    case "duration":
      return [setting.minimum, Number.MAX_SAFE_INTEGER]
    case "size":
    case "integer":
      return [setting.minimum, setting.maximum]
    default:
      return [0, 1]
  }
}

/** The nearest value within the limits of the setting. */
export const clamp = (setting: SettingKind, value: Value): Value => {
  if (typeof value !== "number") {
    return value
  }
  const [minimum, maximum] = limitsOf(setting)
  return Math.min(Math.max(value, minimum), maximum)
}

/** Whether a value is of the setting's kind and within its limits. */
export const isAllowed = (setting: SettingKind, value: unknown): value is Value => {
  switch (setting.kind) {
    case "boolean":
      return typeof value === "boolean"
    case "text":
      return typeof value === "string"
    case "choice":
      return typeof value === "string" && Object.hasOwn(setting.choices, value)
    case "int64":
      return value === undefined || (typeof value === "bigint" && value >= INT64_MIN && value <= INT64_MAX)
    case "fraction":
      return typeof value === "number" && value >= 0 && value <= 1
    case "duration":
    case "size":
    case "integer":
      return isInteger(setting, value)
  }
}

const isInteger = (setting: SettingKind, value: unknown): boolean =>
  (value === undefined && setting.default === undefined) ||
  (typeof value === "number" && Number.isInteger(value) && clamp(setting, value) === value)

export const describe = (setting: SettingKind): string => {
  switch (setting.kind) {
    case "boolean":
      return `${setting.words.on[0]!} or ${setting.words.off[0]!}`
    case "duration":
      return `a duration of at least ${setting.minimum} ns`
    case "size":
      return `bytes from ${setting.minimum} to ${setting.maximum}`
    case "integer":
      return `a whole number from ${setting.minimum} to ${setting.maximum}`
    case "int64":
      return "a whole number of 64 bits"
    case "fraction":
      return "a number from 0 to 1"
    case "choice":
      return Object.keys(setting.choices).join(", ")
    case "text":
      return "a text"
  }
}

const UNITS_NS: ReadonlyArray<readonly [unit: string, ns: number]> = [
  ["s", 1e9],
  ["ms", 1e6],
  ["us", 1e3]
]

/** In the largest unit that divides it: `100ms`. */
export const formatDuration = (ns: number): string => {
  const unit = UNITS_NS.find(([, unitNs]) => ns >= unitNs && ns % unitNs === 0)
  return unit === undefined ? `${ns}ns` : `${ns / unit[1]}${unit[0]}`
}

/** As `parse` reads it; empty = none. */
export const format = (setting: Setting, value: Value): string => {
  switch (setting.kind) {
    case "duration":
      return value === undefined ? "" : formatDuration(Number(value))
    case "boolean":
      return (value === true ? setting.words.on : setting.words.off)[0]!
    default:
      return String(value ?? "")
  }
}
