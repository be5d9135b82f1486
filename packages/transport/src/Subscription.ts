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
import { ABORT, BREAK, COMMIT, CONTINUE, type Action } from "@millrace/core/kernel/logbuffer/ControlledPoll"
import type { Channel, ChannelStatus } from "./Channel.ts"
import { Client } from "./Client.ts"
import type { FragmentBatch } from "./FragmentBatch.ts"
import type { Image, ImageEvent } from "./Image.ts"
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
 * A message and its place in the stream of its session: what a recorder needs of it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Message {
  readonly payload: Uint8Array
  readonly sessionId: number
  readonly streamId: number
  /** Where it begins: behind the message before it, padding included, or where the subscription joined. */
  readonly startPosition: number
  /** The position behind it. */
  readonly position: number
}

/**
 * What a handler of `controlledPoll` answers for a message.
 *
 * - `Continue`: go on; the position moves at the end of the poll.
 * - `Commit`: move the position behind this message now, and go on.
 * - `Break`: end the poll behind this message.
 * - `Abort`: end the poll before this message; it is given again.
 *
 * @category polling
 * @since 0.1.0
 */
export const ControlledAction = { Continue: CONTINUE, Commit: COMMIT, Break: BREAK, Abort: ABORT } as const

/**
 * One of `ControlledAction`.
 *
 * @category polling
 * @since 0.1.0
 */
export type ControlledAction = Action

/**
 * As `MessageHandler`, with a say in how the poll goes on.
 *
 * @category polling
 * @since 0.1.0
 */
export type ControlledHandler = (
  bytes: Uint8Array,
  offset: number,
  length: number,
  header: MessageHeader
) => ControlledAction

/**
 * Whole frames as they lie in the log, headers and all: `length` bytes of `bytes` from `termOffset`. Padding is among
 * them. The object and its bytes are valid during the call alone.
 *
 * @category polling
 * @since 0.1.0
 */
export interface Block {
  readonly sessionId: number
  readonly streamId: number
  readonly termId: number
  readonly termOffset: number
  readonly length: number
  readonly bytes: Uint8Array
}

/**
 * Takes one block.
 *
 * @category polling
 * @since 0.1.0
 */
export type BlockHandler = (block: Block) => void

/**
 * A block and where it lies on disk: `length` bytes of `file` from `fileOffset`.
 *
 * @category polling
 * @since 0.1.0
 */
export interface RawBlock extends Block {
  /** The driver deletes it when nobody uses it any more; who has opened it can read on. */
  readonly file: string
  readonly fileOffset: number
}

/**
 * Takes one block with its place on disk.
 *
 * @category polling
 * @since 0.1.0
 */
export type RawBlockHandler = (block: RawBlock) => void

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
  /**
   * As `images`, with each image that goes and how it ended. After a reconnection (`ClientOptions.reconnect`) the images
   * of the new driver come by the same stream.
   */
  readonly imageEvents: Stream.Stream<ImageEvent, TransportError>
  /** The image of one session; undefined when there is none. */
  readonly imageBySessionId: (sessionId: number) => Effect.Effect<Image | undefined>
  readonly channelStatus: Effect.Effect<ChannelStatus, TransportError>
  /** The counter of `channelStatus`, for tools; -1 over IPC. */
  readonly channelStatusId: number
  /** `host:port` of the sockets that receive. Empty over IPC. */
  readonly localSocketAddresses: Effect.Effect<ReadonlyArray<string>, TransportError>
  /** The first of `localSocketAddresses`: with port 0 in the channel, the port that the system chose is in it. */
  readonly resolvedEndpoint: Effect.Effect<string | undefined, TransportError>
  /**
   * The channel with the port that the system chose in place of port 0: what publishers are to be told. The channel itself
   * when it names a port; undefined while the port is not known.
   */
  readonly tryResolveChannelEndpointPort: Effect.Effect<string | undefined, TransportError>
  /**
   * Hands what is there to `handler`, at most `limit` messages, fragmented ones assembled; returns how many. A handler that
   * throws dies, and has taken its message: the next poll goes on behind it.
   */
  readonly poll: (handler: MessageHandler, limit: number) => Effect.Effect<number, TransportError>
  /**
   * As `poll`, with a handler that says after each message how the poll goes on. `Break` and `Abort` end it for the image
   * that the message is of. Returns how many messages were taken; an aborted one is not.
   *
   * **Example** (Taking no message that cannot be handled yet)
   *
   * ```ts
   * import { Subscription } from "@millrace/transport"
   *
   * const { Abort, Continue } = Subscription.ControlledAction
   *
   * const pollInto = (subscription: Subscription.Subscription, queue: Array<Uint8Array>, capacity: number) =>
   *   subscription.controlledPoll((bytes, offset, length) => {
   *     if (queue.length === capacity) {
   *       return Abort
   *     }
   *     queue.push(bytes.slice(offset, offset + length))
   *     return Continue
   *   }, 100)
   * ```
   */
  readonly controlledPoll: (handler: ControlledHandler, limit: number) => Effect.Effect<number, TransportError>
  /**
   * Hands over the frames that are there as blocks, one an image, each of at most `lengthLimit` bytes; a first frame that is
   * longer is not handed over. Returns how many bytes they were.
   */
  readonly blockPoll: (handler: BlockHandler, lengthLimit: number) => Effect.Effect<number, TransportError>
  /** As `blockPoll`, with the place of each block on disk. */
  readonly rawPoll: (handler: RawBlockHandler, lengthLimit: number) => Effect.Effect<number, TransportError>
  /**
   * `poll` without an effect, for a loop that waits for nothing else: how many messages were taken, or the negative code
   * `CLOSED` of `OfferResult` in `@millrace/core` once there will be no more.
   */
  readonly pollUnsafe: (handler: MessageHandler, limit: number) => number
  /** Messages of all images, one image a batch, in batches that may be kept. */
  readonly batches: Stream.Stream<FragmentBatch, TransportError>
  /**
   * As `batches`, without a copy: a batch is the log itself and valid until the next pull. One such stream of a
   * subscription at a time, and nothing else reads it meanwhile.
   */
  readonly borrowedBatches: Stream.Stream<FragmentBatch, TransportError>
  /** One array a message, safe to keep. */
  readonly stream: Stream.Stream<Uint8Array, TransportError>
  /** As `stream`, each with its session and its positions. */
  readonly messages: Stream.Stream<Message, TransportError>
  /**
   * As `messages`, without a copy: payloads are valid until the next pull, and only then is the publisher told that they
   * were read. Over IPC the next subscriber joins there: a recorder that stores messages before it pulls loses none by its
   * death. Over UDP it joins where the driver's image is, behind what was received.
   */
  readonly borrowedMessages: Stream.Stream<Message, TransportError>
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
