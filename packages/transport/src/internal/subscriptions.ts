/** Subscriptions and images as their users hold them, over the kernel's `SubscriptionImages` and `ImageReader`. */
import { FragmentBatch } from "@millrace/core/kernel/logbuffer/FragmentBatch"
import { assert } from "@millrace/core/kernel/memory/Assert"
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import type * as Pull from "effect/Pull"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ImageReader } from "../client/ImageReader.ts"
import type { ImageListener, SubscriptionImages } from "../client/SubscriptionImages.ts"
import type { Image } from "../Image.ts"
import type { MessageHandler, MessageHeader, Subscription, SubscriptionOptions, TypedOptions } from "../Subscription.ts"
import {
  DecodeFailed,
  ImageLost,
  ImageRevoked,
  InvalidOption,
  TransportError,
  type TransportErrorReason
} from "../TransportError.ts"
import { type ClientRuntime, closedReason, request } from "./clientRuntime.ts"
import * as schemaCodec from "./schemaCodec.ts"
import { checkChannel } from "./streamOptions.ts"
import { attempt, corruptImage, fail } from "./transportError.ts"
import { waitFor } from "./waitFor.ts"

const BATCH_COUNT_DEFAULT = 4096
const BATCH_BYTES_DEFAULT = 256 * 1024

type Batches = Stream.Stream<FragmentBatch, TransportError>
type BatchPull = Pull.Pull<readonly [FragmentBatch], TransportError>

/** Where batches are read from: all images of a subscription in turn, or one image. */
interface Source {
  /** The image that gave messages to the batch; undefined when there are none now. */
  readonly read: (batch: FragmentBatch) => ImageReader | undefined
  /** Why there will be no more messages; undefined while there may be. `Done` is the end of an image's stream. */
  readonly end: () => Effect.Effect<never, TransportError | Cause.Done> | undefined
}

/** The message of a batch that a handler has just been given: nothing is made for a single one. */
class PolledMessage implements MessageHeader {
  readonly batch: FragmentBatch
  index = 0

  constructor(batch: FragmentBatch) {
    this.batch = batch
  }

  get sessionId(): number {
    return this.batch.sessionId
  }

  get streamId(): number {
    return this.batch.streamId
  }

  get position(): number {
    return this.batch.positions[this.index]!
  }

  get flags(): number {
    return this.batch.flags[this.index]!
  }

  get reservedValue(): bigint {
    return this.batch.reservedValues[this.index]!
  }
}

class SubscriptionHandle {
  readonly client: ClientRuntime
  readonly kernel: SubscriptionImages
  readonly batchCountMax: number
  readonly batchBytesMax: number
  private readonly resource: string
  /** Set while a borrowed batch is out: any other read would give its bytes back under its reader. */
  private borrower: object | undefined = undefined
  private polled: PolledMessage | undefined = undefined

  constructor(client: ClientRuntime, kernel: SubscriptionImages, options: SubscriptionOptions) {
    this.client = client
    this.kernel = kernel
    this.batchCountMax = options.batchCountMax ?? BATCH_COUNT_DEFAULT
    this.batchBytesMax = options.batchBytesMax ?? BATCH_BYTES_DEFAULT
    this.resource = `subscription ${kernel.registrationId} of stream ${kernel.streamId} on ${kernel.channel}`
  }

  closed(): TransportErrorReason {
    return closedReason(this.client, this.resource)
  }

  newBatch(): FragmentBatch {
    return new FragmentBatch(this.batchCountMax)
  }

  /** What polls read into: one for all of them, made by the first. */
  get polledMessage(): PolledMessage {
    this.polled ??= new PolledMessage(this.newBatch())
    return this.polled
  }

  /** Reads and gives back within the call: for owned copies and handlers. */
  assertNotBorrowed(by?: object): void {
    assert(
      this.borrower === undefined || this.borrower === by,
      "a subscription is read by another stream while its borrowed batches are"
    )
  }

  borrow(by: object): void {
    this.assertNotBorrowed(by)
    this.borrower = by
  }

  giveBack(by: object): void {
    if (this.borrower === by) {
      this.borrower = undefined
    }
  }

  readonly allImages: Source = {
    read: (batch) => this.kernel.read(batch, this.batchBytesMax),
    end: () => (this.kernel.isClosed ? fail(this.closed()) : undefined)
  }

