/**
 * The error of everything in `@millrace/transport`: one tagged error whose `reason` says what failed.
 *
 * Recover from one reason with `Effect.catchReason("TransportError", "DriverTimeout", …)`. Every message says what
 * failed, the value seen, the limit, and what to do.
 *
 * @since 0.1.0
 */
import { CoreErrorReason } from "@millrace/core/CoreError"
import * as Schema from "effect/Schema"

/**
 * A publication, subscription, image, claim or client was used after it was closed.
 *
 * @category errors
 * @since 0.1.0
 */
export class Closed extends Schema.TaggedError<Closed>("@millrace/transport/TransportError/Closed")("Closed", {
  resource: Schema.String
}) {
  readonly isRetryable = false
  override get message(): string {
    return `${this.resource} is closed: it was used after its scope had ended. Keep the scope open as long as it is used`
  }
}

/**
 * A channel URI is wrong: which parameter, its value, and what is allowed.
 * Write one that is allowed; `Channel.udp` and `Channel.ipc` make valid ones.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidChannel extends Schema.TaggedError<InvalidChannel>(
  "@millrace/transport/TransportError/InvalidChannel"
)("InvalidChannel", {
  channel: Schema.String,
  parameter: Schema.String,
  value: Schema.String,
  allowed: Schema.String
}) {
  readonly isRetryable = false
  override get message(): string {
    return `channel ${this.channel}: ${this.parameter}=${this.value} is not valid; allowed is ${this.allowed}`
  }
}

/**
 * An option of a driver or client is wrong, alone or together with another.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidOption extends Schema.TaggedError<InvalidOption>(
  "@millrace/transport/TransportError/InvalidOption"
)("InvalidOption", { option: Schema.String, value: Schema.String, allowed: Schema.String }) {
  readonly isRetryable = false
  override get message(): string {
    return `option ${this.option}=${this.value} is not valid; allowed is ${this.allowed}`
  }
}

/**
 * No driver was found in the directory before the driver timeout was over.
 *
 * @category errors
 * @since 0.1.0
 */
export class DriverNotFound extends Schema.TaggedError<DriverNotFound>(
  "@millrace/transport/TransportError/DriverNotFound"
)("DriverNotFound", {
  directory: Schema.String,
  /** What was found there instead. */
  found: Schema.String,
  waitedMs: Schema.Finite
}) {
  readonly isRetryable = true
  override get message(): string {
    const waited = this.waitedMs > 0 ? ` after ${Math.round(this.waitedMs)} ms` : ""
    return (
      `no media driver in ${this.directory}${waited}: ${this.found}. Start one ` +
      "(MediaDriver.layerEmbedded, or `millrace driver`), or name the directory of the one that runs"
    )
  }
}

/**
 * The directory belongs to a driver that is alive.
 *
 * @category errors
 * @since 0.1.0
 */
export class DriverActive extends Schema.TaggedError<DriverActive>("@millrace/transport/TransportError/DriverActive")(
  "DriverActive",
  { directory: Schema.String, pid: Schema.Finite, heartbeatAgeMs: Schema.Finite, timeoutMs: Schema.Finite }
) {
  readonly isRetryable = true
  override get message(): string {
    return (
      `a media driver with pid ${this.pid} is active in ${this.directory}: its last heartbeat is ` +
      `${Math.round(this.heartbeatAgeMs)} ms old, it counts as dead after ${Math.round(this.timeoutMs)} ms. Use that ` +
      "driver, stop it, or choose another directory"
    )
  }
}

/**
 * The CnC file is of another version of the protocol.
 *
 * @category errors
 * @since 0.1.0
 */
export class IncompatibleDriver extends Schema.TaggedError<IncompatibleDriver>(
  "@millrace/transport/TransportError/IncompatibleDriver"
)("IncompatibleDriver", { directory: Schema.String, version: Schema.String, supported: Schema.String }) {
  readonly isRetryable = false
  override get message(): string {
    return (
      `the driver in ${this.directory} has CnC version ${this.version}, this client speaks ${this.supported}: use a ` +
      "driver and a client of the same major version"
    )
  }
}

