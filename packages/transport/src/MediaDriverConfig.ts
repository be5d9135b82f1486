/**
 * The options of a media driver, by Aeron's names and with its defaults.
 *
 * Two defaults differ from Aeron's: log buffers are reserved (`termBufferSparseFile` is false), so that a full file
 * system is an error and never a SIGBUS; and an idle driver parks instead of spinning.
 *
 * @since 0.1.0
 */
import * as Config from "effect/Config"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { IdleStrategy } from "@millrace/core/IdleStrategy"
import { concludeSettings } from "./internal/concludeSettings.ts"
import type { TransportError } from "./TransportError.ts"

/**
 * What a setting can be. `property` is Aeron's name of it; its environment variable is the same in upper case with
 * underscores.
 *
 * @category models
 * @since 0.1.0
 */
export type Setting = {
  readonly property: string
  readonly description: string
} & (
  | { readonly kind: "duration"; readonly default: number; readonly minimum: number }
  | { readonly kind: "size"; readonly default: number; readonly minimum: number; readonly maximum: number }
  | { readonly kind: "integer"; readonly default: number; readonly minimum: number; readonly maximum: number }
  | { readonly kind: "boolean"; readonly default: boolean }
)

const KIB = 1024
const MIB = 1024 * KIB
const GIB = 1024 * MIB
const MILLISECOND = 1_000_000
const SECOND = 1000 * MILLISECOND
const INT_MAX = 2 ** 31 - 1

const duration = (property: string, defaultNs: number, description: string, minimumNs = MILLISECOND) =>
  ({ kind: "duration", property, default: defaultNs, minimum: minimumNs, description }) as const

const size = (property: string, defaultValue: number, description: string, minimum: number, maximum: number) =>
  ({ kind: "size", property, default: defaultValue, minimum, maximum, description }) as const

const integer = (property: string, defaultValue: number, description: string, minimum: number, maximum: number) =>
  ({ kind: "integer", property, default: defaultValue, minimum, maximum, description }) as const

const flag = (property: string, defaultValue: boolean, description: string) =>
  ({ kind: "boolean", property, default: defaultValue, description }) as const

/**
 * All settings with their defaults and limits; durations in nanoseconds, sizes in bytes. The configuration page is made
 * from them.
 *
 * @category settings
 * @since 0.1.0
 */
