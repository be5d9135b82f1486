/**
 * A ring buffer: messages from one or many producers to one consumer, in shared memory, without a driver. Producers and
 * consumer may be threads of one process or processes of their own; the layout is that of Aeron's and Agrona's rings, so
 * either side may also be a Java or C program.
 *
 * A message is a positive type id and bytes, an eighth of the capacity at most. Order is that of the claims. A message
 * is delivered at most once: what a consumer took is gone from the ring, also when the consumer is interrupted before
 * it handled it.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Sink from "effect/Sink"
import type * as Stream from "effect/Stream"
import type { CoreError } from "./CoreError.ts"
import type { IdleStrategy } from "./IdleStrategy.ts"
import { attempt } from "./internal/attempt.ts"
import { checkLength, type Message as BufferMessage } from "./internal/bufferMessages.ts"
import * as ringBufferFlow from "./internal/ringBufferFlow.ts"
import * as structureRegion from "./internal/structureRegion.ts"
import * as Region from "./Region.ts"
import * as ManyToOne from "./ringbuffer/ManyToOneRingBuffer.ts"
import * as OneToOne from "./ringbuffer/OneToOneRingBuffer.ts"
import type { RingBuffer as RingBufferKernel } from "./ringbuffer/RingBuffer.ts"
import * as RingBufferDescriptor from "./ringbuffer/RingBufferDescriptor.ts"

/**
 * A ring buffer over a region. It lives as long as the region does.
 *
 * **Details**
 *
 * Its methods are the kernel of the functions below: synchronous, and throwing where those fail. `tryClaim`, `commit`
 * and `abort` write a message in place; `read` hands messages on without copying them.
 *
 * @category models
 * @since 0.1.0
 */
export type RingBuffer = RingBufferKernel

/**
 * One message.
 *
 * @category models
 * @since 0.1.0
 */
export interface Message extends BufferMessage {
  /** What the bytes mean, from 1 to 2^31 - 1; the programs at both ends agree on it. */
  readonly typeId: number
  /** From 0 to `maxMessageLength` bytes. A received one is a copy and may be kept. */
  readonly payload: Uint8Array
}

/**
 * How a ring is used. All who share it have to say the same.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /**
   * Whether several threads or processes write to the ring. With `"one"` a write is cheaper, and a second producer
   * destroys messages. Default `"many"`.
   */
  readonly producers?: "many" | "one"
}

/**
 * How a ring is consumed.
 *
 * @category models
 * @since 0.1.0
 */
export interface StreamOptions {
  /** Messages of one array of the stream at most. Default 256. */
  readonly batchMax?: number
  /** How to wait for messages. Default `IdleStrategy.park()`: a message is seen within 1 to 50 ms when the ring was idle. */
  readonly idle?: IdleStrategy
  /**
   * After how long a message that was claimed and never finished is given up, because its producer has died. Must be
   * longer than any living producer takes. Default 10 seconds.
   */
  readonly unblockTimeout?: Duration.Input
}

/**
 * How a sink writes to a ring.
 *
 * @category models
 * @since 0.1.0
 */
export interface SinkOptions {
  /** How to wait for room. Default `IdleStrategy.park()`. */
  readonly idle?: IdleStrategy
}

const shapeOf = (capacityMin: number): structureRegion.Shape => ({
  format: "ring buffer",
  isValidLength: (length) => RingBufferDescriptor.isValidLength(length, capacityMin),
  validLengths: `a power of two from ${capacityMin} to 2^30, plus ${RingBufferDescriptor.TRAILER_LENGTH}`
})

const manyToOne = {
  shape: shapeOf(ManyToOne.CAPACITY_MIN),
  construct: (region: Region.Region): RingBuffer => new ManyToOne.ManyToOneRingBuffer(region.buffer())
}

const oneToOne = {
  shape: shapeOf(OneToOne.CAPACITY_MIN),
  construct: (region: Region.Region): RingBuffer => new OneToOne.OneToOneRingBuffer(region.buffer())
}

const kindOf = (options: Options | undefined) => (options?.producers === "one" ? oneToOne : manyToOne)

/**
 * Bytes of a region for a ring that holds `capacity` bytes of records: a power of two, from 16 to 2^30.
 *
 * **Example** (Making room for a ring)
 *
 * ```ts
 * import * as RingBuffer from "@millrace/core/RingBuffer"
 *
 * RingBuffer.regionLength(64 * 1024) // => 66304
 * ```
 *
 * @category sizes
 * @since 0.1.0
 */
export const regionLength = (capacity: number): number => capacity + RingBufferDescriptor.TRAILER_LENGTH