/**
 * The driver gave no sign of life for longer than the driver timeout: it was killed, is stopped, or gets no processor.
 *
 * @category errors
 * @since 0.1.0
 */
export class DriverTimeout extends Schema.TaggedError<DriverTimeout>(
  "@millrace/transport/TransportError/DriverTimeout"
)("DriverTimeout", { directory: Schema.String, heartbeatAgeMs: Schema.Finite, timeoutMs: Schema.Finite }) {
  readonly isRetryable = false
  override get message(): string {
    return (
      `the media driver in ${this.directory} gave no sign of life for ${Math.round(this.heartbeatAgeMs)} ms, the ` +
      `limit is ${Math.round(this.timeoutMs)} ms: it was killed, is stopped, or gets no processor. Start it again and ` +
      "make a new client"
    )
  }
}

/**
 * The driver has shut down.
 *
 * @category errors
 * @since 0.1.0
 */
export class DriverEnded extends Schema.TaggedError<DriverEnded>("@millrace/transport/TransportError/DriverEnded")(
  "DriverEnded",
  { directory: Schema.String }
) {
  readonly isRetryable = false
  override get message(): string {
    return `the media driver in ${this.directory} has shut down: start it again and make a new client`
  }
}

/**
 * Another driver has taken the place of one that was killed: it has other files in the same directory.
 *
 * @category errors
 * @since 0.1.0
 */
export class DriverReplaced extends Schema.TaggedError<DriverReplaced>(
  "@millrace/transport/TransportError/DriverReplaced"
)("DriverReplaced", { directory: Schema.String, heartbeatAgeMs: Schema.Finite }) {
  readonly isRetryable = false
  override get message(): string {
    return (
      `the media driver in ${this.directory} gave no sign of life for ${Math.round(this.heartbeatAgeMs)} ms, and another ` +
      "has started in its place: make a new client, or one with reconnect"
    )
  }
}

/**
 * A driver of this program could not start, or its worker died.
 *
 * @category errors
 * @since 0.1.0
 */
export class DriverFailed extends Schema.TaggedError<DriverFailed>("@millrace/transport/TransportError/DriverFailed")(
  "DriverFailed",
  { directory: Schema.String, detail: Schema.String, cause: Schema.Defect() }
) {
  readonly isRetryable = false
  override get message(): string {
    return `the media driver in ${this.directory} failed: ${this.detail}. Mend the cause and start it again`
  }
}

/**
 * The driver has forgotten this client: it heard nothing of it for longer than its client liveness timeout.
 *
 * @category errors
 * @since 0.1.0
 */
export class ClientTimeout extends Schema.TaggedError<ClientTimeout>(
  "@millrace/transport/TransportError/ClientTimeout"
)("ClientTimeout", { clientId: Schema.String }) {
  readonly isRetryable = false
  override get message(): string {
    return (
      `the media driver has timed out client ${this.clientId}: this process did not run for longer than the driver's ` +
      "client liveness timeout, or the wall clock jumped. Make a new client"
    )
  }
}

/**
 * This process blocked its event loop for so long that the driver must think its client dead.
 *
 * @category errors
 * @since 0.1.0
 */
export class ServiceTimeout extends Schema.TaggedError<ServiceTimeout>(
  "@millrace/transport/TransportError/ServiceTimeout"
)("ServiceTimeout", { intervalMs: Schema.Finite, limitMs: Schema.Finite }) {
  readonly isRetryable = false
  override get message(): string {
    return (
      `the client did not run for ${Math.round(this.intervalMs)} ms, the driver's client liveness timeout is ` +
      `${Math.round(this.limitMs)} ms: synchronous code, a debugger or a suspended machine held up the event loop. ` +
      "Move that work to a worker, or raise the timeout; then make a new client"
    )
  }
}

