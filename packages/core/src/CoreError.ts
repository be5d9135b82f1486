/**
 * The error of `@millrace/core`: one tagged error with a tagged `reason`.
 *
 * Match a reason with `Effect.catchReason("CoreError", "InsufficientSpace", …)`, or take the reasons apart with
 * `Effect.unwrapReason("CoreError")`. Every message says what failed, the value seen, the limit, and what to do.
 *
 * **Example** (Telling what can be tried again)
 *
 * ```ts
 * import { CoreError } from "@millrace/core/CoreError"
 * import * as Region from "@millrace/core/Region"
 * import { Effect } from "effect"
 *
 * const program = Region.map("/no/such/file").pipe(
 *   Effect.scoped,
 *   Effect.as("mapped"),
 *   Effect.catchReason("CoreError", "SystemCallFailed", (reason) => Effect.succeed(`${reason.syscall}: ${reason.code}`)),
 *   Effect.catch((error: CoreError) => Effect.succeed(error.isRetryable ? "again" : error.message))
 * )
 *
 * Effect.runPromise(program) // => "open: ENOENT"
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Lapped as LappedReceiver } from "./broadcast/Lapped.ts"
import { CorruptFrame } from "./logbuffer/FrameDescriptor.ts"
import { InvalidLog } from "./logbuffer/LogBuffers.ts"
import { RegionClosed } from "./memory/RegionState.ts"
import { NativeError, NativeUnavailable } from "./native/Errno.ts"
import { MappingLengthError } from "./native/Mapping.ts"
import { CorruptRecord } from "./ringbuffer/CorruptRecord.ts"

/**
 * An object was used after the scope that owned it had ended.
 *
 * @category errors
 * @since 0.1.0
 */
export class Closed extends Schema.TaggedError<Closed>("@millrace/core/CoreError/Closed")("Closed", {
  /** The path of a mapped file, or the name of the object. */
  resource: Schema.String
}) {
  readonly isRetryable = false
  override get message(): string {
    return `${this.resource} is closed: it was used after its scope had ended. Keep the scope open as long as it is used`
  }
}

/**
 * The file system has too little room for what should be reserved.
 *
 * @category errors
 * @since 0.1.0
 */
export class InsufficientSpace extends Schema.TaggedError<InsufficientSpace>(
  "@millrace/core/CoreError/InsufficientSpace"
)("InsufficientSpace", {
  path: Schema.String,
  requiredBytes: Schema.Finite,
  availableBytes: Schema.Finite
}) {
  readonly isRetryable = true
  override get message(): string {
    return (
      `${this.path} needs ${this.requiredBytes} bytes, its file system has ${this.availableBytes}: free space, choose ` +
      "another directory or a smaller length; in a container give /dev/shm more room with --shm-size"
    )
  }
}

/**
 * A system call failed. `code` is the name of the error number, `detail` says what to do about it.
 *
 * @category errors
 * @since 0.1.0
 */
export class SystemCallFailed extends Schema.TaggedError<SystemCallFailed>("@millrace/core/CoreError/SystemCallFailed")(
  "SystemCallFailed",
  {
    syscall: Schema.String,
    errno: Schema.Int,
    code: Schema.String,
    path: Schema.optional(Schema.String),
    detail: Schema.String
  }
) {
  get isRetryable(): boolean {
    return this.code === "EAGAIN" || this.code === "EINTR" || this.code === "EBUSY"
  }
  override get message(): string {
    return this.detail
  }
}

/**
 * This operating system lacks what was asked for.
 * `detail` says where it is there, and what works here.
 *
 * @category errors
 * @since 0.1.0
 */
export class Unavailable extends Schema.TaggedError<Unavailable>("@millrace/core/CoreError/Unavailable")(
  "Unavailable",
  {
    feature: Schema.String,
    platform: Schema.String,
    detail: Schema.String
  }
) {
  readonly isRetryable = false
  override get message(): string {
    return this.detail
  }
}

/**
 * A file is shorter than the part of it that should be mapped.
 * Wait for its owner to have made it, or have it made anew.
 *
 * @category errors
 * @since 0.1.0
 */
