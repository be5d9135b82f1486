/**
 * The options of a media driver, by Aeron's names and with its defaults.
 *
 * Three defaults differ from Aeron's: log buffers are reserved (`termBufferSparseFile` is false), so that a full file
 * system is an error and never a SIGBUS; an idle driver parks instead of spinning; and a publication may send more
 * datagrams in one turn, because they share a call of the system.
 *
 * @since 0.1.0
 */
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { IdleStrategy } from "@millrace/core/IdleStrategy"
import * as AeronProperties from "./config/AeronProperties.ts"
import type { Assignment as AssignmentType, Warning } from "./config/Assignment.ts"
import { lifetimeSettings } from "./config/LifetimeSettings.ts"
import { memorySettings } from "./config/MemorySettings.ts"
import { lossSettings, networkSettings } from "./config/NetworkSettings.ts"
import { processSettings } from "./config/ProcessSettings.ts"
import type { Setting as SettingType } from "./config/Setting.ts"
import { streamSettings } from "./config/StreamSettings.ts"
import { concludeSettings } from "./internal/concludeSettings.ts"
import * as settingConfig from "./internal/settingConfig.ts"
import type { TransportError } from "./TransportError.ts"

/**
 * What a setting can be. `property` is Aeron's name of it; its environment variable is the same in upper case with
 * underscores.
 *
 * @category models
 * @since 0.1.0
 */
export type Setting = SettingType

/**
 * All settings with their defaults and limits; durations in nanoseconds, sizes in bytes. The configuration page is made
 * from them.
 *
 * @category settings
 * @since 0.1.0
 */
export const settings = {
  ...lifetimeSettings,
  ...memorySettings,
  ...streamSettings,
  ...networkSettings,
  ...lossSettings,
  ...processSettings
} satisfies Record<string, Setting>

/**
 * The type of `settings`.
 *
 * @category settings
 * @since 0.1.0
 */
export type Settings = typeof settings

type ValueOf<S extends Setting> = S extends { readonly kind: "boolean" }
  ? boolean
  : S extends { readonly kind: "text" }
    ? string
    : S extends { readonly kind: "choice"; readonly choices: infer Choices }
      ? keyof Choices & string
      : S extends { readonly kind: "int64" }
        ? bigint | (undefined extends S["default"] ? undefined : never)
        : number | (undefined extends S["default"] ? undefined : never)

/**
 * What the threads of a driver do without work: `idle`, or else its own of a thread. Which threads there are is said by
 * `threading`.
 *
 * @category models
 * @since 0.1.0
 */
export interface IdleOptions {
  /** Of every thread that has none of its own. Default `IdleStrategy.park()`. */
  readonly idle?: IdleStrategy
  /** Of the one thread of `shared`, and of the agents of `invoker`. */
  readonly sharedIdle?: IdleStrategy
  /** Of the conductor's thread, with `dedicated` and `sharedNetwork`. */
  readonly conductorIdle?: IdleStrategy
  /** Of the thread of sender and receiver, with `sharedNetwork`. */
  readonly sharedNetworkIdle?: IdleStrategy
  /** Of the sender's thread, with `dedicated`. */
  readonly senderIdle?: IdleStrategy
  /** Of the receiver's thread, with `dedicated`. */
  readonly receiverIdle?: IdleStrategy
}

/**
 * Options of a driver. Durations as Effect takes them (`"2 seconds"`, milliseconds as a number), sizes in bytes.
 *
 * @category models
 * @since 0.1.0
 */
export type MediaDriverOptions = {
  readonly [Name in keyof Settings]?: Settings[Name] extends { readonly kind: "duration" }
    ? Duration.Input
    : NonNullable<ValueOf<Settings[Name]>>
} & IdleOptions & {
    /** Default: `/dev/shm/aeron-<user>`, or the same name in the directory for temporary files. */
    readonly directory?: string
    /**
     * `shared`, the default: the driver's agents (conductor, sender, receiver) run in a thread of their own, and
     * synchronous user code cannot stall the streams of other processes. `sharedNetwork`: the conductor in one thread,
     * sender and receiver in another. `dedicated`: each in its own. `invoker`: all on the event loop of the caller.
     */
    readonly threading?: "shared" | "sharedNetwork" | "dedicated" | "invoker"
    /**
     * How the driver reaches the network: by the system's calls (`native`, Linux), by `node:dgram` (`portable`), or not at
     * all (`none`). Default: `native` where it is there, else `portable`.
     */
    readonly media?: "native" | "portable" | "none"
    /**
     * A pcap file, made anew, for every datagram that the driver sends or receives: Wireshark, tcpdump and
     * `millrace frames` read it. It grows as long as the driver runs, and costs a copy of each datagram. Default: none.
     */
    readonly captureFile?: string
  }