/**
 * The driver refused a command. `code` is Aeron's error code, `codeName` its name.
 * Change what `detail` names; `millrace errors` shows what the driver has recorded of it.
 *
 * @category errors
 * @since 0.1.0
 */
export class CommandRefused extends Schema.TaggedError<CommandRefused>(
  "@millrace/transport/TransportError/CommandRefused"
)("CommandRefused", { code: Schema.Int, codeName: Schema.String, detail: Schema.String }) {
  /** `RESOURCE_TEMPORARILY_UNAVAILABLE`: an endpoint is just being closed. */
  get isRetryable(): boolean {
    return this.code === 10
  }
  override get message(): string {
    return `the media driver refused a command with ${this.codeName} (${this.code}): ${this.detail}`
  }
}

/**
 * The driver's file system has no room for a log buffer. `detail` says how much is needed and how much is there.
 *
 * @category errors
 * @since 0.1.0
 */
export class StorageSpace extends Schema.TaggedError<StorageSpace>("@millrace/transport/TransportError/StorageSpace")(
  "StorageSpace",
  { detail: Schema.String }
) {
  readonly isRetryable = true
  override get message(): string {
    return (
      `no room for a log buffer: ${this.detail}. Use a smaller term-length, another directory, or give the container ` +
      "more shared memory (--shm-size)"
    )
  }
}

/**
 * The driver did not answer a command in time.
 *
 * @category errors
 * @since 0.1.0
 */
export class NoResponse extends Schema.TaggedError<NoResponse>("@millrace/transport/TransportError/NoResponse")(
  "NoResponse",
  { request: Schema.String, waitedMs: Schema.Finite }
) {
  readonly isRetryable = true
  override get message(): string {
    return `the media driver did not answer within ${Math.round(this.waitedMs)} ms: ${this.request}. It is overloaded or dead: see whether its heartbeat goes on (millrace stat), and start it again if not, or raise driverTimeout`
  }
}

/**
 * The buffer of commands to the driver is full.
 *
 * @category errors
 * @since 0.1.0
 */
export class CommandsFull extends Schema.TaggedError<CommandsFull>("@millrace/transport/TransportError/CommandsFull")(
  "CommandsFull",
  { request: Schema.String }
) {
  readonly isRetryable = true
  override get message(): string {
    return `the buffer of commands to the media driver is full: ${this.request}. The driver does not read it: it is dead or overloaded. Try again, or start it again`
  }
}

/**
 * Responses of the driver were overwritten before this client read them: it no longer knows what it owns.
 *
 * @category errors
 * @since 0.1.0
 */
export class Lapped extends Schema.TaggedError<Lapped>("@millrace/transport/TransportError/Lapped")("Lapped", {
  directory: Schema.String
}) {
  readonly isRetryable = false
  override get message(): string {
    return (
      `responses of the media driver in ${this.directory} were overwritten before this client read them: it was held ` +
      "up while many resources were made. Make a new client"
    )
  }
}

/**
 * A message is longer than the publication can take.
 *
 * @category errors
 * @since 0.1.0
 */
export class MessageTooLong extends Schema.TaggedError<MessageTooLong>(
  "@millrace/transport/TransportError/MessageTooLong"
)("MessageTooLong", { length: Schema.Int, lengthMax: Schema.Int }) {
  readonly isRetryable = false
  override get message(): string {
    return (
      `a message of ${this.length} bytes exceeds the maximum of ${this.lengthMax}: the limit is an eighth of the ` +
      "term-length, 16 MiB at most, and for a claim or a batch the mtu less 32. Split it or use a larger term-length"
    )
  }
}

/**
 * A block is not made of the frames that come next in the stream of its publication. Nothing of it was appended.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidBlock extends Schema.TaggedError<InvalidBlock>("@millrace/transport/TransportError/InvalidBlock")(
  "InvalidBlock",
  {
    /** Where in the block the frame is that is refused. */
    offset: Schema.Int,
    field: Schema.String,
    value: Schema.Finite,
    expected: Schema.String
  }
) {
  readonly isRetryable = false
  override get message(): string {
    return `a block is refused: the ${this.field} of its frame at ${this.offset} is ${this.value}, expected ${this.expected}. Only whole frames that come next in the stream of this publication are taken`
  }
}

