/**
 * Aeron's names of idle strategies, and its variables for them: one for each agent that a threading mode has. Where a
 * mode has several agents, the driver's one strategy is that of its receiver.
 */
import type { Assignment, Warning } from "./AeronProperties.ts"
import { INVALID, parse } from "./SettingValue.ts"

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

const VARIABLES: Readonly<Record<string, string>> = {
  DEDICATED: "AERON_RECEIVER_IDLE_STRATEGY",
  INVOKER: "AERON_SHARED_IDLE_STRATEGY",
  SHARED: "AERON_SHARED_IDLE_STRATEGY",
  SHARED_NETWORK: "AERON_SHAREDNETWORK_IDLE_STRATEGY"
}
const ARGUMENTS = "_INIT_ARGS"
const VARIABLE = /^AERON_(?:CONDUCTOR|SENDER|RECEIVER|SHARED|SHAREDNETWORK)_IDLE_STRATEGY(?:_INIT_ARGS)?$/

const SLEEP_NS = 1_000_000
const BACKOFF = { _tag: "Backoff", maxSpins: 10, maxYields: 20, minParkNs: 1000, maxParkNs: 1_000_000 } as const
const WAIT_NS_MAX = 100_000_000
const CYCLES_MAX = 1_000_000
const BACKOFF_ARGUMENTS = /^(\d+)-(\d+)-(\d+[a-z]*)-(\d+[a-z]*)$/i

const DURATION = { kind: "duration", default: undefined, minimum: 1, plainUnitNs: 1 } as const

export const isVariable = (variable: string): boolean => VARIABLE.test(variable)

/** The strategy for a threading mode; undefined when none is named, or none that is known. */
export const conclude = (
  threadingMode: string,
  variables: ReadonlyMap<string, Assignment>,
  warnings: Array<Warning>
): IdleDescription | undefined => {
  const variable = VARIABLES[threadingMode]!
  const named = variables.get(variable)
  if (named === undefined) {
    return undefined
  }
  const strategy = STRATEGIES[named.value]
  if (strategy === undefined) {
    const message = `${named.name}=${named.value} is no idle strategy: allowed is backoff, spin, yield, sleep-ns`
    warnings.push({ ...named, message })
    return undefined
  }
  const given = variables.get(`${variable}${ARGUMENTS}`)
  const description = describe(strategy, given?.value)
  if (description === undefined && given !== undefined) {
    const message = `${given.name}=${given.value} is not valid: allowed is a duration, or spins-yields-park-park`
    warnings.push({ ...given, message })
  }
  return description ?? describe(strategy, undefined)
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
  const value = parse(DURATION, text)
  return value === INVALID ? undefined : Math.min(Math.max(Number(value), 1), WAIT_NS_MAX)
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

const propertyOf = (variable: string): string => variable.toLowerCase().replaceAll("_", ".")

/** The lines of a properties file by which `conclude` gives the strategy again. */
export const format = (
  threadingMode: string,
  idle: IdleDescription | { readonly _tag: "Park" } | undefined
): ReadonlyArray<string> => {
  const variable = VARIABLES[threadingMode]!
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