export class FileTooShort extends Schema.TaggedError<FileTooShort>("@millrace/core/CoreError/FileTooShort")(
  "FileTooShort",
  {
    path: Schema.String,
    requiredBytes: Schema.Finite,
    fileBytes: Schema.Finite
  }
) {
  /** Its owner may still be making it. */
  readonly isRetryable = true
  override get message(): string {
    return (
      `${this.requiredBytes} bytes of ${this.path} cannot be mapped, the file has ${this.fileBytes}: it is empty, was cut ` +
      "short, or is still being made by its owner"
    )
  }
}

/**
 * The bytes of a region are not what they should be: a wrong length, or fields that contradict each other.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidFormat extends Schema.TaggedError<InvalidFormat>("@millrace/core/CoreError/InvalidFormat")(
  "InvalidFormat",
  {
    /** What was expected there: `log buffer`, `ring buffer`, … */
    format: Schema.String,
    resource: Schema.String,
    detail: Schema.String
  }
) {
  readonly isRetryable = false
  override get message(): string {
    return `${this.resource} is not a valid ${this.format}: ${this.detail}. See whether it is the right one; one that was damaged has to be made anew`
  }
}

/**
 * A message is longer than its destination can ever take.
 *
 * @category errors
 * @since 0.1.0
 */
export class MessageTooLong extends Schema.TaggedError<MessageTooLong>("@millrace/core/CoreError/MessageTooLong")(
  "MessageTooLong",
  {
    length: Schema.Int,
    lengthMax: Schema.Int
  }
) {
  readonly isRetryable = false
  override get message(): string {
    return `a message of ${this.length} bytes exceeds the maximum of ${this.lengthMax}: split it or make the buffer larger`
  }
}

/**
 * A receiver fell so far behind that the transmitter overwrote what it had not read yet.
 *
 * @category errors
 * @since 0.1.0
 */
export class Lapped extends Schema.TaggedError<Lapped>("@millrace/core/CoreError/Lapped")("Lapped", {
  resource: Schema.String,
  capacity: Schema.Int
}) {
  readonly isRetryable = false
  override get message(): string {
    return (
      `the receiver of ${this.resource} was lapped: more than ${this.capacity} bytes were transmitted since its last read. ` +
      "Read more often or make the buffer larger"
    )
  }
}

/**
 * There is no free place left: counters, records, buffers of a fixed number.
 *
 * @category errors
 * @since 0.1.0
 */
export class CapacityExhausted extends Schema.TaggedError<CapacityExhausted>(
  "@millrace/core/CoreError/CapacityExhausted"
)("CapacityExhausted", {
  resource: Schema.String,
  capacity: Schema.Int
}) {
  readonly isRetryable = true
  override get message(): string {
    return `${this.resource} is full: all ${this.capacity} places are taken. Free some or make it larger`
  }
}

/**
 * Another process, or another part of this one, holds the lock.
 *
 * @category errors
 * @since 0.1.0
 */
export class LockHeld extends Schema.TaggedError<LockHeld>("@millrace/core/CoreError/LockHeld")("LockHeld", {
  path: Schema.String
}) {
  readonly isRetryable = true
  override get message(): string {
    return `${this.path} is locked by another process or by another part of this one: only one may use it at a time. Stop the other, or wait for it`
  }
}

/**
 * An agent could not start, or the worker that ran it has ended.
 *
 * @category errors
 * @since 0.1.0
 */
export class AgentFailed extends Schema.TaggedError<AgentFailed>("@millrace/core/CoreError/AgentFailed")(
  "AgentFailed",
  {
    roleName: Schema.String,
    detail: Schema.String,
    cause: Schema.Defect()
  }
) {
  readonly isRetryable = false
  override get message(): string {
    return `agent ${this.roleName} failed: ${this.detail}. It does not go on by itself: mend the cause and run it again`
  }
}

/**
 * A stream has come to the last position that it can have. Only a new one can carry on.
 *
 * @category errors
 * @since 0.1.0
 */
