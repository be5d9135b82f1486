import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { IdleStrategy } from "@millrace/core/IdleStrategy"
import { isPowerOfTwo } from "@millrace/core/kernel/memory/Alignment"
import * as IdleNames from "../config/IdleNames.ts"
import * as SettingValue from "../config/SettingValue.ts"
import * as LossPlan from "../media/LossPlan.ts"
import * as PortRange from "../media/PortRange.ts"
import type { ConcludedSettings, MediaDriverOptions, Setting, Settings } from "../MediaDriverConfig.ts"
import { InvalidOption, type TransportError } from "../TransportError.ts"
import { fail } from "./transportError.ts"

/** One value; `INVALID` when it is none that the setting allows. */
const concludeOne = (setting: Setting, given: unknown): SettingValue.Value | typeof SettingValue.INVALID => {
  if (given === undefined) {
    return setting.default
  }
  const value = setting.kind === "duration" ? nanosOf(given) : given
  return SettingValue.isAllowed(setting, value) ? value : SettingValue.INVALID
}

/** NaN for what is no duration. Small ones are exact: a millisecond has no whole nanoseconds in binary. */
const nanosOf = (given: unknown): number =>
  Option.match(Duration.fromInput(given as Duration.Input), {
    onNone: () => NaN,
    onSome: (duration) => Math.round(Duration.toMillis(duration) * 1e6)
  })

/** A duration may be a string, a number, a BigInt or an object that prints itself. */
const shown = (value: unknown): string => String(value)

/** What must hold of values and between them. */
type Relation = readonly [option: keyof Settings, holds: boolean, allowed: string]

const INTERCEPTORS = `none, or some of ${Object.keys(LossPlan.FORMS).join(", ")}, apart by commas`

/** An interceptor that is named needs its arguments. */
const lossRelations = (values: ConcludedSettings): ReadonlyArray<Relation> => {
  const { fixedLossArguments, incomingInterceptors, lossArguments, multiGapLossArguments, outgoingInterceptors } =
    values
  const argumentsOf = (option: keyof Settings, name: LossPlan.Interceptor["name"], given: string): Relation => [
    option,
    !LossPlan.isNamed(name, incomingInterceptors, outgoingInterceptors) || LossPlan.parse(name, given) !== undefined,
    LossPlan.FORMS[name]
  ]
  return [
    ["incomingInterceptors", LossPlan.areNames(incomingInterceptors), INTERCEPTORS],
    ["outgoingInterceptors", LossPlan.areNames(outgoingInterceptors), INTERCEPTORS],
    argumentsOf("lossArguments", "loss", lossArguments),
    argumentsOf("fixedLossArguments", "fixed-loss", fixedLossArguments),
    argumentsOf("multiGapLossArguments", "multi-gap-loss", multiGapLossArguments)
  ]
}

const relations = (values: ConcludedSettings): ReadonlyArray<Relation> => [
  ...lossRelations(values),
  ["termBufferLength", isPowerOfTwo(values.termBufferLength), "a power of two"],
  ["ipcTermBufferLength", isPowerOfTwo(values.ipcTermBufferLength), "a power of two"],
  ["filePageSize", isPowerOfTwo(values.filePageSize), "a power of two"],
  ["toDriverBufferLength", isPowerOfTwo(values.toDriverBufferLength - 768), "a power of two plus 768"],
  ["toClientsBufferLength", isPowerOfTwo(values.toClientsBufferLength - 128), "a power of two plus 128"],
  ["countersValuesBufferLength", values.countersValuesBufferLength % 128 === 0, "a multiple of 128"],
  ["errorBufferLength", values.errorBufferLength % 64 === 0, "a multiple of 64"],
  ["senderWildcardPortRange", PortRange.isRange(values.senderWildcardPortRange), PortRange.FORM],
  ["receiverWildcardPortRange", PortRange.isRange(values.receiverWildcardPortRange), PortRange.FORM],
  ["mtuLength", values.mtuLength % 32 === 0, "a multiple of 32"],
  ["ipcMtuLength", values.ipcMtuLength % 32 === 0, "a multiple of 32"],
  [
    "publicationUnblockTimeout",
    values.publicationUnblockTimeout > values.clientLivenessTimeout,
    `more than clientLivenessTimeout, ${values.clientLivenessTimeout} ns`
  ],
  [
    "timerInterval",
    values.timerInterval < values.clientLivenessTimeout,
    `less than clientLivenessTimeout, ${values.clientLivenessTimeout} ns`
  ],
  ...(["untetheredWindowLimitTimeout", "untetheredLingerTimeout", "untetheredRestingTimeout"] as const).map(
    (option): Relation => [
      option,
      // The linger timeout is that of the window limit where it is not given.
      (values[option] ?? Infinity) > values.timerInterval,
      `more than timerInterval, ${values.timerInterval} ns`
    ]
  ),
  [
    "reservedSessionIdHigh",
    values.reservedSessionIdHigh >= values.reservedSessionIdLow,
    `at least reservedSessionIdLow, ${values.reservedSessionIdLow}`
  ]
]

/**
 * With a shorter client liveness timeout the times that depend on it follow, unless they are given: else every short
 * timeout would come with two more options to set.
 */
const withDependents = (settings: Settings, options: MediaDriverOptions): MediaDriverOptions => {
  const livenessNs = concludeOne(settings.clientLivenessTimeout, options.clientLivenessTimeout)
  if (typeof livenessNs !== "number" || options.clientLivenessTimeout === undefined) {
    return options
  }
  return {
    publicationUnblockTimeout: Duration.nanos(BigInt(Math.round(livenessNs * 1.5))),
    timerInterval: Duration.nanos(BigInt(Math.max(10e6, Math.min(1e9, Math.floor(livenessNs / 4))))),
    ...options
  }
}

const isIdleStrategy = Schema.is(IdleStrategy)
const IDLES = "a strategy of IdleStrategy, with waits of 1 ns to 100 ms and up to a million cycles"

const invalidIdle = (options: MediaDriverOptions): InvalidOption | undefined => {
  const option = IdleNames.OPTIONS.find((name) => options[name] !== undefined && !isIdleStrategy(options[name]))
  return option && new InvalidOption({ option, value: JSON.stringify(options[option]), allowed: IDLES })
}

export const concludeSettings = (
  settings: Settings,
  given: MediaDriverOptions
): Effect.Effect<ConcludedSettings, TransportError> =>
  Effect.suspend(() => {
    const options = withDependents(settings, given)
    const unknownIdle = invalidIdle(options)
    if (unknownIdle !== undefined) {
      return fail(unknownIdle)
    }
    const values: Record<string, SettingValue.Value> = {}
    for (const [name, setting] of Object.entries<Setting>(settings)) {
      const option = options[name as keyof Settings]
      const value = concludeOne(setting, option)
      if (value === SettingValue.INVALID) {
        return fail(new InvalidOption({ option: name, value: shown(option), allowed: SettingValue.describe(setting) }))
      }
      values[name] = value
    }
    const concluded = values as unknown as ConcludedSettings
    for (const [option, holds, allowed] of relations(concluded)) {
      if (!holds) {
        return fail(new InvalidOption({ option, value: String(concluded[option]), allowed }))
      }
    }
    return Effect.succeed(concluded)
  })
