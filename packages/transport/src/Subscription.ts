/**
 * Subscriptions: the receiving end of a channel and stream id, as streams.
 *
 * A subscription never ends by itself: publications (images) come and go. A stream of one image ends with it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Channel } from "./Channel.ts"
import { Client } from "./Client.ts"
import type { FragmentBatch } from "./FragmentBatch.ts"
import type { Image } from "./Image.ts"
import type { MessageFormat, PlainSchema } from "./internal/schemaCodec.ts"
import type { DecodeFailed, TransportError } from "./TransportError.ts"

/**
 * What to subscribe to.
 *
 * @category models
 * @since 0.1.0
 */
export interface SubscriptionOptions {
  /** `aeron:ipc`, or a channel built by `Channel`. */
  readonly channel: string | Channel
  readonly streamId: number
  /** Most messages in one batch. Default 4,096. */
  readonly batchCountMax?: number
  /** About the most bytes of log in one batch. Default 256 KiB. */
  readonly batchBytesMax?: number
}

/**
 * How messages are decoded.
 *
 * @category models
 * @since 0.1.0
 */
export interface TypedOptions {
  /** Default `json`. */
  readonly format?: MessageFormat
  /** What a message that does not decode does to the stream: it fails, the default, or the message is left out. */
  readonly onInvalid?: "fail" | "skip"
}

/**
 * Takes one message: `length` bytes of `bytes` from `offset`, valid during the call alone.
 *
 * @category models
 * @since 0.1.0
 */
export type MessageHandler = (bytes: Uint8Array, offset: number, length: number, header: MessageHeader) => void

/**
 * What is known of a message besides its bytes. One object serves for all: it is valid during the call alone.
 *
 * @category models
 * @since 0.1.0
 */
export interface MessageHeader {
  readonly sessionId: number
  readonly streamId: number
  /** The position behind the message. */
  readonly position: number
  readonly flags: number
  readonly reservedValue: bigint
}

/**
 * A subscription. Its scope closes it: its streams fail with `Closed`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Subscription {
  readonly channel: string
  readonly streamId: number
  readonly registrationId: bigint
  readonly isConnected: Effect.Effect<boolean>
  /** The images that are there now. */
  readonly currentImages: Effect.Effect<ReadonlyArray<Image>>
  /** The images that are there now, then each that comes. */
  readonly images: Stream.Stream<Image, TransportError>
  /** Hands what is there to `handler`, at most `limit` messages, fragmented ones assembled; returns how many. */
  readonly poll: (handler: MessageHandler, limit: number) => Effect.Effect<number, TransportError>
  /** Messages of all images, one image a batch, in batches that may be kept. */
  readonly batches: Stream.Stream<FragmentBatch, TransportError>
  /**
   * As `batches`, without a copy: a batch is the log itself and valid until the next pull. One such stream of a
   * subscription at a time, and nothing else reads it meanwhile.
   */
  readonly borrowedBatches: Stream.Stream<FragmentBatch, TransportError>
  /** One array a message, safe to keep. */
  readonly stream: Stream.Stream<Uint8Array, TransportError>
  /** Decoded messages. */
  readonly typed: <A>(schema: PlainSchema<A>, options?: TypedOptions) => Stream.Stream<A, TransportError>
  /** Decoded messages, those that do not decode among them. */
  readonly typedResults: <A>(
    schema: PlainSchema<A>,
    options?: { readonly format?: MessageFormat }
  ) => Stream.Stream<Result.Result<A, DecodeFailed>, TransportError>
}

/**
 * Adds a subscription. It lives as long as the scope.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: SubscriptionOptions): Effect.Effect<Subscription, TransportError, Client | Scope.Scope> =>
  Effect.flatMap(Client, (client) => client.subscription(options))