/**
 * The ring that fills a region. Fails with `InvalidFormat` when the region's length is not that of a ring.
 *
 * **When to use**
 *
 * For regions by name (`Region.Regions`), and for memory that came from another thread.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (region: Region.Region, options?: Options): Effect.Effect<RingBuffer, CoreError> => {
  const { construct, shape } = kindOf(options)
  return structureRegion.over(shape, region, construct)
}

/**
 * A new ring in JavaScript memory, for the fibers of one thread. To share it with a worker make the region first
 * (`Region.heap`), and send its `memory`.
 *
 * **Example** (From one fiber to another)
 *
 * ```ts
 * import * as RingBuffer from "@millrace/core/RingBuffer"
 * import { Effect, Stream } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const ring = yield* RingBuffer.heap("numbers", 64 * 1024)
 *   yield* Stream.range(1, 1000).pipe(
 *     Stream.map((n) => ({ typeId: 1, payload: Uint8Array.of(n) })),
 *     Stream.run(RingBuffer.sink(ring)),
 *     Effect.forkScoped
 *   )
 *   const messages = yield* RingBuffer.stream(ring).pipe(Stream.take(1000), Stream.runCollect)
 *   return messages.length
 * })
 *
 * Effect.runPromise(Effect.scoped(program)) // => 1000
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const heap = (
  name: string,
  capacity: number,
  options?: Options
): Effect.Effect<RingBuffer, CoreError, Scope.Scope> =>
  structureRegion.heap(kindOf(options).shape, name, regionLength(capacity), (region) => make(region, options))

/**
 * A new ring in a file that was not there before: for several processes. The file stays when the scope ends.
 *
 * @category constructors
 * @since 0.1.0
 */
export const create = (
  path: string,
  capacity: number,
  options?: Options & Region.CreateOptions
): Effect.Effect<RingBuffer, CoreError, Scope.Scope> =>
  structureRegion.create(kindOf(options).shape, path, regionLength(capacity), options, (region) =>
    make(region, options)
  )

/**
 * The ring in a file that another process made.
 *
 * @category constructors
 * @since 0.1.0
 */
export const map = (path: string, options?: Options): Effect.Effect<RingBuffer, CoreError, Scope.Scope> =>
  Effect.flatMap(Region.map(path), (region) => make(region, options))

/**
 * Writes one message, without waiting: false when the ring has no room for it now.
 *
 * @category producing
 * @since 0.1.0
 */
export const offer = (self: RingBuffer, message: Message): Effect.Effect<boolean, CoreError> =>
  Effect.andThen(
    checkLength(message, self.maxMessageLength),
    attempt(() => self.write(message.typeId, message.payload, 0, message.payload.length))
  )

/**
 * Writes every message, in order, and waits whenever the ring is full. Fails with `MessageTooLong` for a message that
 * the ring can never take; those before it have been written.
 *
 * @category producing
 * @since 0.1.0
 */
export const sink: (self: RingBuffer, options?: SinkOptions) => Sink.Sink<void, Message, never, CoreError> =
  ringBufferFlow.sink

/**
 * Takes the messages that are there, `limit` at most, without waiting. The caller is the ring's one consumer.
 *
 * @category consuming
 * @since 0.1.0
 */
export const poll = (self: RingBuffer, limit: number = 256): Effect.Effect<ReadonlyArray<Message>, CoreError> =>
  attempt(() => ringBufferFlow.take(self, limit))

/**
 * Takes messages for as long as it is run; it never ends by itself.
 *
 * **Details**
 *
 * While it runs, the ring's heartbeat says so to producers (`consumerHeartbeat`). A message whose producer died while it
 * wrote it is skipped after `unblockTimeout`, with a warning in the log.
 *
 * **Gotchas**
 *
 * A ring has one consumer. Running two streams of one ring in a program is a defect; two programs are not noticed, and
 * destroy each other's messages.
 *
 * @category consuming
 * @since 0.1.0
 */
export const stream: (self: RingBuffer, options?: StreamOptions) => Stream.Stream<Message, CoreError> =
  ringBufferFlow.stream

/**
 * A number that no other caller gets from this ring, in any process: 0, 1, 2, …
 *
 * @category operations
 * @since 0.1.0
 */
export const nextCorrelationId = (self: RingBuffer): Effect.Effect<bigint, CoreError> =>
  attempt(() => self.nextCorrelationId())

/**
 * When the consumer last looked for messages, in epoch milliseconds; undefined when there never was one, or when it has
 * ended.
 *
 * @category operations
 * @since 0.1.0
 */
export const consumerHeartbeat = (self: RingBuffer): Effect.Effect<number | undefined, CoreError> =>
  attempt(() => {
    const epochMs = self.consumerHeartbeatMs
    return epochMs > 0 ? epochMs : undefined
  })

/**
 * Gives up a message at the head that was claimed and not finished, and returns whether there was one. Only for a
 * consumer that knows its producer to be gone; `stream` does it by itself.
 *
 * @category operations
 * @since 0.1.0
 */
export const unblock = (self: RingBuffer): Effect.Effect<boolean, CoreError> => attempt(() => self.unblock())
