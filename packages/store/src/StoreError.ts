/**
 * The error of `@millrace/store`: one tagged error with a tagged `reason`.
 *
 * Match a reason with `Effect.catchReason("StoreError", "OutOfSpace", …)`, or take the reasons apart with
 * `Effect.unwrapReason("StoreError")`. Every message says what failed, the value seen, the limit, and what to do.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * The store was used after its scope had ended.
 *
 * @category errors
 * @since 0.1.0
 */
export class Closed extends Schema.TaggedError<Closed>("@millrace/store/StoreError/Closed")("Closed", {
  directory: Schema.String
}) {
  readonly isRetryable = false
  override get message(): string {
    return `the store in ${this.directory} is closed: it was used after its scope had ended. Keep the scope open as long as it is used`
  }
}

/**
 * Another holder has the store open: another process, or another layer of this one.
 *
 * @category errors
 * @since 0.1.0
 */
export class Locked extends Schema.TaggedError<Locked>("@millrace/store/StoreError/Locked")("Locked", {
  directory: Schema.String,
  /** The process that has it open, where it left its number. */
  pid: Schema.optional(Schema.Int)
}) {
  readonly isRetryable = true
  override get message(): string {
    const holder = this.pid === undefined ? "another process" : `process ${this.pid}`
    return `the store in ${this.directory} is open in ${holder}: stop it, open the store read-only, or choose another directory`
  }
}

/**
 * The directory holds something else. Nothing in it was changed.
 *
 * @category errors
 * @since 0.1.0
 */
export class NotAStore extends Schema.TaggedError<NotAStore>("@millrace/store/StoreError/NotAStore")("NotAStore", {
  directory: Schema.String,
  /** What is there and belongs to no store. */
  found: Schema.String
}) {
  readonly isRetryable = false
  override get message(): string {
    return `${this.directory} is not a store: it holds ${this.found}. Choose an empty directory or that of a store; nothing was changed`
  }
}

/**
 * A file among those of the store that cannot be its own: a wrong name, a wrong length, a gap before it.
 *
 * @category errors
 * @since 0.1.0
 */
export class ForeignFile extends Schema.TaggedError<ForeignFile>("@millrace/store/StoreError/ForeignFile")(
  "ForeignFile",
  { path: Schema.String, detail: Schema.String }
) {
  readonly isRetryable = false
  override get message(): string {
    return `${this.path} does not belong to this store: ${this.detail}. Open the store with the file sizes it was made with, or repair it`
  }
}

/**
 * A message is outside the limits of the record format or of this store. All messages of a call are checked before the
 * first is stored, so nothing of its call was.
 *
 * @category errors
 * @since 0.1.0
 */
export class MessageIllegal extends Schema.TaggedError<MessageIllegal>("@millrace/store/StoreError/MessageIllegal")(
  "MessageIllegal",
  {
    /** Which message of the array that was put. */
    index: Schema.Int,
    topic: Schema.String,
    detail: Schema.String
  }
) {
  readonly isRetryable = false
  override get message(): string {
    return `message ${this.index} for topic ${JSON.stringify(this.topic)} cannot be stored: ${this.detail}`
  }
}

/**
 * The properties of a message, keys and tags included, are longer than a record can hold.
 *
 * @category errors
 * @since 0.1.0
 */
export class PropertiesTooLong extends Schema.TaggedError<PropertiesTooLong>(
  "@millrace/store/StoreError/PropertiesTooLong"
)("PropertiesTooLong", { index: Schema.Int, topic: Schema.String, limit: Schema.Int }) {
  readonly isRetryable = false
  override get message(): string {
    return `the properties of message ${this.index} for topic ${JSON.stringify(this.topic)} are longer than ${this.limit} bytes: move what is long into the body`
  }
}

/**
 * The device has no room for a file of the store.
 *
 * @category errors
 * @since 0.1.0
 */
export class OutOfSpace extends Schema.TaggedError<OutOfSpace>("@millrace/store/StoreError/OutOfSpace")("OutOfSpace", {
  path: Schema.String,
  requiredBytes: Schema.Finite,
  availableBytes: Schema.Finite,
  /** How many messages of the call were stored before the room ended. */
  storedCount: Schema.Int
}) {
  readonly isRetryable = true
  override get message(): string {
    return `${this.path} needs ${this.requiredBytes} bytes, its device has ${this.availableBytes}: free space or make the files of the store smaller`
  }
}

/**
 * All buffers of the transient pool hold messages that are not in the files yet (`fastFailIfNoBufferInStorePool`). RocketMQ
 * answers `CREATE_MAPPED_FILE_FAILED`.
 *
 * @category errors
 * @since 0.1.0
 */
