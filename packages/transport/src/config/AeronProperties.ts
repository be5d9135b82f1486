/**
 * Aeron's way to configure a driver: environment variables, `-Dname=value` and properties files, all of them
 * assignments to the same names. `aeron.term.buffer.length` and `AERON_TERM_BUFFER_LENGTH` are one.
 */
import { type Assignment, invalid, type Warning } from "./Assignment.ts"
import * as IdleNames from "./IdleNames.ts"
import { environmentVariable, type Setting } from "./Setting.ts"
import * as SettingValue from "./SettingValue.ts"

export interface Ignored extends Assignment {
  readonly reason: string
  /** Aeron's drivers use it for what this one has no need of. */
  readonly isAerons: boolean
}

export interface Conclusion {
  /** By the names of the settings. */
  readonly values: Readonly<Record<string, SettingValue.Value>>
  readonly directory: string | undefined
  readonly threadingMode: string | undefined
  readonly idles: IdleNames.Idles
  readonly warnings: ReadonlyArray<Warning>
  readonly ignored: ReadonlyArray<Ignored>
}

/** A line of a properties file is no assignment. */
class MalformedProperties extends Error {
  readonly _tag = "MalformedProperties"

  constructor(source: string, line: number, text: string) {
    super(`${source}, line ${line}: "${text}" is no name=value`)
  }
}

const NO_MEANING = "has no meaning for this driver"
const NOT_KNOWN = "is not known"
const STILL_TO_COME = "belongs to multicast, which this driver does not have yet"

/** Variables that Aeron's drivers know and this one has no use for. */
const OTHERS: ReadonlyMap<string, string> = new Map([
  ...[
    "AERON_AGENT_ON_START_FUNCTION",
    "AERON_CONDUCTOR_CPU_AFFINITY",
    "AERON_CONDUCTOR_UDP_CHANNEL_TRANSPORT_BINDINGS_MEDIA",
    "AERON_DEBUG_TIMEOUT",
    "AERON_DRIVER_ASYNC_EXECUTOR_ENABLED",
    "AERON_DRIVER_ASYNC_EXECUTOR_IDLE_STRATEGY",
    "AERON_DRIVER_ASYNC_EXECUTOR_IDLE_STRATEGY_INIT_ARGS",
    "AERON_DRIVER_ASYNC_EXECUTOR_THREADS",
    "AERON_DRIVER_CONNECT",
    "AERON_DRIVER_CPUSET_AFFINITY",
    "AERON_DRIVER_CPUSET_WARNINGS_AS_ERRORS",
    "AERON_DRIVER_DYNAMIC_LIBRARIES",
    "AERON_DRIVER_NATIVE_RESOURCE_AGENT_CPU_AFFINITY",
    "AERON_DRIVER_NATIVE_RESOURCE_AGENT_IDLE_STRATEGY",
    "AERON_DRIVER_NATIVE_RESOURCE_AGENT_IDLE_STRATEGY_INIT_ARGS",
    "AERON_ENABLE_EXPERIMENTAL_FEATURES",
    "AERON_EVENT_LOG",
    "AERON_EVENT_LOG_DISABLE",
    "AERON_EVENT_LOG_FILENAME",
    "AERON_FALLBACK_LOGGER",
    "AERON_NATIVE_RESOURCE_AGENT_IDLE_STRATEGY",
    "AERON_RECEIVECHANNELENDPOINT_SUPPLIER",
    "AERON_RECEIVER_CPU_AFFINITY",
    "AERON_RECEIVER_IO_VECTOR_CAPACITY",
    "AERON_SECURE_RANDOM_ALGORITHM",
    "AERON_SENDCHANNELENDPOINT_SUPPLIER",
    "AERON_SENDER_CPU_AFFINITY",
    "AERON_SENDER_IO_VECTOR_CAPACITY",
    "AERON_THREAD_NAMING",
    "AERON_UDP_CHANNEL_TRANSPORT_BINDINGS_MEDIA",
    "AERON_USE_WINDOWS_HIGH_RES_TIMER"
  ].map((name) => [name, NO_MEANING] as const),
  ...[
    "AERON_NAK_MULTICAST_GROUP_SIZE",
    "AERON_NAK_MULTICAST_MAX_BACKOFF",
    "AERON_RECEIVER_GROUP_CONSIDERATION",
    "AERON_SOCKET_MULTICAST_TTL"
  ].map((name) => [name, STILL_TO_COME] as const)
])

const DIRECTORY = "AERON_DIR"
const THREADING_MODE = "AERON_THREADING_MODE"
const THREADING_MODES: ReadonlyArray<string> = ["DEDICATED", "SHARED", "SHARED_NETWORK", "INVOKER"]

