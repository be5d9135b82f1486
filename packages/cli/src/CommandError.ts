/**
 * What a command of `millrace` reports when it cannot do its work.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { grouped } from "./output/Quantity.ts"

/**
 * A file, a line of input or a directory that the command was given is not what it needs.
 *
 * @category errors
 * @since 0.1.0
 */
class BadInput extends Schema.TaggedError<BadInput>("millrace/CommandError/BadInput")("BadInput", {
  source: Schema.String,
  line: Schema.optionalKey(Schema.Natural),
  problem: Schema.String
}) {
  override get message() {
    return this.line === undefined
      ? `${this.source}: ${this.problem}`
      : `${this.source}: line ${this.line}: ${this.problem}`
  }
}

/**
 * The stream of a publisher ended before its end record: whatever it still had to send is missing.
 *
 * @category errors
 * @since 0.1.0
 */
export class PublisherLost extends Schema.TaggedError<PublisherLost>("millrace/CommandError/PublisherLost")(
  "PublisherLost",
  {
    received: Schema.Natural,
    expected: Schema.Natural,
    /** How the publisher ended, where that is known. */
    how: Schema.optionalKey(Schema.String),
    /** How many records are stored and were compared with the source. */
    intact: Schema.optionalKey(Schema.Natural)
  }
) {
  override get message() {
    const counts = `${grouped(this.received)} of ${grouped(this.expected)} records were received`
    const end = `the stream ended without its end record: ${counts}`
    const left = this.intact === undefined ? [] : [`all ${grouped(this.intact)} are stored and intact`]
    return [...(this.how === undefined ? [] : [this.how]), end, ...left].join("; ")
  }
}

/**
 * The end record arrived and does not agree with what was received before it.
 *
 * @category errors
 * @since 0.1.0
 */
export class StreamDiffers extends Schema.TaggedError<StreamDiffers>("millrace/CommandError/StreamDiffers")(
  "StreamDiffers",
  {
    received: Schema.Natural,
    sent: Schema.Natural,
    receivedChecksum: Schema.Natural,
    sentChecksum: Schema.Natural
  }
) {
  override get message() {
    return (
      `the end record says ${grouped(this.sent)} records with checksum ${hex(this.sentChecksum)}, ` +
      `${grouped(this.received)} with checksum ${hex(this.receivedChecksum)} were received`
    )
  }
}

/**
 * A child process ended though its work was not done.
 *
 * @category errors
 * @since 0.1.0
 */
export class ProcessDied extends Schema.TaggedError<ProcessDied>("millrace/CommandError/ProcessDied")("ProcessDied", {
  role: Schema.String,
  pid: Schema.Natural,
  how: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    const report = `the ${this.role} process (pid ${this.pid}) ${this.how}`
    return this.detail === "" ? report : `${report}: ${this.detail}`
  }
}

/**
 * A child process gave up and said why.
 *
 * @category errors
 * @since 0.1.0
 */
export class ProcessFailed extends Schema.TaggedError<ProcessFailed>("millrace/CommandError/ProcessFailed")(
  "ProcessFailed",
  { role: Schema.String, detail: Schema.String }
) {
  override get message() {
    return `the ${this.role} process failed: ${this.detail}`
  }
}

/**
 * What was read back is not what was sent.
 *
 * @category errors
 * @since 0.1.0
 */
export class NotVerified extends Schema.TaggedError<NotVerified>("millrace/CommandError/NotVerified")("NotVerified", {
  problems: Schema.Array(Schema.String)
}) {
  override get message() {
    return `what was read back is not what was sent: ${this.problems.join("; ")}`
  }
}

/**
 * Fewer messages came than were asked for.
 *
 * @category errors
 * @since 0.1.0
 */
export class MessagesMissing extends Schema.TaggedError<MessagesMissing>("millrace/CommandError/MessagesMissing")(
  "MessagesMissing",
  {
    received: Schema.Natural,
    expected: Schema.optionalKey(Schema.Natural),
    why: Schema.String
  }
) {
  override get message() {
    const total = this.expected === undefined ? "" : ` of ${grouped(this.expected)}`
    return `${this.why} after ${grouped(this.received)}${total} messages`
  }
}

/**
 * The last subscriber of a publication left before it had read everything.
 *
 * @category errors
 * @since 0.1.0
 */
export class NotRead extends Schema.TaggedError<NotRead>("millrace/CommandError/NotRead")("NotRead", {
  channel: Schema.String,
  streamId: Schema.Int,
  /** Bytes of the log that nobody has read. */
  unread: Schema.Natural
}) {
  override get message() {
    return (
      `the last subscriber of stream ${this.streamId} on ${this.channel} left before it had read everything: ` +
      `${grouped(this.unread)} bytes of the log are unread`
    )
  }
}

/**
 * Messages that were put and refused; each has its reason in its line of the results.
 *
 * @category errors
 * @since 0.1.0
 */
export class PutsRefused extends Schema.TaggedError<PutsRefused>("millrace/CommandError/PutsRefused")("PutsRefused", {
  refused: Schema.Natural,
  total: Schema.Natural
}) {
  override get message() {
    return `${grouped(this.refused)} of ${grouped(this.total)} puts were refused: see "error" in their results`
  }
}

/**
 * Parts of a store do not agree.
 *
 * @category errors
 * @since 0.1.0
 */
export class StoreProblems extends Schema.TaggedError<StoreProblems>("millrace/CommandError/StoreProblems")(
  "StoreProblems",
  {
    directory: Schema.String,
    count: Schema.Natural,
    /** What to type next. */
    next: Schema.String
  }
) {
  override get message() {
    const problems = this.count === 1 ? "a problem was found" : `${grouped(this.count)} problems were found`
    return `${this.directory}: ${problems}. What can be done: ${this.next}`
  }
}

/**
 * The machine lacks something that a driver or a store cannot do without.
 *
 * @category errors
 * @since 0.1.0
 */
export class MachineUnfit extends Schema.TaggedError<MachineUnfit>("millrace/CommandError/MachineUnfit")(
  "MachineUnfit",
  {
    failed: Schema.Array(Schema.String)
  }
) {
  override get message() {
    return `this machine has to be mended: ${this.failed.join(", ")}. The commands are above, and in "mend" of --json`
  }
}

const hex = (checksum: number): string => checksum.toString(16).padStart(8, "0")

/**
 * All the reasons of a `CommandError`.
 *
 * @category errors
 * @since 0.1.0
 */
export const CommandErrorReason = Schema.Union([
  BadInput,
  PublisherLost,
  StreamDiffers,
  ProcessDied,
  ProcessFailed,
  NotVerified,
  MessagesMissing,
  NotRead,
  PutsRefused,
  StoreProblems,
  MachineUnfit
])

/**
 * The one error of this package; `reason` says which.
 *
 * @category errors
 * @since 0.1.0
 */
export class CommandError extends Schema.TaggedError<CommandError>("millrace/CommandError")("CommandError", {
  reason: CommandErrorReason
}) {
  override get message() {
    return this.reason.message
  }
}

export const badInput = (source: string, problem: string, line?: number): CommandError =>
  new CommandError({ reason: new BadInput(line === undefined ? { source, problem } : { source, problem, line }) })