  oneImage(image: ImageReader): Source {
    return {
      read: (batch) => {
        if (this.kernel.readOne(image, batch, this.batchBytesMax) > 0) {
          return image
        }
        image.release()
        return undefined
      },
      end: () => this.endOfImage(image)
    }
  }

  private endOfImage(image: ImageReader): Effect.Effect<never, TransportError | Cause.Done> | undefined {
    const { position, sessionId, streamId } = image
    if (image.isPublicationRevoked) {
      return fail(new ImageRevoked({ sessionId, streamId, position }))
    }
    if (image.isEndOfStream) {
      return Cause.done()
    }
    if (image.end === undefined) {
      return undefined
    }
    if (image.corruption !== undefined) {
      return fail(corruptImage(image, this.kernel.channel))
    }
    const isOwnEnd = image.end === "Closed" || this.client.conductor.inactive !== undefined
    return fail(isOwnEnd ? this.closed() : new ImageLost({ sessionId, streamId, position }))
  }
}

/** Each pull waits for messages, copies them and gives the log back before it returns. */
const owned = (handle: SubscriptionHandle, source: Source): Batches =>
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
const borrowed = (handle: SubscriptionHandle, source: Source): Batches =>
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

const messagesOf = (batch: FragmentBatch): Array<Uint8Array> => {
  const messages: Array<Uint8Array> = []
  for (let index = 0; index < batch.count; index++) {
    messages.push(batch.message(index))
  }
  return messages
}

const messages = (batches: Batches): Stream.Stream<Uint8Array, TransportError> =>
  Stream.mapArray(batches, ([batch]) => messagesOf(batch) as [Uint8Array, ...Array<Uint8Array>])

const decodeAll = <A>(
  codec: schemaCodec.MessageCodec<A>,
  batch: FragmentBatch
): Array<Result.Result<A, DecodeFailed>> => {
  const results: Array<Result.Result<A, DecodeFailed>> = []
  for (let index = 0; index < batch.count; index++) {
    try {
      results.push(Result.succeed(codec.decode(batch.message(index))))
    } catch (thrown) {
      const { sessionId, streamId } = batch
      const position = batch.positions[index]!
      results.push(Result.fail(new DecodeFailed({ sessionId, streamId, position, detail: String(thrown) })))
    }
  }
  return results
}

const typedResults = <A>(
  batches: Batches,
  schema: schemaCodec.PlainSchema<A>,
  format: schemaCodec.MessageFormat
): Stream.Stream<Result.Result<A, DecodeFailed>, TransportError> => {
  const codec = schemaCodec.make(schema, format)
  return Stream.mapArray(
    batches,
    ([batch]) => decodeAll(codec, batch) as [Result.Result<A, DecodeFailed>, ...Array<Result.Result<A, DecodeFailed>>]
  )
}

/** Both filters keep the messages of a batch in one array: no effect is made for a single one. */
const typed = <A>(
  batches: Batches,
  schema: schemaCodec.PlainSchema<A>,
  options: TypedOptions | undefined
): Stream.Stream<A, TransportError> => {
  const results = typedResults(batches, schema, options?.format ?? "json")
  if (options?.onInvalid === "skip") {
    return Stream.filterMap(results, identity)
  }
  return Stream.suspend(() => {
    let failure: DecodeFailed | undefined
    const decoded = Stream.takeWhileFilter(results, (result) => {
      failure = Result.isFailure(result) ? result.failure : undefined
      return result
    })
    const end = Stream.suspend(() =>
      failure === undefined ? Stream.empty : Stream.fail(new TransportError({ reason: failure }))
    )
    return Stream.concat(decoded, end)
  })
}

const imageOf = (handle: SubscriptionHandle, reader: ImageReader): Image => {
  const source = handle.oneImage(reader)
  const batches = owned(handle, source)
  const { client } = handle
  return {
    sessionId: reader.sessionId,
    streamId: reader.streamId,
    correlationId: reader.correlationId,
    sourceIdentity: reader.sourceIdentity,
    joinPosition: reader.joinPosition,
    position: Effect.sync(() => reader.position),
    isClosed: Effect.sync(() => reader.isClosed),
    isEndOfStream: Effect.sync(() => reader.isEndOfStream),
    batches,
    borrowedBatches: borrowed(handle, source),
    stream: messages(batches),
    reject: (reason) =>
      request<void>(client, `reject image ${reader.correlationId}`, (handlers) =>
        client.conductor.rejectImage(reader, reason, handlers)
      )
  }
}