/**
 * Every option with a value: durations in nanoseconds, sizes in bytes.
 *
 * @category models
 * @since 0.1.0
 */
export type ConcludedSettings = {
  readonly [Name in keyof Settings]: ValueOf<Settings[Name]>
}

/**
 * Fills in the defaults and checks each value and how they fit together. Fails with `InvalidOption`.
 *
 * @category settings
 * @since 0.1.0
 */
export const conclude = (options: MediaDriverOptions): Effect.Effect<ConcludedSettings, TransportError> =>
  concludeSettings(settings, options)

/**
 * The options as a `Config`: by the names of `settings`, or else by Aeron's environment variables, with `directory`
 * (or `AERON_DIR`), `threading`, `media` and the strategies of `IdleOptions` by Aeron's names of them. Values have Aeron's forms: `64k`, `200ms`, `true`; durations Effect's as
 * well.
 *
 * @category config
 * @since 0.1.0
 */
export const config: Config.Config<MediaDriverOptions> = settingConfig.make<MediaDriverOptions>(settings, {
  directory: settingConfig.directory,
  threading: Config.option(Config.Literals(["shared", "sharedNetwork", "dedicated", "invoker"], "threading")),
  media: Config.option(Config.Literals(["native", "portable", "none"], "media")),
  ...settingConfig.idles
})

/**
 * A name that was given a value: an environment variable (`AERON_TERM_BUFFER_LENGTH`) or a property
 * (`aeron.term.buffer.length`).
 *
 * @category Aeron
 * @since 0.1.0
 */
export type Assignment = AssignmentType

/**
 * What assignments come to.
 *
 * @category Aeron
 * @since 0.1.0
 */
export interface AeronOptions {
  readonly options: MediaDriverOptions
  /** Values that were not taken as they are, each with a sentence. */
  readonly warnings: ReadonlyArray<Warning>
  /** Assignments to names that mean nothing to this driver, each with the reason. */
  readonly ignored: ReadonlyArray<AeronProperties.Ignored>
}

const THREADING_MODES: Readonly<Record<string, NonNullable<MediaDriverOptions["threading"]>>> = {
  SHARED: "shared",
  SHARED_NETWORK: "sharedNetwork",
  DEDICATED: "dedicated",
  INVOKER: "invoker"
}

/** Aeron's drivers have three threads where no mode is named, and this one has one: it idles as the receiver would. */
const idlesOf = (
  idles: Pick<IdleOptions, "sharedIdle" | "receiverIdle">,
  threadingMode: string | undefined
): IdleOptions => {
  const sharedIdle = idles.sharedIdle ?? (threadingMode === undefined ? idles.receiverIdle : undefined)
  return sharedIdle === undefined ? idles : { ...idles, sharedIdle }
}

/**
 * Options from Aeron's variables and properties, as `aeronmd` reads them: a later assignment of a name replaces an
 * earlier one, one of the empty text takes it back; a value that is none is replaced by the default, and one beyond the
 * limits by the nearest within.
 *
 * @category Aeron
 * @since 0.1.0
 */
export const fromAeron = (assignments: ReadonlyArray<Assignment>): AeronOptions => {
  const { directory, idles, ignored, threadingMode, values, warnings } = AeronProperties.conclude(settings, assignments)
  const options = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      settings[name as keyof Settings].kind === "duration" ? Duration.nanos(BigInt(Number(value))) : value
    ])
  )
  return {
    options: {
      ...options,
      ...(directory === undefined ? {} : { directory }),
      ...(threadingMode === undefined ? {} : { threading: THREADING_MODES[threadingMode]! }),
      ...idlesOf(idles, threadingMode)
    },
    warnings,
    ignored
  }
}

/**
 * The lines of a Java properties file, as assignments. Throws `MalformedProperties` for a line without `=` or `:`.
 *
 * @category Aeron
 * @since 0.1.0
 */
export const parseProperties: (text: string, source: string) => ReadonlyArray<Assignment> = AeronProperties.parse

/**
 * All options as a properties file that `fromAeron` reads back, but for secrets.
 *
 * @category Aeron
 * @since 0.1.0
 */
export const toProperties = (
  options: MediaDriverOptions & { readonly directory: string },
  concluded: ConcludedSettings
): string => {
  const [threadingMode] = Object.entries(THREADING_MODES).find(([, name]) => name === (options.threading ?? "shared"))!
  return AeronProperties.format(
    settings,
    { directory: options.directory, threadingMode, idleOf: (option) => options[option] ?? options.idle },
    concluded
  )
}
