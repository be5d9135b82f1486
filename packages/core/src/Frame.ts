/**
 * The frames of Aeron's wire protocol as values: match them, print them, generate them, turn them into bytes and back.
 *
 * Every frame that decodes encodes to the same bytes again. Flags that have no name yet, types that no open driver
 * knows, and bytes that nothing explains (`extension` within the frame, `trailing` behind it) are kept.
 *
 * This is the form for tools, tests and logs. A driver reads fields in place with the flyweights of
 * `@millrace/core/kernel/frame`, which describe the same layouts.
 *
 * Source of the formats: the protocol flyweights of Aeron 1.51 and 1.53 (Java and C), checked against datagrams
 * captured from both drivers. The pictures are in `docs/formats.md`.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as SchemaIssue from "effect/SchemaIssue"
import type { FrameError } from "./FrameError.ts"
import * as DataFrame from "./frame/DataFrame.ts"
import * as ErrorFrame from "./frame/ErrorFrame.ts"
import * as FrameFlags from "./frame/FrameFlags.ts"
import * as FrameType from "./frame/FrameType.ts"
import * as HeaderDescriptor from "./frame/HeaderDescriptor.ts"
import * as ResolutionEntryDescriptor from "./frame/ResolutionEntryDescriptor.ts"
import * as StatusMessageFrame from "./frame/StatusMessageFrame.ts"
import * as frameDecode from "./internal/frameDecode.ts"
import * as frameEncode from "./internal/frameEncode.ts"
import * as frameFormat from "./internal/frameFormat.ts"

const Int32 = Schema.Int.check(Schema.isInt32())
const Int64 = Schema.BigInt.check(
  Schema.isBetweenBigInt({ minimum: -0x8000_0000_0000_0000n, maximum: 0x7fff_ffff_ffff_ffffn })
)
const Flags = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xff }))
const Uint16 = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xffff }))

/** Text of which every character is one byte, so that whatever arrives can be written again. */
const ByteString = (minimum: number, maximum: number) =>
  Schema.String.check(
    Schema.isPattern(/^[^\u0100-\uffff]*$/, { expected: "characters of one byte each" }),
    Schema.isBetweenLength(minimum, maximum)
  )

/** Bytes that are either absent or not empty, so that there is one form of nothing. */
const Rest = Schema.optionalKey(Schema.Uint8Array.check(Schema.isMinLength(1)))

/**
 * A message, or one fragment of it.
 *
 * `flags` tell the fragments: BEGIN 0x80 for the first, END 0x40 for the last, both for a message in one frame.
 * `termOffset` is in bytes from the beginning of the term, `reservedValue` is the application's own. The payload has at
 * most 65,472 bytes. `trailing` holds alignment bytes that are not zero.
 *
 * @category models
 * @since 0.1.0
 */
export const Data = Schema.TaggedStruct("Data", {
  flags: Flags,
  termOffset: Int32,
  sessionId: Int32,
  streamId: Int32,
  termId: Int32,
  reservedValue: Int64,
  payload: Schema.Uint8Array.check(Schema.isMaxLength(HeaderDescriptor.MAX_DATAGRAM_LENGTH - DataFrame.HEADER_LENGTH)),
  trailing: Rest
})

/**
 * A DATA header with frame length 0: where the stream stands while nothing is sent.
 *
 * Flag EOS 0x20 says that the stream ends at this position, REVOKED 0x10 that the publication was revoked.
 *
 * @see {@link isEndOfStream}
 * @see {@link isRevoked}
 * @category models
 * @since 0.1.0
 */
export const Heartbeat = Schema.TaggedStruct("Heartbeat", {
  flags: Flags,
  termOffset: Int32,
  sessionId: Int32,
  streamId: Int32,
  termId: Int32,
  reservedValue: Int64,
  trailing: Rest
})

/**
 * Fills the rest of a term, or the place of a claim that was given up. `frameLength` counts all that is filled, in
 * bytes, while only the header of 32 bytes is sent.
 *
 * @category models
 * @since 0.1.0
 */
export const Pad = Schema.TaggedStruct("Pad", {
  flags: Flags,
  frameLength: Schema.Int.check(Schema.isBetween({ minimum: DataFrame.HEADER_LENGTH, maximum: 0x7fff_ffff })),
  termOffset: Int32,
  sessionId: Int32,
  streamId: Int32,
  termId: Int32,
  reservedValue: Int64,
  trailing: Rest
})

/**
 * A receiver asks for `length` bytes of a term again, from `termOffset`.
 *
 * @category models
 * @since 0.1.0
 */
export const Nak = Schema.TaggedStruct("Nak", {
  flags: Flags,
  sessionId: Int32,
  streamId: Int32,
  termId: Int32,
  termOffset: Int32,
  length: Int32,
  extension: Rest,
  trailing: Rest
})

/**
 * What a receiver has consumed and how many bytes more it takes (`receiverWindow`).
 *
 * Flag SETUP 0x80 asks for a SETUP, EOS 0x40 says that the receiver leaves. A message of 44 bytes has a group tag; any
 * other feedback that a frame carries is its `extension`.
 *
 * @category models
 * @since 0.1.0
 */
