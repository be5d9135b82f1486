/**
 * The options of a store, by RocketMQ's names and with its defaults.
 *
 * One default differs: `enabledAppendPropCRC` is true, so that any flipped bit of a record is found. RocketMQ 5.3.3 and
 * 5.5.1 read such records.
 *
 * @since 0.1.0
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as HostAddress from "./commitlog/HostAddress.ts"
import * as RecordDescriptor from "./commitlog/RecordDescriptor.ts"
import * as ExtUnitDescriptor from "./consumequeue/ExtUnitDescriptor.ts"
import type { FoundLengths, StoreOptions } from "./engine/StoreOptions.ts"
import { OptionIllegal, StoreError } from "./StoreError.ts"

/**
 * What a setting can be.
 *
 * @category models
 * @since 0.1.0
 */
export type Setting =
  | {
      readonly kind: "integer"
      readonly default: number
      readonly minimum: number
      readonly maximum: number
      readonly unit: string
      readonly description: string
    }
  | { readonly kind: "boolean"; readonly default: boolean; readonly description: string }
  | {
      readonly kind: "choice"
      readonly default: string
      readonly choices: ReadonlyArray<string>
      readonly description: string
    }
  | { readonly kind: "text"; readonly default: string; readonly description: string }

const integer = (
  defaultValue: number,
  unit: string,
  description: string,
  minimum: number = 1,
  maximum: number = INT_MAX
) => ({ kind: "integer", default: defaultValue, minimum, maximum, unit, description }) as const

const flag = (defaultValue: boolean, description: string) =>
  ({ kind: "boolean", default: defaultValue, description }) as const

const INT_MAX = 0x7fffffff
const GIBIBYTE = 1024 ** 3
const MEBIBYTE = 1024 ** 2

/**
 * All settings with their defaults and limits; the configuration page is made from them.
 *
 * @category settings
 * @since 0.1.0
 */
