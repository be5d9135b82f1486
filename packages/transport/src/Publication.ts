/**
 * Publications: streams of messages that subscribers of the same channel and stream id receive, in order.
 *
 * `offer` and its like never wait: they return whether the message was accepted, or why not. `publish` and its like wait
 * for subscribers and for room, and so does `sink`: back pressure reaches the source.
 *
 * @since 0.1.0
 */
import type { BufferClaim } from "@millrace/core/kernel/logbuffer/BufferClaim"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Sink from "effect/Sink"
import { Client } from "./Client.ts"
import type { ReservedValueSupplier as ReservedValueSupplierKernel } from "@millrace/core/kernel/logbuffer/MessageWriter"
import type * as Stream from "effect/Stream"
import type { Channel, ChannelStatus } from "./Channel.ts"
import type { MessageEncoder as MessageEncoderKernel } from "./client/ClientPublication.ts"
import type { MessageFormat, PlainSchema } from "./internal/schemaCodec.ts"
import type { PublicationRejected, TransportError } from "./TransportError.ts"

/**
 * What to publish on.
 *
 * @category models
 * @since 0.1.0
 */
export interface PublicationOptions {
  /** `aeron:ipc`, or a channel built by `Channel`. */
  readonly channel: string | Channel
  readonly streamId: number
  /**
   * How long closing waits for subscribers to read what was published, or over UDP for the driver to send it. It ends
   * early when none of them moves any more. Default 5 seconds.
   */
  readonly linger?: Duration.Input
  /** How long `publish` and `sink` wait for the first subscriber before they fail with `NotConnected`. Default: forever. */
  readonly connectTimeout?: Duration.Input
}

/**
 * What became of an offer.
 *
 * **Details**
 *
 * - `Accepted`: the message will be delivered; `position` is the place behind it in the stream.
 * - `NotConnected`: no subscriber is there.
 * - `BackPressured`: subscribers are there and slower.
 * - `AdminAction`: the log is being rotated; offer again at once.
 * - `Closed`: the publication is closed.
 * - `MaxPositionExceeded`: the stream has reached its last position.
 *
 * @category models
 * @since 0.1.0
 */
export type OfferResult =
  | { readonly _tag: "Accepted"; readonly position: number }
  | { readonly _tag: "NotConnected" }
  | { readonly _tag: "BackPressured" }
  | { readonly _tag: "AdminAction" }
  | { readonly _tag: "Closed" }
  | { readonly _tag: "MaxPositionExceeded" }

/**
 * What became of several messages: the first `accepted` of them were taken. `result` is that of the last attempt: when
 * not all were taken, why.
 *
 * @category models
 * @since 0.1.0
 */
export interface OfferManyResult {
  readonly accepted: number
  readonly result: OfferResult
}

/**
 * Writes message `index` into `bytes` from `offset` and returns its length. The bytes are the log itself, the writer's
 * during the call alone.
 *
 * @category models
 * @since 0.1.0
 */
export type MessageEncoder = MessageEncoderKernel

/**
 * Gives the reserved value of a frame, which is written and not yet visible: a checksum, a timestamp. It is called with
 * the term, the offset of the frame in it and its length, header and all, once for each fragment of a long message.
 *
 * @category models
 * @since 0.1.0
 */
export type ReservedValueSupplier = ReservedValueSupplierKernel

/**
 * A frame of the log to be filled in place: write `length` bytes of payload to `buffer.bytes` from `offset`, then
 * `commit`, or `abort`.
 *
 * @category models
 * @since 0.1.0
 */
export type Claim = BufferClaim

/**
 * A claim, or why there is none.
 *
 * @category models
 * @since 0.1.0
 */
export type ClaimResult =
  | { readonly _tag: "Claimed"; readonly claim: Claim; readonly position: number }
  | Exclude<OfferResult, { readonly _tag: "Accepted" }>

/**
 * A publication. Its scope closes it: later offers answer `Closed`.
 *
 * **Details**
 *
 * With `ClientOptions.reconnect` it goes on with the next driver: a new stream, whose session, positions and registration
 * are others. Until then offers answer `NotConnected`, and whatever waits goes on waiting.
 *
 * @category models
 * @since 0.1.0
 */
