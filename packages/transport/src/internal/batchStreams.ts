/** Batches and messages as streams: owned, to be kept, and borrowed, valid until the next pull. */
import type { FragmentBatch } from "@millrace/core/kernel/logbuffer/FragmentBatch"
import type * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ImageReader } from "../client/ImageReader.ts"
import type { Message } from "../Subscription.ts"
import type { TransportError } from "../TransportError.ts"
import type { Source, SubscriptionHandle } from "./subscriptionHandle.ts"
import { waitFor } from "./waitFor.ts"

export type Batches = Stream.Stream<FragmentBatch, TransportError>
type BatchPull = Pull.Pull<readonly [FragmentBatch], TransportError>
/** Never empty: a source that answers has messages. */
type Payloads = [Uint8Array<ArrayBufferLike>, ...Array<Uint8Array<ArrayBufferLike>>]
type PayloadPull = Pull.Pull<Readonly<Payloads>, TransportError>

/** Each pull waits for messages, copies them and gives the log back before it returns. */
export const owned = (handle: SubscriptionHandle, source: Source): Batches =>
  Stream.fromPull(
    Effect.sync(() => {
      const batch = handle.newBatch()
      const pull: BatchPull = waitFor<readonly [FragmentBatch], Cause.Done>(() => {
        handle.assertNotBorrowed()
        const image = source.read(batch)
        if (image === undefined) {
          return source.end()
        }
        const copy = batch.toOwned()
        image.release()
        return Effect.succeed([copy])
      })
      return pull
    })
  )

/** Each pull gives back the batch of the one before. The last one is given back when the stream's scope closes. */
export const borrowed = (handle: SubscriptionHandle, source: Source): Batches =>
  Stream.fromChannel(
    Channel.fromTransform((_upstream, scope) =>
      Effect.gen(function* () {
        const batch = handle.newBatch()
        let image: ImageReader | undefined
        const giveBack = (): void => {
          image?.release()
          image = undefined
        }
        yield* Scope.addFinalizer(
          scope,
          Effect.sync(() => {
            giveBack()
            handle.giveBack(batch)
          })
        )
        const pull: BatchPull = waitFor<readonly [FragmentBatch], Cause.Done>(() => {
          handle.borrow(batch)
          giveBack()
          image = source.read(batch)
          return image === undefined ? source.end() : Effect.succeed([batch])
        })
        return pull
      })
    )
  )

/** One array a message. Each pull copies a batch in one piece and gives the log back, as `owned` does. */
export const payloads = (
  handle: SubscriptionHandle,
  source: Source
): Stream.Stream<Uint8Array<ArrayBufferLike>, TransportError> =>
  Stream.fromPull(
    Effect.sync(() => {
      const batch = handle.newBatch()
      const pull: PayloadPull = waitFor<Payloads, Cause.Done>(() => {
        handle.assertNotBorrowed()
        const image = source.read(batch)
        if (image === undefined) {
          return source.end()
        }
        const copies = batch.toMessages()
        image.release()
        return Effect.succeed(copies as Payloads)
      })
      return pull
    })
  )

const messagesOf = (batch: FragmentBatch): Array<Message> => {
  const { positions, sessionId, streamId } = batch
  const messages: Array<Message> = []
  let { startPosition } = batch
  for (let index = 0; index < batch.count; index++) {
    const position = positions[index]!
    messages.push({ payload: batch.message(index), sessionId, streamId, startPosition, position })
    startPosition = position
  }
  return messages
}

export const messages = (batches: Batches): Stream.Stream<Message, TransportError> =>
  Stream.mapArray(batches, ([batch]) => messagesOf(batch) as [Message, ...Array<Message>])
