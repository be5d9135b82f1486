/**
 * The value forms that channel parameters share: numbers, sizes with `k` `m` `g`, durations with a unit, and the
 * boolean that only the literal `true` switches on (as Aeron reads it).
 */
import { InvalidChannel } from "./InvalidChannel.ts"
import type { ChannelUri } from "./ChannelUri.ts"

const INT32_MIN = -(2 ** 31)
const INT32_MAX = 2 ** 31 - 1
const INT64_MAX = 2n ** 63n - 1n
const DECIMAL = /^[+-]?\d+$/
const SIZE = /^(\d+)([kKmMgG]?)$/
const DURATION = /^(\d+)(ns|us|ms|s|)$/

const SIZE_UNITS: Readonly<Record<string, number>> = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }
const DURATION_UNITS_NS: Readonly<Record<string, number>> = { "": 1, ns: 1, us: 1e3, ms: 1e6, s: 1e9 }

export const fault = (
  uri: ChannelUri,
  parameter: string,
  value: string | number | bigint,
  allowed: string,
  isGeneric = false
): InvalidChannel => new InvalidChannel({ channel: uri.channel, parameter, value: String(value), allowed, isGeneric })

export const int32 = (uri: ChannelUri, parameter: string, text: string, isGeneric = false): number => {
  const value = DECIMAL.test(text) ? Number(text) : NaN
  if (!(value >= INT32_MIN && value <= INT32_MAX)) {
    throw fault(uri, parameter, text, "a whole number of 32 bits", isGeneric)
  }
  return value
}

export const int64 = (uri: ChannelUri, parameter: string, text: string, isGeneric = false): bigint => {
  const value = DECIMAL.test(text) ? BigInt(text) : undefined
  if (value === undefined || value > INT64_MAX || value < -INT64_MAX - 1n) {
    throw fault(uri, parameter, text, "a whole number of 64 bits", isGeneric)
  }
  return value
}

/** Bytes; `defaultValue` when the parameter is absent. */
export const size = (uri: ChannelUri, parameter: string, defaultValue: number, isGeneric = true): number => {
  const text = uri.get(parameter)
  if (text === undefined) {
    return defaultValue
  }
  const match = SIZE.exec(text)
  const value = match === null ? NaN : Number(match[1]) * SIZE_UNITS[match[2]!.toLowerCase()]!
  if (!(value <= INT32_MAX)) {
    throw fault(uri, parameter, text, "bytes, or a number followed by k, m or g, below 2g", isGeneric)
  }
  return value
}

/** Nanoseconds; `defaultValue` when the parameter is absent. */
export const durationNs = (uri: ChannelUri, parameter: string, defaultValue: number, isGeneric = true): number => {
  const text = uri.get(parameter)
  return text === undefined ? defaultValue : duration(uri, parameter, text, isGeneric)
}

/** Nanoseconds, of a text that is a parameter or a part of one. */
export const duration = (uri: ChannelUri, parameter: string, text: string, isGeneric = true): number => {
  const match = DURATION.exec(text.toLowerCase())
  const value = match === null ? NaN : Number(match[1]) * DURATION_UNITS_NS[match[2]!]!
  if (!Number.isSafeInteger(value)) {
    throw fault(uri, parameter, text, "a whole number followed by ns, us, ms or s", isGeneric)
  }
  return value
}

export const boolean = (uri: ChannelUri, parameter: string, defaultValue: boolean): boolean => {
  const text = uri.get(parameter)
  return text === undefined ? defaultValue : text === "true"
}