/** What comes while nobody pulls waits in a queue: each image once, so it stays small. */
const images = (handle: SubscriptionHandle): Stream.Stream<Image, TransportError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const queue = yield* Queue.unbounded<ImageReader>()
      const listener: ImageListener = {
        onAvailableImage: (image) => void Queue.offerUnsafe(queue, image),
        onUnavailableImage: () => {}
      }
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          for (const image of handle.kernel.current) {
            Queue.offerUnsafe(queue, image)
          }
          handle.kernel.addListener(listener)
        }),
        () => Effect.sync(() => handle.kernel.removeListener(listener))
      )
      const next = waitFor<ImageReader, never>(() => {
        const taken = Queue.takeUnsafe(queue)
        if (taken !== undefined) {
          return taken
        }
        return handle.kernel.isClosed ? fail(handle.closed()) : undefined
      })
      return Stream.map(Stream.fromEffectRepeat(next), (reader) => imageOf(handle, reader))
    })
  )

const poll = (
  handle: SubscriptionHandle,
  handler: MessageHandler,
  limit: number
): Effect.Effect<number, TransportError> =>
  Effect.suspend(() => {
    if (handle.kernel.isClosed) {
      return fail(handle.closed())
    }
    return attempt(() => pollUnsafe(handle, handler, limit))
  })

const pollUnsafe = (handle: SubscriptionHandle, handler: MessageHandler, limit: number): number => {
  handle.assertNotBorrowed()
  const message = handle.polledMessage
  const { batch } = message
  let count = 0
  while (count < limit) {
    const image = handle.kernel.read(batch, handle.batchBytesMax, limit - count)
    if (image === undefined) {
      break
    }
    try {
      for (let index = 0; index < batch.count; index++) {
        message.index = index
        handler(batch.buffer, batch.offsets[index]!, batch.lengths[index]!, message)
      }
    } finally {
      image.release()
    }
    count += batch.count
  }
  return count
}

const subscriptionOf = (handle: SubscriptionHandle): Subscription => {
  const { kernel } = handle
  const batches = owned(handle, handle.allImages)
  return {
    channel: kernel.channel,
    streamId: kernel.streamId,
    registrationId: kernel.registrationId,
    isConnected: Effect.sync(() => kernel.isConnected),
    currentImages: Effect.sync(() => kernel.current.map((reader) => imageOf(handle, reader))),
    images: images(handle),
    poll: (handler, limit) => poll(handle, handler, limit),
    batches,
    borrowedBatches: borrowed(handle, handle.allImages),
    stream: messages(batches),
    typed: (schema, options) => typed(batches, schema, options),
    typedResults: (schema, options) => typedResults(batches, schema, options?.format ?? "json")
  }
}

const checkLimit = (
  option: keyof SubscriptionOptions,
  value: number | undefined
): Effect.Effect<void, TransportError> =>
  value === undefined || (Number.isInteger(value) && value > 0)
    ? Effect.void
    : fail(new InvalidOption({ option, value: String(value), allowed: "a whole number above 0" }))

export const make = Effect.fnUntraced(function* (
  client: ClientRuntime,
  options: SubscriptionOptions
): Effect.fn.Return<Subscription, TransportError, Scope.Scope> {
  const channel = yield* checkChannel(options.channel, options.streamId)
  yield* checkLimit("batchCountMax", options.batchCountMax)
  yield* checkLimit("batchBytesMax", options.batchBytesMax)
  const add = request<SubscriptionImages>(client, `add subscription ${channel} ${options.streamId}`, (handlers) =>
    client.conductor.addSubscription(channel, options.streamId, handlers)
  )
  const close = (kernel: SubscriptionImages): Effect.Effect<void> =>
    Effect.sync(() => {
      client.conductor.closeSubscription(kernel)
      client.wakeDriver()
    })
  const kernel = yield* Effect.acquireRelease(add, close, { interruptible: true })
  return subscriptionOf(new SubscriptionHandle(client, kernel, options))
})