export class PoolExhausted extends Schema.TaggedError<PoolExhausted>("@millrace/store/StoreError/PoolExhausted")(
  "PoolExhausted",
  {
    path: Schema.String,
    detail: Schema.String,
    /** How many messages of the call were stored before the buffers ended. */
    storedCount: Schema.Int
  }
) {
  readonly isRetryable = true
  override get message(): string {
    return `${this.path} cannot be made: ${this.detail}. Try again when they are, or raise transientStorePoolSize`
  }
}

/**
 * The compressed body of a message cannot be unpacked.
 *
 * @category errors
 * @since 0.1.0
 */
export class DecompressFailed extends Schema.TaggedError<DecompressFailed>(
  "@millrace/store/StoreError/DecompressFailed"
)("DecompressFailed", { topic: Schema.String, position: Schema.Finite, detail: Schema.String }) {
  readonly isRetryable = false
  override get message(): string {
    return `the body of the message at ${this.position} (topic ${JSON.stringify(this.topic)}) cannot be unpacked: ${this.detail}. It is damaged, or compressed by a method that this version does not know: millrace store verify says which`
  }
}

/**
 * An operation on a file failed. `code` is the system's name for the error.
 * Mend what that says (permissions, limits, the device), and open the store again.
 *
 * @category errors
 * @since 0.1.0
 */
export class FileFailed extends Schema.TaggedError<FileFailed>("@millrace/store/StoreError/FileFailed")("FileFailed", {
  operation: Schema.String,
  path: Schema.String,
  code: Schema.String,
  detail: Schema.String,
  /** How many messages of a put were stored before the operation failed; 0 of anything else. */
  storedCount: Schema.Int
}) {
  readonly isRetryable = false
  override get message(): string {
    return `${this.operation} of ${this.path} failed with ${this.code}: ${this.detail}`
  }
}

/**
 * The device failed to take what was written. The store takes no more messages: no later success would say anything
 * about what was lost. Open it again to see what is on the device.
 *
 * @category errors
 * @since 0.1.0
 */
export class FlushFailed extends Schema.TaggedError<FlushFailed>("@millrace/store/StoreError/FlushFailed")(
  "FlushFailed",
  { path: Schema.String, code: Schema.String, detail: Schema.String }
) {
  readonly isRetryable = false
  override get message(): string {
    return `${this.path} could not be brought to the device (${this.code}): ${this.detail}. The store takes no more messages; see to the device and open the store again`
  }
}

/**
 * A record of the log is bad, and good ones that were on the device stand behind it. Nothing was cut.
 *
 * @category errors
 * @since 0.1.0
 */
export class CorruptLog extends Schema.TaggedError<CorruptLog>("@millrace/store/StoreError/CorruptLog")("CorruptLog", {
  position: Schema.Finite,
  file: Schema.String,
  /** Position of the first valid record behind the damage that was seen. */
  validBehind: Schema.Finite,
  detail: Schema.String
}) {
  readonly isRetryable = false
  override get message(): string {
    return `the log is damaged at position ${this.position} in ${this.file} (${this.detail}), with valid records behind it from ${this.validBehind}: no record was changed. Open the store read-only, or repair it`
  }
}

/**
 * A reader asks for messages that were cleaned away.
 *
 * @category errors
 * @since 0.1.0
 */
export class OffsetTooSmall extends Schema.TaggedError<OffsetTooSmall>("@millrace/store/StoreError/OffsetTooSmall")(
  "OffsetTooSmall",
  { topic: Schema.String, queueId: Schema.Int, offset: Schema.Finite, min: Schema.Finite }
) {
  readonly isRetryable = false
  override get message(): string {
    return `offset ${this.offset} of ${this.topic}/${this.queueId} was cleaned away, the first one kept is ${this.min}: go on from there, or keep messages longer`
  }
}

/**
 * A reader asks for messages that the store does not have: positions that were kept from a store that has lost its end
 * since, or from another one.
 *
 * @category errors
 * @since 0.1.0
 */
export class OffsetTooLarge extends Schema.TaggedError<OffsetTooLarge>("@millrace/store/StoreError/OffsetTooLarge")(
  "OffsetTooLarge",
  { topic: Schema.String, queueId: Schema.Int, offset: Schema.Finite, max: Schema.Finite }
) {
  readonly isRetryable = false
  override get message(): string {
    return `offset ${this.offset} of ${this.topic}/${this.queueId} does not exist, the next message gets ${this.max}: see whether the position belongs to this store`
  }
}