export const settings = {
  mappedFileSizeCommitLog: integer(GIBIBYTE, "bytes", "Length of a file of the commit log.", 256),
  mappedFileSizeConsumeQueue: integer(
    300_000 * 20,
    "bytes",
    "Length of a file of a consume queue, rounded up to whole entries of 20 bytes.",
    20
  ),
  mapperFileSizeBatchConsumeQueue: integer(
    300_000 * 46,
    "bytes",
    "Length of a file of a batch consume queue, rounded up to whole entries of 46 bytes.",
    46
  ),
  enableConsumeQueueExt: flag(
    false,
    "Keep what filters ask for in an extended queue beside each consume queue; its entries then lead there."
  ),
  mappedFileSizeConsumeQueueExt: integer(48 * MEBIBYTE, "bytes", "Length of a file of an extended queue.", 64),
  bitMapLengthConsumeQueueExt: integer(
    64,
    "bits",
    "Length of the bit map that a filter computes for each message of an extended queue, in whole bytes.",
    8,
    8 * (ExtUnitDescriptor.LENGTH_MAX - ExtUnitDescriptor.LENGTH_MIN)
  ),
  maxMessageSize: integer(4 * MEBIBYTE, "bytes", "Longest body of a message."),
  compressType: {
    kind: "choice",
    default: "NONE",
    choices: ["NONE", "ZLIB", "LZ4", "ZSTD"],
    description:
      "How long bodies are compressed before they are stored (RocketMQ's clients do it with ZLIB by default)."
  },
  compressMsgBodyOverHowmuch: integer(
    4096,
    "bytes",
    "Bodies of this length and longer are compressed: up to 16 KiB a put at once, more of them in the thread pool."
  ),
  compressLevel: integer(5, "of zlib or Zstandard", "How hard compression tries; zlib takes 9 at most.", 1, 22),
  flushDiskType: {
    kind: "choice",
    default: "ASYNC_FLUSH",
    choices: ["ASYNC_FLUSH", "SYNC_FLUSH"],
    description: "Whether a put waits until its record is on the device."
  },
  syncFlushTimeout: integer(5000, "ms", "How long a put waits for the device before it answers FLUSH_DISK_TIMEOUT."),
  flushIntervalCommitLog: integer(500, "ms", "Pause between two flushes of the log with ASYNC_FLUSH."),
  flushCommitLogLeastPages: integer(4, "pages of 4 KiB", "Dirty pages that make a flush worth its while.", 0),
  flushCommitLogThoroughInterval: integer(10_000, "ms", "After this time whatever is dirty is flushed."),
  warmMapedFileEnable: flag(
    false,
    "Make the memory of a file of the log ready for stores before the file is used, and keep it there (mlock) as long as the system allows."
  ),
  flushLeastPagesWhenWarmMapedFile: integer(4096, "pages of 4 KiB", "How much is made ready at a time."),
  transientStorePoolEnable: flag(
    false,
    "Write records to memory first and commit them to the files off the path of puts: steady latency; readers see, and a killed process keeps, what is committed."
  ),
  transientStorePoolSize: integer(
    5,
    "buffers",
    "Buffers of the transient pool; each is as long as a file of the log.",
    1,
    1024
  ),
  fastFailIfNoBufferInStorePool: flag(
    false,
    "Refuse messages when all buffers of the transient pool are in use, instead of writing to the file without one."
  ),
  commitIntervalCommitLog: integer(200, "ms", "Pause between two commits of the transient pool."),
  commitCommitLogLeastPages: integer(4, "pages of 4 KiB", "As flushCommitLogLeastPages, for commits.", 0),
  commitCommitLogThoroughInterval: integer(200, "ms", "As flushCommitLogThoroughInterval, for commits."),
  wakeCommitWhenPutMessage: flag(true, "Look at each put whether there is enough to commit."),
  flushIntervalConsumeQueue: integer(1000, "ms", "Pause between two flushes of the queues."),
  flushConsumeQueueLeastPages: integer(2, "pages of 4 KiB", "As flushCommitLogLeastPages, for queues.", 0),
  flushConsumeQueueThoroughInterval: integer(60_000, "ms", "As flushCommitLogThoroughInterval, for queues."),
  enableLmq: flag(false, "Keep light queues: those of topics that begin with %LMQ%."),
  enableMultiDispatch: flag(
    false,
    "With enableLmq: a message also stands in the light queues that its property INNER_MULTI_DISPATCH names."
  ),
  maxLmqConsumeQueueNum: integer(20_000, "queues", "Most light queues."),
  messageIndexEnable: flag(true, "Keep an index of keys."),
  indexTags: flag(false, "Index tags too, as RocketMQ 5.5 does."),
  maxHashSlotNum: integer(5_000_000, "slots", "Hash slots of a file of the index."),
  maxIndexNum: integer(20_000_000, "entries", "Entries of a file of the index; one of them is never used.", 2),
  enabledAppendPropCRC: flag(true, "Give each record a CRC over all of it (RocketMQ's default is false)."),
  checkCRCOnRecover: flag(true, "Check CRCs when the log is read at the start."),
  forceVerifyPropCRC: flag(false, "Take a record without a CRC over all of it for damaged."),
  fileReservedTime: integer(72, "hours", "How long messages are kept, by the time they were stored."),
  deleteWhen: {
    kind: "text",
    default: "04",
    description: "Hours of the day, separated by semicolons, at which expired files are removed."
  },
  cleanResourceInterval: integer(10_000, "ms", "Pause between two rounds of cleaning."),
  deleteCommitLogFilesInterval: integer(100, "ms", "Pause between two files that are removed.", 0),
  deleteFileBatchMax: integer(10, "files", "Most files that are removed in one round."),
  cleanFileForciblyEnable: flag(true, "Remove the oldest files whatever their age when the device is nearly full."),
  diskMaxUsedSpaceRatio: integer(75, "percent", "From here on expired files are removed at any hour.", 1, 100),
  diskSpaceCleanForciblyRatio: integer(
    85,
    "percent",
    "From here on, and with room for less than four files of the log, the oldest files are removed.",
    1,
    100
  ),
  diskSpaceWarningLevelRatio: integer(
    90,
    "percent",
    "From here on, and with room for less than four files of the log, no messages are taken.",
    1,
    100
  ),
  dispatchBehindBytesMax: integer(
    64 * MEBIBYTE,
    "bytes",
    "How far dispatch to the queues may fall behind the log before puts help it along."
  ),
  storeHost: {
    kind: "text",
    default: "127.0.0.1:10911",
    description: "Host and port that records name as where they are stored."
  },
  writeWithoutMmap: flag(
    false,
    "Read and write files by position instead of mapping them. Files that the system refuses to map are used so in any case."
  ),
  countersFileEnable: flag(
    true,
    "Let other processes see how the store does (millrace top, web, store stat): a file of counters, written once a second."
  ),
  readOnly: flag(false, "Open the files for reading, without a lock and beside a process that writes.")
} as const satisfies Record<string, Setting>

type Settings = typeof settings
type Value<S extends Setting> = S["kind"] extends "integer"
  ? number
  : S["kind"] extends "boolean"
    ? boolean
    : S extends { readonly choices: ReadonlyArray<infer C> }
      ? C
      : string

/**
 * Options of a store: its directory, and settings that differ from their defaults.
 *
 * @category models
 * @since 0.1.0
 */
export type MessageStoreOptions = {
  readonly [K in keyof Settings]?: Value<Settings[K]> | undefined
} & {
  readonly directory: string
  /**
   * Directories of the commit log, when it does not lie in `directory`: new files go to those that are not full in turn. The lock of a
   * store is in `directory`: two stores with a directory of the log in common are not kept apart.
   */
  readonly storePathCommitLog?: ReadonlyArray<string> | undefined
}