export const StatusMessage = Schema.TaggedStruct("StatusMessage", {
  flags: Flags,
  sessionId: Int32,
  streamId: Int32,
  consumptionTermId: Int32,
  consumptionTermOffset: Int32,
  receiverWindow: Int32,
  receiverId: Int64,
  groupTag: Schema.optionalKey(Int64),
  extension: Rest,
  trailing: Rest
}).check(
  Schema.makeFilter(
    (frame) => {
      const groupTagLength = StatusMessageFrame.HEADER_LENGTH_WITH_GROUP_TAG - StatusMessageFrame.HEADER_LENGTH
      return frame.groupTag === undefined ? frame.extension?.length !== groupTagLength : frame.extension === undefined
    },
    { expected: "a group tag, or an extension that is not as long as one" }
  )
)

/**
 * A receiver rejects the stream. Flag 0x08 says that `groupTag` means something. The text has at most 1023 bytes, each
 * of them one character; drivers write ASCII.
 *
 * @category models
 * @since 0.1.0
 */
export const Error = Schema.TaggedStruct("Error", {
  flags: Flags,
  sessionId: Int32,
  streamId: Int32,
  receiverId: Int64,
  groupTag: Int64,
  errorCode: Int32,
  text: ByteString(0, ErrorFrame.MAX_TEXT_LENGTH),
  extension: Rest,
  trailing: Rest
})

/**
 * What a receiver needs to know before data. Lengths are in bytes; `mtu` counts the DATA header but not UDP and IP.
 *
 * Flag SEND_RESPONSE 0x80 asks the receiver for a response setup, GROUP 0x40 says that the receivers are a group.
 *
 * @category models
 * @since 0.1.0
 */
export const Setup = Schema.TaggedStruct("Setup", {
  flags: Flags,
  termOffset: Int32,
  sessionId: Int32,
  streamId: Int32,
  initialTermId: Int32,
  activeTermId: Int32,
  termLength: Int32,
  mtu: Int32,
  ttl: Int32,
  extension: Rest,
  trailing: Rest
})

/**
 * Round trip time measurement. A request has flag REPLY 0x80; the reply to it carries the same timestamp back, and how
 * long it lay at the replier. Both are in nanoseconds, of the requester's and of the replier's clock.
 *
 * @category models
 * @since 0.1.0
 */
export const RttMeasurement = Schema.TaggedStruct("RttMeasurement", {
  flags: Flags,
  sessionId: Int32,
  streamId: Int32,
  echoTimestampNs: Int64,
  receptionDeltaNs: Int64,
  receiverId: Int64,
  extension: Rest,
  trailing: Rest
})

/**
 * One name and where it is found: an IPv4 address of 4 bytes or an IPv6 address of 16, a UDP port, and how old the
 * knowledge is. Flag SELF 0x80 marks the driver that sends it. A name has 1 to 512 bytes, each one character.
 *
 * `padding` holds the alignment bytes behind the name (at most 7) when they are not zero. Encoding cuts it, or fills it
 * with zeros, to what the alignment takes.
 *
 * @category models
 * @since 0.1.0
 */
export const ResolutionEntry = Schema.Struct({
  flags: Flags,
  udpPort: Uint16,
  ageMs: Int32,
  address: Schema.Union([
    Schema.Uint8Array.check(
      Schema.isBetweenLength(ResolutionEntryDescriptor.ADDRESS_LENGTH_IP4, ResolutionEntryDescriptor.ADDRESS_LENGTH_IP4)
    ),
    Schema.Uint8Array.check(
      Schema.isBetweenLength(ResolutionEntryDescriptor.ADDRESS_LENGTH_IP6, ResolutionEntryDescriptor.ADDRESS_LENGTH_IP6)
    )
  ]),
  name: ByteString(1, ResolutionEntryDescriptor.MAX_NAME_LENGTH),
  padding: Schema.optionalKey(
    Schema.Uint8Array.check(Schema.isBetweenLength(1, ResolutionEntryDescriptor.ENTRY_ALIGNMENT - 1))
  )
})

/**
 * One entry of a `Resolution`.
 *
 * @category models
 * @since 0.1.0
 */
export type ResolutionEntry = typeof ResolutionEntry.Type

/**
 * Names and addresses that drivers gossip to each other.
 *
 * @category models
 * @since 0.1.0
 */
export const Resolution = Schema.TaggedStruct("Resolution", {
  flags: Flags,
  entries: Schema.NonEmptyArray(ResolutionEntry),
  trailing: Rest
})

/**
 * A responder tells which of its sessions answers a request stream.
 *
 * @category models
 * @since 0.1.0
 */
export const ResponseSetup = Schema.TaggedStruct("ResponseSetup", {
  flags: Flags,
  sessionId: Int32,
  streamId: Int32,
  responseSessionId: Int32,
  extension: Rest,
  trailing: Rest
})