const LINE = /^([^=:]*?)[ \t]*[=:][ \t]*(.*)$/

export const parse = (text: string, source: string): ReadonlyArray<Assignment> => {
  const assignments: Array<Assignment> = []
  let begun = ""
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const whole = begun + line.trimStart()
    if (begun === "" && /^[#!]|^$/.test(whole)) {
      continue
    }
    // A line that ends in a backslash goes on in the next one.
    if (whole.endsWith("\\")) {
      begun = whole.slice(0, -1)
      continue
    }
    begun = ""
    const [, name = "", value = ""] = LINE.exec(whole) ?? []
    if (name === "") {
      throw new MalformedProperties(source, index + 1, whole)
    }
    assignments.push({ name, value, source })
  }
  return assignments
}

type Settings = Readonly<Record<string, Setting>>

const namesOf = (settings: Settings): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(settings).flatMap(([name, { aliases, property }]) =>
      [property, ...aliases].map((alias) => [environmentVariable(alias), name] as const)
    )
  )

/** The last assignment of each name; those of the empty text take back what came before. */
const lastOf = (assignments: ReadonlyArray<Assignment>): ReadonlyMap<string, Assignment> => {
  const last = new Map<string, Assignment>()
  for (const assignment of assignments) {
    const variable = environmentVariable(assignment.name)
    last.delete(variable)
    if (assignment.value !== "") {
      last.set(variable, assignment)
    }
  }
  return last
}

export const conclude = (settings: Settings, assignments: ReadonlyArray<Assignment>): Conclusion => {
  const names = namesOf(settings)
  const last = lastOf(assignments)
  const values: Record<string, SettingValue.Value> = {}
  const warnings: Array<Warning> = []
  const ignored: Array<Ignored> = []
  for (const [variable, assignment] of last) {
    const name = names.get(variable)
    if (name !== undefined) {
      const value = valueOf(settings[name]!, assignment, warnings)
      if (value !== SettingValue.INVALID) {
        values[name] = value
      }
    } else if (variable !== DIRECTORY && variable !== THREADING_MODE && !IdleNames.isVariable(variable)) {
      const reason = OTHERS.get(variable) ?? NOT_KNOWN
      ignored.push({ ...assignment, reason, isAerons: reason === NO_MEANING })
    }
  }
  const threadingMode = threadingModeOf(last.get(THREADING_MODE), warnings)
  return {
    values,
    directory: last.get(DIRECTORY)?.value,
    threadingMode,
    idles: IdleNames.conclude(last, warnings),
    warnings,
    ignored
  }
}

const valueOf = (
  setting: Setting,
  assignment: Assignment,
  warnings: Array<Warning>
): SettingValue.Value | typeof SettingValue.INVALID => {
  const value = SettingValue.parse(setting, assignment.value)
  if (value === SettingValue.INVALID) {
    warnings.push(invalid(assignment, SettingValue.describe(setting)))
    return value
  }
  const allowed = SettingValue.clamp(setting, value)
  if (allowed !== value) {
    const { name, value: given } = assignment
    const limits = SettingValue.describe(setting)
    const message = `${name}=${given} is beyond its limits: allowed is ${limits}; ${String(allowed)} is used`
    warnings.push({ ...assignment, message })
  }
  return allowed
}

const threadingModeOf = (assignment: Assignment | undefined, warnings: Array<Warning>): string | undefined => {
  if (assignment !== undefined && !THREADING_MODES.includes(assignment.value)) {
    warnings.push(invalid(assignment, THREADING_MODES.join(", ")))
    return undefined
  }
  return assignment?.value
}

/** Values that are no settings. */
export interface Surroundings {
  readonly directory: string
  readonly threadingMode: string
  readonly idleOf: Parameters<typeof IdleNames.format>[0]
}

/** All values but those that are secret, as a file that `parse` and `conclude` read back. */
export const format = (
  settings: Settings,
  { directory, idleOf, threadingMode }: Surroundings,
  values: Readonly<Record<string, SettingValue.Value>>
): string =>
  [
    `aeron.dir=${directory}`,
    `aeron.threading.mode=${threadingMode}`,
    ...IdleNames.format(idleOf),
    ...Object.entries(settings).map(([name, setting]) =>
      setting.kind === "text" && setting.isSecret
        ? `# ${setting.property} is ${values[name] === "" ? "not " : ""}set`
        : `${setting.property}=${SettingValue.format(setting, values[name])}`
    )
  ].join("\n")