export const settings = {
  clientLivenessTimeout: duration(
    "aeron.client.liveness.timeout",
    10 * SECOND,
    "After this time without a sign of life a client is dead, and everything it owns ends."
  ),
  driverTimeout: duration(
    "aeron.driver.timeout",
    10 * SECOND,
    "A driver found in the directory counts as dead when its heartbeat is older."
  ),
  timerInterval: duration(
    "aeron.timer.interval",
    SECOND,
    "How often the driver shows that it lives and checks who else does.",
    10 * MILLISECOND
  ),
  imageLivenessTimeout: duration(
    "aeron.image.liveness.timeout",
    10 * SECOND,
    "How long an image stays without a sign of its publisher, and how long a rejected one stays away."
  ),
  publicationUnblockTimeout: duration(
    "aeron.publication.unblock.timeout",
    15 * SECOND,
    "After this time a claim that was never published is skipped. More than the client liveness timeout."
  ),
  publicationLingerTimeout: duration(
    "aeron.publication.linger.timeout",
    5 * SECOND,
    "How long a drained network publication stays for retransmits, and an embedded driver for its subscribers.",
    0
  ),
  untetheredWindowLimitTimeout: duration(
    "aeron.untethered.window.limit.timeout",
    5 * SECOND,
    "How long an untethered subscription may stay below the window before it is left behind."
  ),
  untetheredRestingTimeout: duration(
    "aeron.untethered.resting.timeout",
    10 * SECOND,
    "How long an untethered subscription that was left behind rests before it joins again."
  ),
  termBufferLength: size(
    "aeron.term.buffer.length",
    16 * MIB,
    "Length of a term of a network publication: a power of two.",
    64 * KIB,
    GIB
  ),
  ipcTermBufferLength: size(
    "aeron.ipc.term.buffer.length",
    64 * MIB,
    "Length of a term of an IPC publication: a power of two. An embedded driver takes 4 MiB, or less where the directory is small.",
    64 * KIB,
    GIB
  ),
  mtuLength: size("aeron.mtu.length", 1408, "Longest frame on a network, with its header.", 64, 65_504),
  ipcMtuLength: size("aeron.ipc.mtu.length", 1408, "Longest frame of an IPC publication, with its header.", 64, 65_504),
  publicationTermWindowLength: size(
    "aeron.publication.term.window.length",
    0,
    "How far a network publisher may be ahead of its subscribers; 0 is half a term.",
    0,
    GIB
  ),
  ipcPublicationTermWindowLength: size(
    "aeron.ipc.publication.term.window.length",
    0,
    "How far an IPC publisher may be ahead of its slowest subscriber; 0 is half a term.",
    0,
    GIB
  ),
  initialWindowLength: size(
    "aeron.rcv.initial.window.length",
    128 * KIB,
    "How far a network publisher may be ahead of a receiver.",
    256,
    GIB
  ),
  filePageSize: size("aeron.file.page.size", 4 * KIB, "Page size that files are rounded up to.", 4 * KIB, GIB),
  termBufferSparseFile: flag(
    "aeron.term.buffer.sparse.file",
    false,
    "Log buffers take no blocks when they are made: a full file system then ends the process at the first touch."
  ),
  toDriverBufferLength: size(
    "aeron.conductor.buffer.length",
    MIB + 768,
    "Length of the ring of commands: a power of two and 768.",
    64 * KIB + 768,
    GIB + 768
  ),
  toClientsBufferLength: size(
    "aeron.clients.buffer.length",
    MIB + 128,
    "Length of the broadcast of responses: a power of two and 128.",
    64 * KIB + 128,
    GIB + 128
  ),
  countersValuesBufferLength: size(
    "aeron.counters.buffer.length",
    8 * MIB,
    "Length of the counters' values, 128 bytes each; their descriptions take four times as much.",
    64 * KIB,
    500 * MIB
  ),
  errorBufferLength: size("aeron.error.buffer.length", 4 * MIB, "Length of the error log.", 64 * KIB, GIB),
  maxResend: integer("aeron.max.resend", 16, "Retransmits that a network publication has under way at once.", 1, 256),
  reservedSessionIdLow: integer(
    "aeron.publication.reserved.session.id.low",
    -1,
    "First session id that the driver never chooses.",
    -INT_MAX,
    INT_MAX
  ),
  reservedSessionIdHigh: integer(
    "aeron.publication.reserved.session.id.high",
    1000,
    "Last session id that the driver never chooses.",
    -INT_MAX,
    INT_MAX
  ),
  conductorCycleThreshold: duration(
    "aeron.driver.conductor.cycle.threshold",
    100 * MILLISECOND,
    "Cycles of the conductor that take longer are counted."
  ),
  senderCycleThreshold: duration(
    "aeron.driver.sender.cycle.threshold",
    100 * MILLISECOND,
    "Cycles of the sender that take longer are counted."
  ),
  receiverCycleThreshold: duration(
    "aeron.driver.receiver.cycle.threshold",
    100 * MILLISECOND,
    "Cycles of the receiver that take longer are counted."
  ),
  statusMessageTimeout: duration(
    "aeron.rcv.status.message.timeout",
    200 * MILLISECOND,
    "After this time without a status message a receiver sends one."
  ),
  publicationConnectionTimeout: duration(
    "aeron.publication.connection.timeout",
    5 * SECOND,
    "A receiver that was not heard of for this long is gone, and its publication not connected."
  ),
  retransmitUnicastLinger: duration(
    "aeron.retransmit.unicast.linger",
    10 * MILLISECOND,
    "Data that was sent again is not sent once more within this time.",
    0
  ),
  nakUnicastDelay: duration(
    "aeron.nak.unicast.delay",
    1000,
    "How long a receiver waits before it asks for what is missing.",
    0
  ),
  nakUnicastRetryDelayRatio: integer(
    "aeron.nak.unicast.retry.delay.ratio",
    100,
    "How many times that delay it waits before it asks again.",
    1,
    1_000_000
  ),
  reResolutionCheckInterval: duration(
    "aeron.driver.reresolution.check.interval",
    SECOND,
    "How often endpoints that nobody answers are looked for, whose name is then resolved anew."
  ),
  socketReceiveBufferLength: size(
    "aeron.socket.so_rcvbuf",
    128 * KIB,
    "Receive buffer of a socket; 0 is the system's.",
    0,
    INT_MAX
  ),
  socketSendBufferLength: size("aeron.socket.so_sndbuf", 0, "Send buffer of a socket; 0 is the system's.", 0, INT_MAX),
  cubicMeasureRtt: flag(
    "aeron.CubicCongestionControl.measureRtt",
    false,
    "Receivers with the congestion control `cubic` measure the round trip."
  ),
  streamSessionLimit: integer(
    "aeron.driver.stream.session.limit",
    INT_MAX,
    "Images that one stream of an endpoint may have at once.",
    1,
    INT_MAX
  ),
  spiesSimulateConnection: flag(
    "aeron.spies.simulate.connection",
    false,
    "A spy makes a network publication connected without any receiver."
  ),
  reliableStream: flag("aeron.reliable.stream", true, "Lost data of a network stream is asked for again."),
  tetherSubscriptions: flag("aeron.tether.subscriptions", true, "A slow local subscriber holds back the publisher."),
  rejoinStream: flag("aeron.rejoin.stream", true, "A subscriber that was left behind joins again."),
  dirDeleteOnStart: flag(
    "aeron.dir.delete.on.start",
    false,
    "The directory is deleted at start, even that of a driver that lives."
  ),
  dirDeleteOnShutdown: flag(
    "aeron.dir.delete.on.shutdown",
    false,
    "The directory is deleted at the end. That of an embedded driver always is."
  ),
  allowTermination: flag(
    "aeron.driver.termination.validator",
    false,
    "Clients may end the driver by a command. Aeron's value for this property is allow or deny."
  )
} satisfies Record<string, Setting>