/**
 * The stream of a publication has reached its last position.
 *
 * @category errors
 * @since 0.1.0
 */
export class MaxPositionExceeded extends Schema.TaggedError<MaxPositionExceeded>(
  "@millrace/transport/TransportError/MaxPositionExceeded"
)("MaxPositionExceeded", { positionMax: Schema.Finite }) {
  readonly isRetryable = false
  override get message(): string {
    return `the stream has reached its last position, ${this.positionMax}: go on with a new publication, or use a larger term-length`
  }
}

/**
 * No subscriber came within the connect timeout.
 *
 * @category errors
 * @since 0.1.0
 */
export class NotConnected extends Schema.TaggedError<NotConnected>("@millrace/transport/TransportError/NotConnected")(
  "NotConnected",
  { channel: Schema.String, streamId: Schema.Int, waitedMs: Schema.Finite }
) {
  readonly isRetryable = true
  override get message(): string {
    return (
      `no subscriber of stream ${this.streamId} on ${this.channel} for ${Math.round(this.waitedMs)} ms: start one with ` +
      "the same channel and stream id, or raise connectTimeout"
    )
  }
}

/**
 * An image went away before its end of stream was read: its publisher or the driver lost it.
 *
 * @category errors
 * @since 0.1.0
 */
export class ImageLost extends Schema.TaggedError<ImageLost>("@millrace/transport/TransportError/ImageLost")(
  "ImageLost",
  { sessionId: Schema.Int, streamId: Schema.Int, position: Schema.Finite }
) {
  readonly isRetryable = false
  override get message(): string {
    return (
      `the image of session ${this.sessionId}, stream ${this.streamId} was lost at position ${this.position}, before ` +
      "its end of stream: the publisher is gone, or the subscriber was left behind. The subscription goes on with other images"
    )
  }
}

/**
 * The publisher revoked its publication: what was not read is gone.
 *
 * @category errors
 * @since 0.1.0
 */
export class ImageRevoked extends Schema.TaggedError<ImageRevoked>("@millrace/transport/TransportError/ImageRevoked")(
  "ImageRevoked",
  { sessionId: Schema.Int, streamId: Schema.Int, position: Schema.Finite }
) {
  readonly isRetryable = false
  override get message(): string {
    return `the publication of session ${this.sessionId}, stream ${this.streamId} was revoked by its publisher at position ${this.position}: what was not read is gone. The subscription goes on with other images`
  }
}

/**
 * A subscriber refused the stream of a publication, and does not receive it any more. Not a failure of a call: it comes
 * by `errors` of the client.
 *
 * @category errors
 * @since 0.1.0
 */
export class PublicationRejected extends Schema.TaggedError<PublicationRejected>(
  "@millrace/transport/TransportError/PublicationRejected"
)("PublicationRejected", {
  channel: Schema.String,
  sessionId: Schema.Int,
  streamId: Schema.Int,
  /** The address of the receiver, or `aeron:ipc`. */
  by: Schema.String,
  detail: Schema.String
}) {
  readonly isRetryable = false
  override get message(): string {
    const { by, channel, detail, sessionId, streamId } = this
    return `${by} refused the publication of session ${sessionId}, stream ${streamId} on ${channel}: ${detail}. It receives nothing more of it until the image liveness timeout of its driver has passed`
  }
}

/**
 * A channel that was open has failed in the driver. Not a failure of a call: it comes by `errors` of the client.
 *
 * @category errors
 * @since 0.1.0
 */
