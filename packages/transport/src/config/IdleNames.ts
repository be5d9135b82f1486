/** Aeron's names of idle strategies, and its variables for them: one for each kind of thread that a driver can have. */
import { type Assignment, invalid, type Warning } from "./Assignment.ts"
import * as SettingValue from "./SettingValue.ts"

/** An idle strategy as data, of those that Aeron names. */
export type IdleDescription =
  | { readonly _tag: "BusySpin" }
  | { readonly _tag: "Yielding" }
  | { readonly _tag: "Sleeping"; readonly sleepNs: number }
  | {
      readonly _tag: "Backoff"
      readonly maxSpins: number
      readonly maxYields: number
      readonly minParkNs: number
      readonly maxParkNs: number
    }

type Strategy = "backoff" | "spin" | "yield" | "sleep"

const STRATEGIES: Readonly<Record<string, Strategy>> = {
  backoff: "backoff",
  aeron_idle_strategy_backoff: "backoff",
  "org.agrona.concurrent.BackoffIdleStrategy": "backoff",
  spin: "spin",
  noop: "spin",
  aeron_idle_strategy_busy_spinning: "spin",
  aeron_idle_strategy_noop: "spin",
  "org.agrona.concurrent.BusySpinIdleStrategy": "spin",
  "org.agrona.concurrent.NoOpIdleStrategy": "spin",
  yield: "yield",
  aeron_idle_strategy_yielding: "yield",
  "org.agrona.concurrent.YieldingIdleStrategy": "yield",
  sleeping: "sleep",
  "sleep-ns": "sleep",
  "sleep-ms": "sleep",
  aeron_idle_strategy_sleeping: "sleep",
  "org.agrona.concurrent.SleepingIdleStrategy": "sleep",
  "org.agrona.concurrent.SleepingMillisIdleStrategy": "sleep"
}

/** By the driver's options. Aeron has none for all threads. */
export const VARIABLES = {
  idle: "MILLRACE_IDLE_STRATEGY",
  conductorIdle: "AERON_CONDUCTOR_IDLE_STRATEGY",
  senderIdle: "AERON_SENDER_IDLE_STRATEGY",
  receiverIdle: "AERON_RECEIVER_IDLE_STRATEGY",
  sharedNetworkIdle: "AERON_SHAREDNETWORK_IDLE_STRATEGY",
  sharedIdle: "AERON_SHARED_IDLE_STRATEGY"
} as const
export const ARGUMENTS = "_INIT_ARGS"

export type IdleOption = keyof typeof VARIABLES
export type Idles = { readonly [Option in IdleOption]?: IdleDescription }

export const OPTIONS = Object.keys(VARIABLES) as ReadonlyArray<IdleOption>
const NAMES: ReadonlySet<string> = new Set(Object.values(VARIABLES).flatMap((name) => [name, `${name}${ARGUMENTS}`]))

const SLEEP_NS = 1_000_000
const BACKOFF = { _tag: "Backoff", maxSpins: 10, maxYields: 20, minParkNs: 1000, maxParkNs: 1_000_000 } as const
const WAIT_NS_MAX = 100_000_000
const CYCLES_MAX = 1_000_000
const BACKOFF_ARGUMENTS = /^(\d+)-(\d+)-(\d+[a-z]*)-(\d+[a-z]*)$/i

const DURATION = { kind: "duration", default: undefined, minimum: 1, plainUnitNs: 1 } as const

export const isVariable = (variable: string): boolean => NAMES.has(variable)

/** The strategies that are named, of those that are known. */
export const conclude = (variables: ReadonlyMap<string, Assignment>, warnings: Array<Warning>): Idles =>
  Object.fromEntries(
    OPTIONS.flatMap((option) => {
      const idle = concludeOne(VARIABLES[option], variables, warnings)
      return idle === undefined ? [] : [[option, idle] as const]
    })
  )

const concludeOne = (
  variable: string,
  variables: ReadonlyMap<string, Assignment>,
  warnings: Array<Warning>
): IdleDescription | undefined => {
  const named = variables.get(variable)
  if (named === undefined) {
    return undefined
  }
  const plain = parse(named.value)
  if (plain === undefined) {
    warnings.push(invalid(named, "backoff, spin, yield or sleep-ns"))
    return undefined
  }
  const given = variables.get(`${variable}${ARGUMENTS}`)
  const description = parse(named.value, given?.value)
  if (given !== undefined && description === undefined) {
    warnings.push(invalid(given, "a duration, or spins-yields-park-park"))
  }
  return description ?? plain
}

/** By one of Aeron's names, with arguments if there are any; undefined for what is none. */
export const parse = (name: string, given?: string): IdleDescription | undefined => {
  const strategy = Object.hasOwn(STRATEGIES, name) ? STRATEGIES[name] : undefined
  return strategy === undefined ? undefined : describe(strategy, given)
}

const describe = (strategy: Strategy, given: string | undefined): IdleDescription | undefined => {
  switch (strategy) {
    case "spin":
      return { _tag: "BusySpin" }
    case "yield":
      return { _tag: "Yielding" }
    case "sleep": {
      const sleepNs = given === undefined ? SLEEP_NS : waitOf(given)
      return sleepNs === undefined ? undefined : { _tag: "Sleeping", sleepNs }
    }
    case "backoff":
      return given === undefined ? BACKOFF : backoffOf(given)
  }
}

const waitOf = (text: string): number | undefined => {
  const value = SettingValue.parse(DURATION, text)
  return value === SettingValue.INVALID ? undefined : Math.min(Math.max(Number(value), 1), WAIT_NS_MAX)
}

const backoffOf = (text: string): IdleDescription | undefined => {
  const [, spins, yields, minPark = "", maxPark = ""] = BACKOFF_ARGUMENTS.exec(text) ?? []
  const minParkNs = waitOf(minPark)
  const maxParkNs = waitOf(maxPark)
  return minParkNs === undefined || maxParkNs === undefined
    ? undefined
    : {
        _tag: "Backoff",
        maxSpins: Math.min(Number(spins), CYCLES_MAX),
        maxYields: Math.min(Number(yields), CYCLES_MAX),
        minParkNs,
        maxParkNs
      }
}

export const propertyOf = (variable: string): string => variable.toLowerCase().replaceAll("_", ".")

/** As it is given; undefined is the default. */
type Given = IdleDescription | { readonly _tag: "Park" } | undefined

/** The lines of a properties file by which `conclude` gives the strategies again. */
export const format = (idleOf: (option: IdleOption) => Given): ReadonlyArray<string> =>
  OPTIONS.flatMap((option) => formatOne(VARIABLES[option], idleOf(option)))

const formatOne = (variable: string, idle: Given): ReadonlyArray<string> => {
  const lines = (name: string, given?: string): ReadonlyArray<string> => [
    `${propertyOf(variable)}=${name}`,
    ...(given === undefined ? [] : [`${propertyOf(`${variable}${ARGUMENTS}`)}=${given}`])
  ]
  switch (idle?._tag) {
    case "BusySpin":
      return lines("spin")
    case "Yielding":
      return lines("yield")
    case "Sleeping":
      return lines("sleep-ns", `${idle.sleepNs}ns`)
    case "Backoff":
      return lines("backoff", `${idle.maxSpins}-${idle.maxYields}-${idle.minParkNs}ns-${idle.maxParkNs}ns`)
    default:
      return [`# ${propertyOf(variable)} is a park until there is work, which Aeron has not`]
  }
}
