/**
 * Images: the streams that a subscription receives, one a publication (session).
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { FragmentBatch } from "./FragmentBatch.ts"
import type { TransportError } from "./TransportError.ts"

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
  /** The place behind everything read. */
  readonly position: Effect.Effect<number>
  readonly isClosed: Effect.Effect<boolean>
  readonly isEndOfStream: Effect.Effect<boolean>
  /** Owned batches; ends with the image. */
  readonly batches: Stream.Stream<FragmentBatch, TransportError>
  /** Batches that are valid until the next pull; ends with the image. */
  readonly borrowedBatches: Stream.Stream<FragmentBatch, TransportError>
  /** One array a message, safe to keep; ends with the image. */
  readonly stream: Stream.Stream<Uint8Array, TransportError>
  /** Refuses the stream: its publisher is told the reason, at most 1,023 bytes, and this subscription loses it. */
  readonly reject: (reason: string) => Effect.Effect<void, TransportError>
}