/**
 * Checks options and fills in defaults. `found` are lengths of files that are there already: they win over defaults.
 *
 * @category settings
 * @since 0.1.0
 */
export const conclude = (
  options: MessageStoreOptions,
  found: FoundLengths = {}
): Effect.Effect<StoreOptions, StoreError> =>
  Effect.suspend(() => {
    const values: Record<string, unknown> = {}
    const guessed = new Set<string>()
    for (const [name, setting] of Object.entries<Setting>(settings)) {
      const known = options[name as keyof Settings] ?? detected(name, found)
      if (known === undefined) {
        guessed.add(name)
      }
      const value = known ?? setting.default
      const problem = problemOf(setting, value)
      if (problem !== undefined) {
        return fail(name, value, problem)
      }
      values[name] = value
    }
    const concluded = {
      ...values,
      guessed: options.readOnly === true ? guessed : new Set(),
      storePathRootDir: options.directory,
      storePathCommitLog: options.storePathCommitLog ?? [`${options.directory}/commitlog`]
    } as unknown as StoreOptions
    return checkRelations(concluded)
  })

const detected = (name: string, found: FoundLengths): number | undefined => {
  switch (name) {
    case "mappedFileSizeCommitLog":
      return found.commitLog
    case "mappedFileSizeConsumeQueue":
      return found.consumeQueue
    case "mapperFileSizeBatchConsumeQueue":
      return found.batchConsumeQueue
    case "mappedFileSizeConsumeQueueExt":
      return found.consumeQueueExt
    default:
      return undefined
  }
}

const fail = (option: string, value: unknown, detail: string): Effect.Effect<never, StoreError> =>
  Effect.fail(new StoreError({ reason: new OptionIllegal({ option, value: String(value), detail }) }))

const problemOf = (setting: Setting, value: unknown): string | undefined => {
  switch (setting.kind) {
    case "integer":
      return Number.isInteger(value) && (value as number) >= setting.minimum && (value as number) <= setting.maximum
        ? undefined
        : `it is a whole number of ${setting.unit} from ${setting.minimum} to ${setting.maximum}`
    case "boolean":
      return typeof value === "boolean" ? undefined : "it is true or false"
    case "choice":
      return setting.choices.includes(String(value)) ? undefined : `it is one of ${setting.choices.join(", ")}`
    case "text":
      return typeof value === "string" ? undefined : "it is text"
  }
}

const checkRelations = (options: StoreOptions): Effect.Effect<StoreOptions, StoreError> => {
  if (options.storePathRootDir === "") {
    return fail("directory", "empty", "name the directory of the store")
  }
  if (HostAddress.parse(options.storeHost) === undefined) {
    return fail("storeHost", options.storeHost, "it has the form 10.1.2.3:10911 or [2001:db8::17]:10911")
  }
  if (!/^([01]?\d|2[0-3])(;([01]?\d|2[0-3]))*$/.test(options.deleteWhen)) {
    return fail("deleteWhen", options.deleteWhen, "it names hours from 00 to 23, separated by semicolons")
  }
  const shortest = RecordDescriptor.RECORD_LENGTH_MIN + RecordDescriptor.BLANK_LENGTH_MIN
  if (options.mappedFileSizeCommitLog < shortest) {
    return fail("mappedFileSizeCommitLog", options.mappedFileSizeCommitLog, `a record takes ${shortest} bytes at least`)
  }
  if (options.fastFailIfNoBufferInStorePool && options.transientStorePoolSize < 2) {
    const detail =
      "with fastFailIfNoBufferInStorePool it is 2 at least: a file keeps its buffer until the next one has one"
    return fail("transientStorePoolSize", options.transientStorePoolSize, detail)
  }
  return Effect.succeed(options)
}

/**
 * Reads options from the environment or another `ConfigProvider`, by RocketMQ's names; `directory` is `storePathRootDir`,
 * and directories of `storePathCommitLog` are separated by commas.
 *
 * @category config
 * @since 0.1.0
 */
export const config: Config.Config<MessageStoreOptions> = Config.all({
  directory: Config.NonEmptyString("storePathRootDir"),
  storePathCommitLog: Config.withDefault(
    Config.map(Config.NonEmptyString("storePathCommitLog"), (paths) => paths.split(",")),
    undefined
  ),
  ...optionalSettings()
})

function optionalSettings(): Record<string, Config.Config<undefined>> {
  return Object.fromEntries(
    Object.entries<Setting>(settings).map(([name, setting]) => [
      name,
      Config.withDefault(configOf(name, setting) as Config.Config<undefined>, undefined)
    ])
  )
}

function configOf(name: string, setting: Setting): Config.Config<unknown> {
  switch (setting.kind) {
    case "integer":
      return Config.Int(name)
    case "boolean":
      return Config.Boolean(name)
    case "choice":
      return Config.Literals(setting.choices, name)
    case "text":
      return Config.NonEmptyString(name)
  }
}