export class ChannelFailed extends Schema.TaggedError<ChannelFailed>(
  "@millrace/transport/TransportError/ChannelFailed"
)("ChannelFailed", { channel: Schema.String, detail: Schema.String }) {
  readonly isRetryable = false
  override get message(): string {
    return `channel ${this.channel} has failed in the media driver: ${this.detail}. Close what uses it and add it anew`
  }
}

/**
 * A message is not what the schema of the stream says.
 *
 * @category errors
 * @since 0.1.0
 */
export class DecodeFailed extends Schema.TaggedError<DecodeFailed>("@millrace/transport/TransportError/DecodeFailed")(
  "DecodeFailed",
  { sessionId: Schema.Int, streamId: Schema.Int, position: Schema.Finite, detail: Schema.String }
) {
  readonly isRetryable = false
  override get message(): string {
    return `the message at position ${this.position} of session ${this.sessionId}, stream ${this.streamId} does not decode: ${this.detail}. See that both sides have the same schema and format, or leave such messages out (onInvalid)`
  }
}

/**
 * A value cannot be encoded by the schema of the stream.
 *
 * @category errors
 * @since 0.1.0
 */
export class EncodeFailed extends Schema.TaggedError<EncodeFailed>("@millrace/transport/TransportError/EncodeFailed")(
  "EncodeFailed",
  { detail: Schema.String }
) {
  readonly isRetryable = false
  override get message(): string {
    return `a value does not encode: ${this.detail}. Give one that the schema of the stream allows`
  }
}

/**
 * Shared memory holds what cannot be: it was written over, or a file is not what its name says.
 *
 * @category errors
 * @since 0.1.0
 */
export class Corrupt extends Schema.TaggedError<Corrupt>("@millrace/transport/TransportError/Corrupt")("Corrupt", {
  resource: Schema.String,
  detail: Schema.String
}) {
  readonly isRetryable = false
  override get message(): string {
    return `${this.resource} is corrupt: ${this.detail}. Another program wrote over it, or it was damaged: make it anew`
  }
}

/**
 * Memory or a file failed below the transport. `error` is the reason that `@millrace/core` gives.
 *
 * @category errors
 * @since 0.1.0
 */
export class SystemFailed extends Schema.TaggedError<SystemFailed>("@millrace/transport/TransportError/SystemFailed")(
  "SystemFailed",
  { error: CoreErrorReason }
) {
  get isRetryable(): boolean {
    return this.error.isRetryable
  }
  override get message(): string {
    return this.error.message
  }
}

/**
 * All the reasons of a `TransportError`.
 *
 * @category errors
 * @since 0.1.0
 */
export const TransportErrorReason = Schema.Union([
  Closed,
  InvalidChannel,
  InvalidOption,
  DriverNotFound,
  DriverActive,
  IncompatibleDriver,
  DriverTimeout,
  DriverEnded,
  DriverReplaced,
  DriverFailed,
  ClientTimeout,
  ServiceTimeout,
  CommandRefused,
  StorageSpace,
  NoResponse,
  CommandsFull,
  Lapped,
  MessageTooLong,
  InvalidBlock,
  MaxPositionExceeded,
  NotConnected,
  ImageLost,
  ImageRevoked,
  PublicationRejected,
  ChannelFailed,
  DecodeFailed,
  EncodeFailed,
  Corrupt,
  SystemFailed
])

/**
 * The type of `TransportErrorReason`.
 *
 * @category errors
 * @since 0.1.0
 */
export type TransportErrorReason = typeof TransportErrorReason.Type

/**
 * The error of every Effect and Stream in `@millrace/transport`.
 *
 * @category errors
 * @since 0.1.0
 */
export class TransportError extends Schema.TaggedError<TransportError>("@millrace/transport/TransportError")(
  "TransportError",
  { reason: TransportErrorReason }
) {
  override readonly cause = this.reason

  /** What failed, the value seen, the limit, and what to do. */
  override get message(): string {
    return this.reason.message
  }

  /** Whether the same call may succeed later without any change. */
  get isRetryable(): boolean {
    return this.reason.isRetryable
  }
}
