/** Flags that several commands have, with one meaning. */
import * as Config from "effect/Config"
import * as Schema from "effect/Schema"
import * as Flag from "effect/cli/Flag"

export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print JSON and nothing else on standard output"),
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

const CHANNEL_DEFAULT = "aeron:ipc"
const STREAM_ID_DEFAULT = 1001

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