const REFUSALS = [
  "FLUSH_SLAVE_TIMEOUT",
  "SLAVE_NOT_AVAILABLE",
  "SERVICE_NOT_AVAILABLE",
  "CREATE_MAPPED_FILE_FAILED",
  "MESSAGE_ILLEGAL",
  "PROPERTIES_SIZE_EXCEEDED",
  "OS_PAGE_CACHE_BUSY",
  "UNKNOWN_ERROR",
  "IN_SYNC_REPLICAS_NOT_ENOUGH",
  "PUT_TO_REMOTE_BROKER_FAIL",
  "LMQ_CONSUME_QUEUE_NUM_EXCEEDED",
  "WHEEL_TIMER_FLOW_CONTROL",
  "WHEEL_TIMER_MSG_ILLEGAL",
  "WHEEL_TIMER_NOT_ENABLE"
] as const

/**
 * A hook of the program (`StoreHooks`) refused a message. Nothing of its call was stored.
 * `detail` is what the hook says about it.
 *
 * @category errors
 * @since 0.1.0
 */
export class PutRefused extends Schema.TaggedError<PutRefused>("@millrace/store/StoreError/PutRefused")("PutRefused", {
  /** Which message of the call. */
  index: Schema.Int,
  topic: Schema.String,
  hook: Schema.String,
  /** RocketMQ's status for it. */
  status: Schema.Literals(REFUSALS),
  detail: Schema.String
}) {
  readonly isRetryable = false
  override get message(): string {
    return `message ${this.index} for topic ${this.topic} was refused by hook ${this.hook} with ${this.status}: ${this.detail}`
  }
}

/**
 * A value does not fit the schema of its topic.
 *
 * @category errors
 * @since 0.1.0
 */
export class EncodeFailed extends Schema.TaggedError<EncodeFailed>("@millrace/store/StoreError/EncodeFailed")(
  "EncodeFailed",
  { topic: Schema.String, detail: Schema.String }
) {
  readonly isRetryable = false
  override get message(): string {
    return `a value for topic ${this.topic} does not fit its schema: ${this.detail}. Give one that the schema allows`
  }
}

/**
 * A stored message does not fit the schema of its topic.
 *
 * @category errors
 * @since 0.1.0
 */
export class DecodeFailed extends Schema.TaggedError<DecodeFailed>("@millrace/store/StoreError/DecodeFailed")(
  "DecodeFailed",
  {
    topic: Schema.String,
    queueId: Schema.Int,
    queueOffset: Schema.Finite,
    position: Schema.Finite,
    detail: Schema.String
  }
) {
  readonly isRetryable = false
  override get message(): string {
    return `message ${this.queueOffset} of ${this.topic}/${this.queueId} (position ${this.position}) does not fit the schema of its topic: ${this.detail}. Read it with the schema that it was written with, or pass over it (onDecodeFailure)`
  }
}

/**
 * Part of a session is not in its recording: it was sent while nobody recorded, or it was cleaned away.
 *
 * @category errors
 * @since 0.1.0
 */
export class RecordingGap extends Schema.TaggedError<RecordingGap>("@millrace/store/StoreError/RecordingGap")(
  "RecordingGap",
  {
    topic: Schema.String,
    streamId: Schema.Int,
    sessionId: Schema.Int,
    /** Where the gap begins: what is before it is recorded. */
    fromPosition: Schema.Finite,
    /** Where it ends. */
    toPosition: Schema.Finite
  }
) {
  readonly isRetryable = false
  override get message(): string {
    return `positions ${this.fromPosition} to ${this.toPosition} of session ${this.sessionId} of stream ${this.streamId} are not in recording ${this.topic}: have them sent again from ${this.fromPosition}, or go on behind them (onGap)`
  }
}

/**
 * What comes of a session is not what was recorded of it: another stream under the same session id. Nothing of it was
 * stored.
 *
 * @category errors
 * @since 0.1.0
 */
export class RecordingDiffers extends Schema.TaggedError<RecordingDiffers>(
  "@millrace/store/StoreError/RecordingDiffers"
)("RecordingDiffers", {
  topic: Schema.String,
  streamId: Schema.Int,
  sessionId: Schema.Int,
  /** Behind the message that differs. */
  position: Schema.Finite,
  recordedPosition: Schema.Finite
}) {
  readonly isRetryable = false
  override get message(): string {
    return `the message before position ${this.position} of session ${this.sessionId} of stream ${this.streamId} is not the one in recording ${this.topic}, which ends at ${this.recordedPosition}: the session id was used again for another stream. Record it into another topic`
  }
}