export class MaxPositionExceeded extends Schema.TaggedError<MaxPositionExceeded>(
  "@millrace/core/CoreError/MaxPositionExceeded"
)("MaxPositionExceeded", {
  resource: Schema.String,
  positionMax: Schema.Finite
}) {
  readonly isRetryable = false
  override get message(): string {
    return `${this.resource} has reached its last position, ${BigInt(this.positionMax)}: go on with a new one, of longer terms`
  }
}

/**
 * The other side of a shared structure gave no sign of life for longer than it may.
 *
 * @category errors
 * @since 0.1.0
 */
export class LivenessLost extends Schema.TaggedError<LivenessLost>("@millrace/core/CoreError/LivenessLost")(
  "LivenessLost",
  {
    resource: Schema.String,
    /** Who: `owner` made the structure and looks after it, `reader` is this reader as its owner sees it. */
    role: Schema.Literals(["owner", "reader"]),
    timeoutMs: Schema.Finite
  }
) {
  readonly isRetryable = false
  override get message(): string {
    return this.role === "owner"
      ? `the owner of ${this.resource} has given no sign of life for ${this.timeoutMs} ms: it ended without closing it, or its thread is blocked`
      : `this reader of ${this.resource} was given up, since it gave no sign of life for ${this.timeoutMs} ms: its thread was blocked or stopped. Read anew`
  }
}

/**
 * All the reasons of a `CoreError`.
 *
 * @category errors
 * @since 0.1.0
 */
export const CoreErrorReason = Schema.Union([
  Closed,
  InsufficientSpace,
  SystemCallFailed,
  Unavailable,
  FileTooShort,
  InvalidFormat,
  MessageTooLong,
  Lapped,
  CapacityExhausted,
  LockHeld,
  AgentFailed,
  MaxPositionExceeded,
  LivenessLost
])

/**
 * The type of `CoreErrorReason`.
 *
 * @category errors
 * @since 0.1.0
 */
export type CoreErrorReason = typeof CoreErrorReason.Type

/**
 * The error of every Effect in `@millrace/core`.
 *
 * @category errors
 * @since 0.1.0
 */
export class CoreError extends Schema.TaggedError<CoreError>("@millrace/core/CoreError")("CoreError", {
  reason: CoreErrorReason
}) {
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

/**
 * The reason for something thrown by the modules of `@millrace/core/kernel`, or `undefined` for anything else: a broken
 * invariant, which should end the fiber as a defect.
 *
 * @category conversions
 * @since 0.1.0
 */
export const reasonOf = (thrown: unknown): CoreErrorReason | undefined => {
  if (thrown instanceof RegionClosed) {
    return new Closed({ resource: thrown.region })
  }
  if (thrown instanceof NativeError) {
    const { syscall, errno, code, path, space } = thrown
    return space !== undefined
      ? new InsufficientSpace({ path: path ?? "", ...space })
      : new SystemCallFailed({ syscall, errno, code, path, detail: thrown.message })
  }
  if (thrown instanceof NativeUnavailable) {
    return new Unavailable({ feature: thrown.feature, platform: thrown.platform, detail: thrown.message })
  }
  if (thrown instanceof MappingLengthError) {
    return new FileTooShort({ path: thrown.path, requiredBytes: thrown.length, fileBytes: thrown.fileLength })
  }
  if (thrown instanceof CorruptRecord) {
    const { field, format, limit, offset, region, value } = thrown
    const detail =
      `its ${field} at offset ${offset} is ${value}, the limit is ${limit}. Another program wrote over it, or the file is ` +
      "of another kind: make it anew"
    return new InvalidFormat({ format, resource: region, detail })
  }
  if (thrown instanceof InvalidLog) {
    return new InvalidFormat({ format: "log buffer", resource: thrown.region, detail: thrown.message })
  }
  if (thrown instanceof CorruptFrame) {
    return new InvalidFormat({ format: "log buffer", resource: thrown.region, detail: thrown.message })
  }
  if (thrown instanceof LappedReceiver) {
    return new Lapped({ resource: thrown.region, capacity: thrown.capacity })
  }
  return undefined
}
