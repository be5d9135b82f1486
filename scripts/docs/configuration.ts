/**
 * `pnpm docs`: writes `docs/configuration.md` from the settings themselves, so that the page cannot say something else.
 * A test holds the page against them.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as MediaDriverConfig from "../../packages/transport/src/MediaDriverConfig.ts"
import * as MessageStoreConfig from "../../packages/store/src/MessageStoreConfig.ts"

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

const row = (cells: ReadonlyArray<string>): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`

const table = (headings: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [row(headings), row(headings.map(() => "---")), ...rows.map(row)].join("\n")

const driverRow = ([name, setting]: [string, MediaDriverConfig.Setting]): ReadonlyArray<string> => {
  const head = [`\`${name}\``, `\`${setting.property}\``]
  switch (setting.kind) {
    case "duration":
      return [...head, formatDuration(setting.default), `from ${formatDuration(setting.minimum)}`, setting.description]
    case "size":
      return [
        ...head,
        formatBytes(setting.default),
        `${formatBytes(setting.minimum)} to ${formatBytes(setting.maximum)}`,
        setting.description
      ]
    case "integer":
      return [...head, String(setting.default), `${setting.minimum} to ${setting.maximum}`, setting.description]
    case "boolean":
      return [...head, String(setting.default), "true, false", setting.description]
  }
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
    "Fields of `MediaDriver.layer({ … })` and `MediaDriver.layerEmbedded({ … })`; `MediaDriver.layerConfig` reads the same names from the environment. The property is Aeron's name of the same setting.",
    "",
    table(
      ["setting", "Aeron's property", "default", "range", ""],
      Object.entries<MediaDriverConfig.Setting>(MediaDriverConfig.settings).map(driverRow)
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

export const PAGE_PATH = join(import.meta.dirname, "../../docs/configuration.md")

if (process.argv[1] === import.meta.filename) {
  writeFileSync(PAGE_PATH, page())
}