/**
 * A message of the topic says nothing of a place in a stream: it was put by something else than a recorder.
 *
 * @category errors
 * @since 0.1.0
 */
export class NotARecording extends Schema.TaggedError<NotARecording>("@millrace/store/StoreError/NotARecording")(
  "NotARecording",
  { topic: Schema.String, queueId: Schema.Int, queueOffset: Schema.Finite }
) {
  readonly isRetryable = false
  override get message(): string {
    return `topic ${JSON.stringify(this.topic)} is not a recording: message ${this.queueOffset} of queue ${this.queueId} has no place in a stream. Choose a topic that only recorders write`
  }
}

/**
 * A recording would get more sessions than it may have, each with a queue of its own.
 *
 * @category errors
 * @since 0.1.0
 */
export class TooManySessions extends Schema.TaggedError<TooManySessions>("@millrace/store/StoreError/TooManySessions")(
  "TooManySessions",
  { topic: Schema.String, limit: Schema.Int }
) {
  readonly isRetryable = false
  override get message(): string {
    return `recording ${this.topic} has ${this.limit} sessions, its limit: record into another topic, or raise sessionsMax`
  }
}

/**
 * Live messages wait for what comes before them, and the recording does not get there.
 * Start its recorder, or wait longer (`patience`).
 *
 * @category errors
 * @since 0.1.0
 */
export class RecordingBehind extends Schema.TaggedError<RecordingBehind>("@millrace/store/StoreError/RecordingBehind")(
  "RecordingBehind",
  {
    topic: Schema.String,
    streamId: Schema.Int,
    sessionId: Schema.Int,
    /** Where the recording ends; missing when it has nothing of the session. */
    recordedPosition: Schema.optional(Schema.Finite),
    /** Where the live messages begin. */
    livePosition: Schema.Finite,
    waitedMs: Schema.Finite
  }
) {
  readonly isRetryable = true
  override get message(): string {
    const end = this.recordedPosition === undefined ? "has nothing of it" : `ends at ${this.recordedPosition}`
    return `live messages of session ${this.sessionId} of stream ${this.streamId} begin at ${this.livePosition}, recording ${this.topic} ${end} and did not go on for ${this.waitedMs} ms: see whether its recorder runs`
  }
}

/**
 * The store does not take messages now, for a reason that is none of the others.
 * `detail` says it, and `Health` as well, which is `Healthy` again when messages are taken.
 *
 * @category errors
 * @since 0.1.0
 */
export class NotWriteable extends Schema.TaggedError<NotWriteable>("@millrace/store/StoreError/NotWriteable")(
  "NotWriteable",
  { directory: Schema.String, detail: Schema.String }
) {
  readonly isRetryable = false
  override get message(): string {
    return `the store in ${this.directory} takes no messages: ${this.detail}`
  }
}

/**
 * An option of the store has a value that it cannot have.
 * `detail` says which values it can have.
 *
 * @category errors
 * @since 0.1.0
 */
export class OptionIllegal extends Schema.TaggedError<OptionIllegal>("@millrace/store/StoreError/OptionIllegal")(
  "OptionIllegal",
  { option: Schema.String, value: Schema.String, detail: Schema.String }
) {
  readonly isRetryable = false
  override get message(): string {
    return `option ${this.option} cannot be ${this.value}: ${this.detail}`
  }
}

/**
 * What can go wrong with a store.
 *
 * @category errors
 * @since 0.1.0
 */
export const StoreErrorReason = Schema.Union([
  Closed,
  Locked,
  NotAStore,
  ForeignFile,
  MessageIllegal,
  PropertiesTooLong,
  OutOfSpace,
  PoolExhausted,
  FileFailed,
  FlushFailed,
  CorruptLog,
  OffsetTooSmall,
  OffsetTooLarge,
  PutRefused,
  EncodeFailed,
  DecodeFailed,
  DecompressFailed,
  RecordingGap,
  RecordingDiffers,
  RecordingBehind,
  NotARecording,
  TooManySessions,
  NotWriteable,
  OptionIllegal
])

/**
 * One of the reasons of a `StoreError`.
 *
 * @category errors
 * @since 0.1.0
 */
export type StoreErrorReason = typeof StoreErrorReason.Type

/**
 * The error of everything in this package.
 *
 * @category errors
 * @since 0.1.0
 */
export class StoreError extends Schema.TaggedError<StoreError>("@millrace/store/StoreError")("StoreError", {
  reason: StoreErrorReason
}) {
  override get message(): string {
    return this.reason.message
  }
  /** Whether the same call can succeed later without anybody changing its arguments. */
  get isRetryable(): boolean {
    return this.reason.isRetryable
  }
}