export interface Publication {
  readonly channel: string
  readonly streamId: number
  readonly sessionId: number
  readonly registrationId: bigint
  /** The registration that made the stream: another's, when a concurrent publication was there before. */
  readonly originalRegistrationId: bigint
  readonly initialTermId: number
  /** Bytes of a term of its log. */
  readonly termLength: number
  /** Where the stream ends: min(termLength x 2^31, 2^58). */
  readonly positionMax: number
  /** The longest message, in bytes. */
  readonly maxMessageLength: number
  /** The longest message that goes in one frame: the limit of a claim, and of each message of a batch. */
  readonly maxPayloadLength: number
  readonly isConnected: Effect.Effect<boolean>
  /** The place behind everything that was accepted. */
  readonly position: Effect.Effect<number, TransportError>
  /** How far the driver lets the publication go. */
  readonly positionLimit: Effect.Effect<number, TransportError>
  /** How many bytes of log may be offered now, headers and padding among them; the last message may go beyond. */
  readonly availableWindow: Effect.Effect<number, TransportError>
  readonly channelStatus: Effect.Effect<ChannelStatus, TransportError>
  /** The counters of `channelStatus` (-1 over IPC) and `positionLimit`, for tools. */
  readonly channelStatusId: number
  readonly positionLimitId: number
  /** `host:port` of the socket that sends. Empty over IPC. */
  readonly localSocketAddresses: Effect.Effect<ReadonlyArray<string>, TransportError>
  /** Subscribers that refuse this stream, from when this is run; it fails with the end of the client. */
  readonly errors: Stream.Stream<PublicationRejected, TransportError>

  /** Offers one message of at most `maxMessageLength` bytes; an empty one is valid. */
  readonly offer: (
    message: Uint8Array,
    reservedValue?: ReservedValueSupplier
  ) => Effect.Effect<OfferResult, TransportError>
  /** Offers the concatenation of several parts as one message. */
  readonly offerParts: (
    parts: ReadonlyArray<Uint8Array>,
    reservedValue?: ReservedValueSupplier
  ) => Effect.Effect<OfferResult, TransportError>
  /** Offers messages with one claim and one release for up to `maxMessageLength` bytes of them. */
  readonly offerMany: (messages: ReadonlyArray<Uint8Array>) => Effect.Effect<OfferManyResult, TransportError>
  /**
   * Offers `count` messages of at most `lengthMax` bytes, encoded in place, with one claim and one release for up to
   * `maxMessageLength` bytes of them. The fastest way: give the true length when all are equal.
   */
  readonly offerBatch: (
    count: number,
    lengthMax: number,
    encode: MessageEncoder
  ) => Effect.Effect<OfferManyResult, TransportError>
  /** Claims a frame for `length` bytes, at most `maxPayloadLength`. Commit or abort it soon: readers wait for it. */
  readonly tryClaim: (length: number) => Effect.Effect<ClaimResult, TransportError>

  /** Waits until the message is accepted. Fails when it never can be. */
  readonly publish: (message: Uint8Array) => Effect.Effect<void, TransportError>
  /** Waits until all messages are accepted. What was accepted before an interruption stays accepted. */
  readonly publishMany: (messages: ReadonlyArray<Uint8Array>) => Effect.Effect<void, TransportError>
  /** As `offerBatch`, waiting until all messages are accepted. */
  readonly publishBatch: (
    count: number,
    lengthMax: number,
    encode: MessageEncoder
  ) => Effect.Effect<void, TransportError>
  /** Publishes every message of a stream, array by array. */
  readonly sink: Sink.Sink<void, Uint8Array, never, TransportError>
  /** Publishes values by their schema: as JSON, or in Effect's binary form. */
  readonly typed: <A>(schema: PlainSchema<A>, options?: { readonly format?: MessageFormat }) => TypedPublication<A>

  /**
   * Ends the stream at once, for everyone who publishes on it: subscribers lose what they have not read, and their images
   * fail with `ImageRevoked`.
   */
  readonly revoke: Effect.Effect<void>

  /** `offer` without an effect: the position, or one of the negative codes of `OfferResult` in `@millrace/core`. */
  readonly offerUnsafe: (message: Uint8Array) => number
}

/**
 * A publication of values.
 *
 * @category models
 * @since 0.1.0
 */
export interface TypedPublication<A> {
  readonly offer: (value: A) => Effect.Effect<OfferResult, TransportError>
  readonly publish: (value: A) => Effect.Effect<void, TransportError>
  readonly sink: Sink.Sink<void, A, never, TransportError>
}

/**
 * Adds a publication that everyone who publishes on the same channel and stream id of this driver shares.
 *
 * **Details**
 *
 * It lives as long as the scope. Closing waits up to `linger` for subscribers to read what was published.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: PublicationOptions): Effect.Effect<Publication, TransportError, Client | Scope.Scope> =>
  Effect.flatMap(Client, (client) => client.publication(options))
