/**
 * Writes `docs/configuration.md` from the settings themselves, so that the page cannot say something else.
 *
 *     node scripts/docs/configuration.ts           writes the page
 *     node scripts/docs/configuration.ts --check   fails when the page in the tree is not what would be written
 */
import * as IdleNames from "../../packages/transport/src/config/IdleNames.ts"
import { environmentVariable } from "../../packages/transport/src/config/Setting.ts"
import * as SettingValue from "../../packages/transport/src/config/SettingValue.ts"
import * as ClientConfig from "../../packages/transport/src/ClientConfig.ts"
import * as MediaDriverConfig from "../../packages/transport/src/MediaDriverConfig.ts"
import * as MessageStoreConfig from "../../packages/store/src/MessageStoreConfig.ts"
import * as Page from "./Page.ts"

const SECOND = 1_000_000_000

const scaled = (value: number, steps: ReadonlyArray<readonly [number, string]>): string => {
  const [divisor, unit] = steps.find(([step]) => value !== 0 && value % step === 0) ?? [1, steps.at(-1)![1]]
  return `${value / divisor} ${unit}`
}

const formatDuration = (ns: number): string =>
  scaled(ns, [
    [SECOND, "s"],
    [1_000_000, "ms"],
    [1000, "µs"],
    [1, "ns"]
  ])

export const formatBytes = (bytes: number): string =>
  scaled(bytes, [
    [1024 ** 3, "GiB"],
    [1024 ** 2, "MiB"],
    [1024, "KiB"],
    [1, "bytes"]
  ])

