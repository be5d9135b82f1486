/**
 * Why bytes are not a frame, or not a datagram of frames.
 *
 * Match one reason with `Effect.catchReason("FrameError", "InvalidFrameLength", …)`, or read `message`, which says
 * where in the bytes the frame begins, what was seen, and what is allowed. None of them goes away by trying again: the
 * bytes were cut short, damaged, or never came from an Aeron driver.
 *
 * **Example** (Why bytes are refused)
 *
 * ```ts
 * import * as Frame from "@millrace/core/Frame"
 * import { Result } from "effect"
 *
 * const decoded = Frame.decode(new Uint8Array(3))
 *
 * Result.isFailure(decoded) ? decoded.failure.reason._tag : "a frame" // => "FrameTooShort"
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * There are fewer bytes than a frame of this type has at least.
 *
 * @category errors
 * @since 0.1.0
 */
export class FrameTooShort extends Schema.TaggedError<FrameTooShort>("@millrace/core/FrameError/FrameTooShort")(
  "FrameTooShort",
  {
    /** Bytes from the beginning of the frame to the end of the input. */
    availableBytes: Schema.Int,
    /** Bytes of the part that every frame of this type has. */
    requiredBytes: Schema.Int
  }
) {
  override get message(): string {
    return `has ${this.availableBytes} bytes, at least ${this.requiredBytes} are needed: the input was cut short`
  }
}

/**
 * The version byte is not 0, the only version there is.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnsupportedVersion extends Schema.TaggedError<UnsupportedVersion>(
  "@millrace/core/FrameError/UnsupportedVersion"
)("UnsupportedVersion", {
  version: Schema.Int
}) {
  override get message(): string {
    return `has version ${this.version}, only 0 is known: these bytes do not come from an Aeron driver`
  }
}

/**
 * The frame length is shorter than the fixed part, or reaches behind the input.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidFrameLength extends Schema.TaggedError<InvalidFrameLength>(
  "@millrace/core/FrameError/InvalidFrameLength"
)("InvalidFrameLength", {
  frameLength: Schema.Int,
  /** The shortest and the longest frame length that would have been taken, in bytes. */
  minimum: Schema.Int,
  maximum: Schema.Int
}) {
  override get message(): string {
    return `has frame length ${this.frameLength}, which is not within ${this.minimum} and ${this.maximum}: it was cut short, or is no frame of Aeron's`
  }
}

/**
 * DATA in a datagram whose length is not a multiple of 32 bytes, or whose place in the term is not, or is negative.
 *
 * @category errors
 * @since 0.1.0
 */
export class Misaligned extends Schema.TaggedError<Misaligned>("@millrace/core/FrameError/Misaligned")("Misaligned", {
  datagramLength: Schema.Int,
  termOffset: Schema.Int
}) {
  override get message(): string {
    return `is DATA at term offset ${this.termOffset} in a datagram of ${this.datagramLength} bytes: both must be multiples of 32 from 0 on`
  }
}

/**
 * A frame in a datagram of DATA does not continue the one in front of it, stands behind a PAD, or belongs to a kind
 * that stands alone in a datagram.
 *
 * @category errors
 * @since 0.1.0
 */
export class BrokenSequence extends Schema.TaggedError<BrokenSequence>("@millrace/core/FrameError/BrokenSequence")(
  "BrokenSequence",
  {
    /** Where in the term the frame should have been, in bytes; absent when nothing may follow there. */
    expectedTermOffset: Schema.optional(Schema.Int)
  }
) {
  override get message(): string {
    return this.expectedTermOffset === undefined
      ? "does not belong there: only DATA follows DATA in a datagram, every other frame stands alone in one"
      : "does not continue the datagram: DATA or PAD of the same session, stream and term was expected, at term offset " +
          `${this.expectedTermOffset}, and nothing behind a PAD`
  }
}

/**
 * ERR whose text is longer than the frame, or longer than 1023 bytes.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidTextLength extends Schema.TaggedError<InvalidTextLength>(
  "@millrace/core/FrameError/InvalidTextLength"
)("InvalidTextLength", {
  textLength: Schema.Int,
  maximum: Schema.Int
}) {
  override get message(): string {
    return `has an error text of ${this.textLength} bytes, which is not within 0 and ${this.maximum}: shorten it, or take what was received for damaged`
  }
}

/**
 * RES without an entry, or with one of unknown kind, without a name, with a name above 512 bytes, or cut off.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidEntry extends Schema.TaggedError<InvalidEntry>("@millrace/core/FrameError/InvalidEntry")(
  "InvalidEntry",
  {
    /** Bytes from the beginning of the frame to the entry. */
    entryOffset: Schema.Int
  }
) {
  override get message(): string {
    return `has no valid resolution entry at its byte ${this.entryOffset}: one has type 1 or 2, a name of 1 to 512 bytes, and ends within the frame`
  }
}

/**
 * All the reasons of a `FrameError`.
 *
 * @category errors
 * @since 0.1.0
 */
export const FrameErrorReason = Schema.Union([
  FrameTooShort,
  UnsupportedVersion,
  InvalidFrameLength,
  Misaligned,
  BrokenSequence,
  InvalidTextLength,
  InvalidEntry
])

/**
 * Any reason of a `FrameError`.
 *
 * @category errors
 * @since 0.1.0
 */
export type FrameErrorReason = typeof FrameErrorReason.Type

/**
 * The error of `Frame.decode`, `Datagram.decode` and `Datagram.encode`.
 * Its reason says which rule the bytes break: drop them, and look at who sends them.
 *
 * @category errors
 * @since 0.1.0
 */
export class FrameError extends Schema.TaggedError<FrameError>("@millrace/core/FrameError")("FrameError", {
  /** Where in the input the frame begins, in bytes. */
  offset: Schema.Int,
  reason: FrameErrorReason
}) {
  override readonly cause = this.reason

  /** Where the frame begins, what was seen, and what is allowed. */
  override get message(): string {
    return `the frame at byte ${this.offset} ${this.reason.message}`
  }
}
