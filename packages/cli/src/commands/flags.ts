/** Flags that several commands have, with one meaning. */
import * as Config from "effect/Config"
import * as Schema from "effect/Schema"
import * as Flag from "effect/cli/Flag"

export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print JSON and nothing else on standard output"),
  Flag.withDefault(false)
)

export const hex = Flag.Boolean("hex").pipe(
  Flag.withDescription("Print the bytes of each message in hex"),
  Flag.withDefault(false)
)

const Positive = Schema.Int.pipe(
  Schema.check(Schema.isGreaterThan(0, { message: "it must be a whole number above 0" }))
)

/** A count or a length. */
export const positive = (name: string) => Flag.Int(name).pipe(Flag.withSchema(Positive))

const Seconds = Schema.Finite.pipe(Schema.check(Schema.isGreaterThan(0, { message: "it must be a number above 0" })))

/** How long to wait at most, in seconds. */
export const timeout = (description: string) =>
  Flag.Finite("timeout").pipe(
    Flag.withSchema(Seconds),
    Flag.withDescription(description),
    Flag.withMetavar("SECONDS"),
    Flag.optional
  )

/** The directory of a driver: the one that is named, that of `AERON_DIR`, or the one that all programs of a user share. */
export const driverDirectory = Flag.String("dir").pipe(
  Flag.withFallbackConfig(Config.NonEmptyString("AERON_DIR")),
  Flag.withDescription("Directory of the media driver [AERON_DIR, or /dev/shm/aeron-<user>]"),
  Flag.withMetavar("DIR"),
  Flag.optional
)

/** The driver that is measured: one of its own unless a running one is named here. */
export const measuredDriver = Flag.String("dir").pipe(
  Flag.withDescription("Directory of a running media driver [one that runs as long as this command]"),
  Flag.withMetavar("DIR"),
  Flag.optional
)

export const CHANNEL_DEFAULT = "aeron:ipc"
export const STREAM_ID_DEFAULT = 1001

export const channel = Flag.String("channel").pipe(
  Flag.withDescription(`Channel [${CHANNEL_DEFAULT}]`),
  Flag.withMetavar("URI"),
  Flag.withDefault(CHANNEL_DEFAULT)
)

export const streamId = Flag.Int("stream").pipe(
  Flag.withDescription(`Stream id [${STREAM_ID_DEFAULT}]`),
  Flag.withMetavar("ID"),
  Flag.withDefault(STREAM_ID_DEFAULT)
)

const PING_STREAM_ID_DEFAULT = 1002
const PONG_STREAM_ID_DEFAULT = 1003

export const pingStreamId = Flag.Int("stream").pipe(
  Flag.withDescription(`Stream id of the pings [${PING_STREAM_ID_DEFAULT}]`),
  Flag.withMetavar("ID"),
  Flag.withDefault(PING_STREAM_ID_DEFAULT)
)

export const pongStreamId = Flag.Int("pong-stream").pipe(
  Flag.withDescription(`Stream id of the answers [${PONG_STREAM_ID_DEFAULT}]`),
  Flag.withMetavar("ID"),
  Flag.withDefault(PONG_STREAM_ID_DEFAULT)
)

export const pongChannel = Flag.String("pong-channel").pipe(
  Flag.withDescription("Channel of the answers [that of the pings]"),
  Flag.withMetavar("URI"),
  Flag.optional
)

/** What tools that look into a driver's directory show of it. */
export const streamFilters = {
  channel: Flag.String("channel").pipe(
    Flag.withDescription("Only streams whose channel contains TEXT [all]"),
    Flag.withMetavar("TEXT"),
    Flag.optional
  ),
  streamId: Flag.Int("stream").pipe(
    Flag.withDescription("Only the stream with this id [all]"),
    Flag.withMetavar("ID"),
    Flag.optional
  )
}

/** Every so many seconds again. */
export const watch = Flag.Finite("watch").pipe(
  Flag.withSchema(Seconds),
  Flag.withDescription("Show it again every so many seconds, until Ctrl-C [once]"),
  Flag.withMetavar("SECONDS"),
  Flag.optional
)
