/**
 * Images: the streams that a subscription receives, one a publication (session).
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { FragmentBatch } from "./FragmentBatch.ts"
import type { ImageEnd as ImageEndKernel } from "./client/ImageReader.ts"
import type { PlainSchema } from "./internal/schemaCodec.ts"
import type {
  BlockHandler,
  ControlledHandler,
  Message,
  MessageHandler,
  RawBlockHandler,
  TypedOptions
} from "./Subscription.ts"
import type { TransportError } from "./TransportError.ts"

/**
 * How an image ended: read to its `EndOfStream`; `Revoked` by its publisher; `Lost`, when it went away before its end
 * was read; `Closed` by its own subscription; or `Corrupt`, when its log holds what cannot be a frame.
 *
 * @category models
 * @since 0.1.0
 */
export type ImageEnd = ImageEndKernel

/**
 * An image came, or went, and how. `position` is behind everything that was read of it.
 *
 * @category models
 * @since 0.1.0
 */
export type ImageEvent =
  | { readonly _tag: "Available"; readonly image: Image }
  | {
      readonly _tag: "Unavailable"
      readonly image: Image
      readonly end: ImageEnd
      readonly position: number
    }

/**
 * One publication's stream as a subscription receives it.
 *
 * **Details**
 *
 * Its streams end at the end of the publication, and fail with `ImageRevoked`, `ImageLost`, or `Corrupt` when its log was
 * written over; the subscription reads its other images on. Closing a publisher and its
 * death look the same from here: data that must be whole carries its own end.
 *
 * @category models
 * @since 0.1.0
 */
export interface Image {
  readonly sessionId: number
  readonly streamId: number
  readonly correlationId: bigint
  /** Where the data comes from: `aeron:ipc`, or the address of the sender. */
  readonly sourceIdentity: string
  /** Where in the stream this subscription joined. */
  readonly joinPosition: number
  readonly initialTermId: number
  /** Bytes of a term of its log. */
  readonly termLength: number
  /** The longest frame, in bytes, with its header. */
  readonly mtuLength: number
  /** The place behind everything read. */
  readonly position: Effect.Effect<number>
  /** The counter that tells the driver and its tools of `position`. */
  readonly subscriberPositionId: number
  readonly isClosed: Effect.Effect<boolean>
  /** Whether everything there will ever be was read. */
  readonly isEndOfStream: Effect.Effect<boolean>
  readonly isPublicationRevoked: Effect.Effect<boolean>
  /** Where the stream ends; Infinity while that is not known. */
  readonly endOfStreamPosition: Effect.Effect<number>
  /** How many transports the stream comes by: 1 of a live one over UDP, 0 of one that is silent. */
  readonly activeTransportCount: Effect.Effect<number>
  /** As `Subscription.poll`, of this image alone. A closed image gives nothing. */
  readonly poll: (handler: MessageHandler, limit: number) => Effect.Effect<number, TransportError>
  /** As `Subscription.controlledPoll`, of this image alone. */
  readonly controlledPoll: (handler: ControlledHandler, limit: number) => Effect.Effect<number, TransportError>
  /**
   * As `poll`, up to a position: no frame is taken that begins at `positionLimit` or behind it. Of a message in fragments
   * the first ones may be taken, and it is handed over when the rest has been.
   */
  readonly boundedPoll: (
    handler: MessageHandler,
    positionLimit: number,
    limit: number
  ) => Effect.Effect<number, TransportError>
  /** As `boundedPoll`, with a handler that says how the poll goes on. */
  readonly boundedControlledPoll: (
    handler: ControlledHandler,
    positionLimit: number,
    limit: number
  ) => Effect.Effect<number, TransportError>
  /** As `Subscription.blockPoll`, of this image alone: one block at most. */
  readonly blockPoll: (handler: BlockHandler, lengthLimit: number) => Effect.Effect<number, TransportError>
  /** As `Subscription.rawPoll`, of this image alone: one block at most. */
  readonly rawPoll: (handler: RawBlockHandler, lengthLimit: number) => Effect.Effect<number, TransportError>
  /** Owned batches; ends with the image. */
  readonly batches: Stream.Stream<FragmentBatch, TransportError>
  /** Batches that are valid until the next pull; ends with the image. */
  readonly borrowedBatches: Stream.Stream<FragmentBatch, TransportError>
  /** One array a message, safe to keep; ends with the image. */
  readonly stream: Stream.Stream<Uint8Array, TransportError>
  /** As `stream`, each with its session and its positions. */
  readonly messages: Stream.Stream<Message, TransportError>
  /** As `messages`, with payloads that are valid until the next pull; ends with the image. */
  readonly borrowedMessages: Stream.Stream<Message, TransportError>
  /** Decoded messages; ends with the image. */
  readonly typed: <A>(schema: PlainSchema<A>, options?: TypedOptions) => Stream.Stream<A, TransportError>
  /** Refuses the stream: its publisher is told the reason, at most 1,023 bytes, and this subscription loses it. */
  readonly reject: (reason: string) => Effect.Effect<void, TransportError>
}