const table = (headings: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  Page.table(headings, rows.map(Page.row)).join("\n")

interface Cells {
  readonly unit: string
  readonly initial: string
  readonly range: string
}

const cellsOf = (setting: MediaDriverConfig.Setting): Cells => {
  const format = (value: SettingValue.Value): string => SettingValue.format(setting, value)
  switch (setting.kind) {
    case "duration": {
      const initial = setting.default === undefined ? "" : formatDuration(setting.default)
      return { unit: "duration", initial, range: `from ${formatDuration(setting.minimum)}` }
    }
    case "size": {
      const maximum = setting.maximum === Number.MAX_SAFE_INTEGER ? "" : ` to ${formatBytes(setting.maximum)}`
      return {
        unit: "bytes",
        initial: formatBytes(setting.default),
        range: `${maximum === "" ? "from " : ""}${formatBytes(setting.minimum)}${maximum}`
      }
    }
    case "integer":
      return { unit: "number", initial: String(setting.default), range: `${setting.minimum} to ${setting.maximum}` }
    case "boolean":
      return { unit: "switch", initial: format(setting.default), range: `${format(true)}, ${format(false)}` }
    case "int64":
      return { unit: "number", initial: String(setting.default ?? ""), range: "64 bits" }
    case "fraction":
      return { unit: "share", initial: String(setting.default), range: "0 to 1" }
    case "choice":
      return { unit: "name", initial: setting.default, range: Object.keys(setting.choices).join(", ") }
    case "text":
      return { unit: "text", initial: setting.default, range: "" }
  }
}

const driverRow = ([name, setting]: [string, MediaDriverConfig.Setting]): ReadonlyArray<string> => {
  const { initial, range, unit } = cellsOf(setting)
  const { description, property } = setting
  const isAerons = property.startsWith("aeron.")
  const variable = environmentVariable(property)
  return [`\`${name}\``, `\`${variable}\``, unit, initial, range, isAerons ? `\`${property}\`` : "", description]
}

const storeRow = ([name, setting]: [string, MessageStoreConfig.Setting]): ReadonlyArray<string> => {
  const head = `\`${name}\``
  switch (setting.kind) {
    case "integer": {
      const format = (value: number) => (setting.unit === "bytes" ? formatBytes(value) : `${value} ${setting.unit}`)
      const range = `${format(setting.minimum)} to ${format(setting.maximum)}`
      return [head, format(setting.default), range, setting.description]
    }
    case "boolean":
      return [head, String(setting.default), "true, false", setting.description]
    case "choice":
      return [head, setting.default, setting.choices.join(", "), setting.description]
    case "text":
      return [head, setting.default, "", setting.description]
  }
}

const IDLE_ROWS: ReadonlyArray<readonly [option: IdleNames.IdleOption, thread: string]> = [
  ["idle", "all that have none of their own"],
  ["sharedIdle", "the only one, with `SHARED`; the caller's loop, with `INVOKER`"],
  ["conductorIdle", "the conductor's, with `DEDICATED` and `SHARED_NETWORK`"],
  ["sharedNetworkIdle", "that of sender and receiver, with `SHARED_NETWORK`"],
  ["senderIdle", "the sender's, with `DEDICATED`"],
  ["receiverIdle", "the receiver's, with `DEDICATED`; the only one's, where neither a mode nor `sharedIdle` is set"]
]

export const page = (): string =>
  [
    "<!-- Written by `pnpm docs` from the settings of the packages. -->",
    "",
    "# Configuration",
    "",
    "Every setting is checked once, when its layer is built, with all others; an illegal one is an error that names it, the value and the limit.",
    "",
    "## Media driver",
    "",
    "Fields of `MediaDriver.layer({ … })` and `MediaDriver.layerEmbedded({ … })`. `MediaDriver.layerConfig` reads them from the environment, by the option's name or the variable's. `millrace driver` reads the variables as Aeron's `aeronmd` does, and the same names as `-Dname=value` and in properties files.",
    "",
    "In texts a size is a number of bytes, or one with `k`, `m` or `g`; a duration is a number of nanoseconds (that of `AERON_DRIVER_TIMEOUT` of milliseconds), or one with `ns`, `us`, `ms` or `s`. Choices have Aeron's names too, those of its C functions and of its Java classes.",
    "",
    "Beside them: the directory (`directory`, `AERON_DIR`), and the threads (`threading`, `AERON_THREADING_MODE`: `DEDICATED`, `SHARED`, `SHARED_NETWORK` or `INVOKER`; unset is `SHARED`, with Aeron `DEDICATED`).",
    "",
    "What a thread does without work is an option for each, and one for all that have none of their own. In texts it is `backoff`, `spin`, `yield` or `sleep-ns`, with arguments in the variable of the same name and `_INIT_ARGS` (`10-20-1us-1ms`, `1ms`); unset is a park, with Aeron `backoff`.",
    "",
    table(
      ["option", "environment variable", "Aeron's name", "thread"],
      IDLE_ROWS.map(([option, thread]) => {
        const variable = IdleNames.VARIABLES[option]
        return [`\`${option}\``, `\`${variable}\``, `\`${IdleNames.propertyOf(variable)}\``, thread]
      })
    ),
    "",
    table(
      ["option", "environment variable", "unit", "default", "range", "Aeron's name", ""],
      Object.entries<MediaDriverConfig.Setting>(MediaDriverConfig.settings).map(driverRow)
    ),
    "",
    "## Client",
    "",
    "Fields of `Client.layerWith({ … })`. `Client.layerConfig` reads them from the environment, by the option's name or the variable's, and its driver's directory from `directory` or `AERON_DIR`; texts have the same forms.",
    "",
    table(
      ["option", "environment variable", "unit", "default", "range", "Aeron's name", ""],
      Object.entries<MediaDriverConfig.Setting>(ClientConfig.settings).map(driverRow)
    ),
    "",
    "## Message store",
    "",
    "Fields of `MessageStore.layer({ directory, … })`, by RocketMQ's names; `MessageStore.layerConfig` reads them from the environment.",
    "",
    table(
      ["setting", "default", "range", ""],
      Object.entries<MessageStoreConfig.Setting>(MessageStoreConfig.settings).map(storeRow)
    ),
    ""
  ].join("\n")

if (process.argv[1] === import.meta.filename) {
  Page.write("docs/configuration.md", page())
}