/**
 * A frame of a type that no open driver knows: the premium transport's 0x08 to 0x0A, the extension type 0xFFFF, or one
 * that is still to come. `body` is what follows the common header of 8 bytes.
 *
 * @category models
 * @since 0.1.0
 */
export const Unknown = Schema.TaggedStruct("Unknown", {
  type: Uint16.check(
    Schema.makeFilter((type) => !FrameType.isKnown(type), { expected: "a frame type without a model of its own" })
  ),
  flags: Flags,
  body: Schema.Uint8Array.check(
    Schema.isMaxLength(HeaderDescriptor.MAX_DATAGRAM_LENGTH - HeaderDescriptor.MIN_HEADER_LENGTH)
  ),
  trailing: Rest
})

/**
 * Any frame: a union tagged by `_tag`.
 *
 * **Example** (Matching a frame)
 *
 * ```ts
 * import { Frame } from "@millrace/core"
 *
 * const nak = Frame.Nak.make({ flags: 0, sessionId: 7, streamId: 1001, termId: 3, termOffset: 64, length: 1408 })
 *
 * Frame.Frame.matchOrElse(nak, { Nak: ({ length }) => `${length} bytes lost` }, () => "no loss")
 * // => "1408 bytes lost"
 * ```
 *
 * @category models
 * @since 0.1.0
 */
export const Frame = Schema.Union([
  Data,
  Heartbeat,
  Pad,
  Nak,
  StatusMessage,
  Error,
  Setup,
  RttMeasurement,
  Resolution,
  ResponseSetup,
  Unknown
]).pipe(Schema.toTaggedUnion("_tag"))

/**
 * Any frame.
 *
 * @category models
 * @since 0.1.0
 */
export type Frame = typeof Frame.Type

/**
 * Decodes one frame that begins at the first byte. What the frame length leaves over becomes `trailing`.
 *
 * Payload and other bytes of the result are windows over `bytes`, not copies: copy `bytes` first when its memory is
 * used again.
 *
 * **Example** (Decoding a status message)
 *
 * ```ts
 * import { Frame } from "@millrace/core"
 * import { Result } from "effect"
 *
 * const bytes = Buffer.from("240000000000030039300000e9030000070000000000000000800000ca5ecda77b9c5093", "hex")
 * Result.getOrThrow(Frame.decode(bytes))._tag // => "StatusMessage"
 * ```
 *
 * @category decoding
 * @since 0.1.0
 */
export const decode = (bytes: Uint8Array): Result.Result<Frame, FrameError> => frameDecode.decode(bytes)

/**
 * The bytes of one frame, in memory of their own. DATA is not padded to 32 bytes: `Datagram.encode` does that.
 *
 * A field outside of its range is a mistake of the caller and throws: a frame made with its schema's `make` has none.
 *
 * @category encoding
 * @since 0.1.0
 */
export const encode = (frame: Frame): Uint8Array<ArrayBuffer> => frameEncode.encode(frame)

/**
 * One line for people: the frame's kind, its fields, flags by name, and the first bytes of what it carries.
 *
 * **Example** (Printing a frame)
 *
 * ```ts
 * import { Frame } from "@millrace/core"
 *
 * Frame.format(
 *   Frame.Nak.make({ flags: 0, sessionId: 7, streamId: 1001, termId: 3, termOffset: 64, length: 1408 })
 * ) // => "NAK sessionId=7 streamId=1001 termId=3 termOffset=64 length=1408"
 * ```
 *
 * @category formatting
 * @since 0.1.0
 */
export const format = (frame: Frame): string => frameFormat.format(frame)

/**
 * The names of the flags that are set, in the order of their bits; bits without a name as one hexadecimal number.
 *
 * @category formatting
 * @since 0.1.0
 */
export const flagNames = (frame: Frame): ReadonlyArray<string> => frameFormat.flagNames(frame)

/**
 * Whether a frame is the heartbeat that ends a stream. A revoked stream ends as well.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isEndOfStream = (frame: Frame): boolean =>
  frame._tag === "Heartbeat" && FrameFlags.has(frame.flags, FrameFlags.EOS)

/**
 * Whether a frame is the heartbeat of a revoked publication: what was not delivered yet never will be.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isRevoked = (frame: Frame): boolean =>
  frame._tag === "Heartbeat" && FrameFlags.has(frame.flags, FrameFlags.REVOKED)

/**
 * The schema between bytes and a frame, for places that take a codec. `decode` and `encode` are the direct way and
 * ten times faster, since they need not check what they have built themselves.
 *
 * @category schemas
 * @since 0.1.0
 */
export const FromBytes = Schema.Uint8Array.pipe(
  Schema.decodeTo(Frame, {
    decode: SchemaGetter.transformEffect((bytes: Uint8Array, options) =>
      Result.match(decode(bytes), {
        onSuccess: Effect.succeed,
        onFailure: ({ message }) => Effect.fail(new SchemaIssue.InvalidValue({ message }, bytes, options))
      })
    ),
    encode: SchemaGetter.transform(encode)
  })
)