/**
 * The type of `settings`.
 *
 * @category settings
 * @since 0.1.0
 */
export type Settings = typeof settings

/**
 * Options of a driver. Durations as Effect takes them (`"2 seconds"`, milliseconds as a number), sizes in bytes.
 *
 * @category models
 * @since 0.1.0
 */
export type MediaDriverOptions = {
  readonly [Name in keyof Settings]?: Settings[Name] extends { readonly kind: "duration" }
    ? Duration.Input
    : Settings[Name] extends { readonly kind: "boolean" }
      ? boolean
      : number
} & {
  /** Default: `/dev/shm/aeron-<user>`, or the same name in the directory for temporary files. */
  readonly directory?: string
  /**
   * `worker`, the default: the driver's agents run in a thread of their own, and synchronous user code cannot stall the
   * streams of other processes. `invoker`: they run on the event loop of the caller.
   */
  readonly threading?: "worker" | "invoker"
  /**
   * How the driver reaches the network: by the system's calls (`native`, Linux), by `node:dgram` (`portable`), or not at
   * all (`none`). Default: `native` where it is there, else `portable`.
   */
  readonly media?: "native" | "portable" | "none"
  /** What the driver does without work. Default `IdleStrategy.park()`. */
  readonly idle?: IdleStrategy
}

/**
 * Every option with a value: durations in nanoseconds, sizes in bytes.
 *
 * @category models
 * @since 0.1.0
 */
export type ConcludedSettings = {
  readonly [Name in keyof Settings]: Settings[Name] extends { readonly kind: "boolean" } ? boolean : number
}

/**
 * Fills in the defaults and checks each value and how they fit together. Fails with `InvalidOption`.
 *
 * @category settings
 * @since 0.1.0
 */
export const conclude = (options: MediaDriverOptions): Effect.Effect<ConcludedSettings, TransportError> =>
  concludeSettings(settings, options)

const configOf = (
  name: string,
  setting: Setting
): Config.Config<Option.Option<Duration.Duration | number | boolean>> => {
  switch (setting.kind) {
    case "duration":
      return Config.option(Config.Duration(name))
    case "boolean":
      return Config.option(Config.Boolean(name))
    case "size":
    case "integer":
      return Config.option(Config.Int(name))
  }
}

/**
 * The options as a `Config`, by the names of `settings`, with `directory`, `threading` and `media`.
 *
 * @category config
 * @since 0.1.0
 */
export const config: Config.Config<MediaDriverOptions> = Config.all({
  ...Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, configOf(name, setting)])),
  directory: Config.option(Config.String("directory")),
  threading: Config.option(Config.Literals(["worker", "invoker"], "threading")),
  media: Config.option(Config.Literals(["native", "portable", "none"], "media"))
}).pipe(
  Config.map(
    (values) =>
      Object.fromEntries(
        Object.entries(values as Record<string, Option.Option<unknown>>)
          .filter(([, value]) => Option.isSome(value))
          .map(([name, value]) => [name, Option.getOrThrow(value)])
      ) as MediaDriverOptions
  )
)
