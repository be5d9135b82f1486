/** The images of a subscription as their users hold them, and how they come and go. */
import { CONTINUE } from "@millrace/core/kernel/logbuffer/ControlledPoll"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { ImageReader } from "../client/ImageReader.ts"
import type { ControlledHandler } from "../client/MessagePoll.ts"
import type { ImageListener } from "../client/SubscriptionImages.ts"
import type { Image, ImageEvent } from "../Image.ts"
import type { MessageHandler, RawBlockHandler } from "../Subscription.ts"
import type { TransportError } from "../TransportError.ts"
import * as batchStreams from "./batchStreams.ts"
import { requestIn, spanned } from "./clientRuntime.ts"
import type { SubscriptionHandle } from "./subscriptionHandle.ts"
import { attempt } from "./transportError.ts"
import * as typedStreams from "./typedStreams.ts"
import { waitFor } from "./waitFor.ts"

/** As a handler that always goes on. */
export const uncontrolled =
  (handler: MessageHandler): ControlledHandler =>
  (bytes, offset, length, message) => {
    handler(bytes, offset, length, message)
    return CONTINUE
  }

export const imageOf = (handle: SubscriptionHandle, reader: ImageReader): Image => {
  const source = handle.oneImage(reader)
  const batches = batchStreams.owned(handle, source)
  const borrowedBatches = batchStreams.borrowed(handle, source)
  const { client, kernel, connection } = handle
  const { buffers } = reader.log
  /** 0 of an image that is closed. */
  const reading = (read: () => number): Effect.Effect<number, TransportError> =>
    attempt(() => (reader.isClosed ? 0 : read()))
  const pollBlock = (handler: RawBlockHandler, lengthLimit: number): Effect.Effect<number, TransportError> =>
    reading(() => {
      handle.assertNotBorrowed()
      return kernel.pollBlock(reader, handler, lengthLimit)
    })
  return {
    sessionId: reader.sessionId,
    streamId: reader.streamId,
    correlationId: reader.correlationId,
    sourceIdentity: reader.sourceIdentity,
    joinPosition: reader.joinPosition,
    initialTermId: buffers.initialTermId,
    termLength: buffers.termLength,
    mtuLength: buffers.mtuLength,
    position: Effect.sync(() => reader.position),
    subscriberPositionId: reader.subscriberPositionId,
    isClosed: Effect.sync(() => reader.isClosed),
    isEndOfStream: Effect.sync(() => reader.isEndOfStream),
    isPublicationRevoked: Effect.sync(() => reader.isPublicationRevoked),
    endOfStreamPosition: Effect.sync(() => reader.endOfStreamPosition),
    activeTransportCount: Effect.sync(() => reader.activeTransportCount),
    poll: (handler, limit) => {
      const controlled = uncontrolled(handler)
      return reading(() => handle.messagePoll.poll(reader, controlled, limit))
    },
    controlledPoll: (handler, limit) => reading(() => handle.messagePoll.poll(reader, handler, limit)),
    boundedPoll: (handler, positionLimit, limit) => {
      const controlled = uncontrolled(handler)
      return reading(() => handle.messagePoll.poll(reader, controlled, limit, positionLimit))
    },
    boundedControlledPoll: (handler, positionLimit, limit) =>
      reading(() => handle.messagePoll.poll(reader, handler, limit, positionLimit)),
    blockPoll: pollBlock,
    rawPoll: pollBlock,
    batches,
    borrowedBatches,
    stream: batchStreams.payloads(handle, source),
    messages: batchStreams.messages(batches),
    borrowedMessages: batchStreams.messages(borrowedBatches),
    typed: (schema, options) => typedStreams.typed(batches, schema, options),
    reject: (reason) =>
      requestIn<void>(client, connection, {
        description: `reject image ${reader.correlationId}`,
        send: (conductor, handlers) => conductor.rejectImage(reader, reason, handlers)
      }).pipe(spanned("rejectImage", { sessionId: reader.sessionId, streamId: reader.streamId }))
  }
}

/** What comes while nobody pulls waits in a queue: two events an image, so it stays small. */
export const imageEvents = (handle: SubscriptionHandle): Stream.Stream<ImageEvent, TransportError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const queue = yield* Queue.unbounded<ImageEvent>()
      const listener: ImageListener = {
        onAvailableImage: (reader) =>
          void Queue.offerUnsafe(queue, { _tag: "Available", image: imageOf(handle, reader) }),
        onUnavailableImage: (reader) =>
          void Queue.offerUnsafe(queue, {
            _tag: "Unavailable",
            image: imageOf(handle, reader),
            end: reader.end ?? "Lost",
            position: reader.position
          })
      }
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          for (const reader of handle.kernel.current) {
            listener.onAvailableImage(reader)
          }
          handle.addListener(listener)
        }),
        () => Effect.sync(() => handle.removeListener(listener))
      )
      const next = waitFor<ImageEvent, never>(() => Queue.takeUnsafe(queue) ?? handle.end())
      return Stream.fromEffectRepeat(next)
    })
  )

/** The images that are there now, then each that comes. */
export const images = (handle: SubscriptionHandle): Stream.Stream<Image, TransportError> =>
  imageEvents(handle).pipe(
    Stream.filter((event) => event._tag === "Available"),
    Stream.map(({ image }) => image)
  )
