/**
 * A broadcast buffer: messages from one transmitter to any number of receivers, in shared memory, without a driver. The
 * transmitter never waits: a receiver that falls more than the capacity behind loses messages, and is told so.
 *
 * Transmitter and receivers may be threads of one process or processes of their own; the layout is Agrona's, so either
 * side may also be a Java or C program. A message is a positive type id and bytes, an eighth of the capacity at most.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Sink from "effect/Sink"
import type * as Stream from "effect/Stream"
import * as BroadcastDescriptor from "./broadcast/BroadcastDescriptor.ts"
import type { BroadcastTransmitter } from "./broadcast/BroadcastTransmitter.ts"
import type { CoreError } from "./CoreError.ts"
import type { IdleStrategy } from "./IdleStrategy.ts"
import * as broadcastFlow from "./internal/broadcastFlow.ts"
import type { Message as BufferMessage } from "./internal/bufferMessages.ts"
import * as structureRegion from "./internal/structureRegion.ts"
import * as Region from "./Region.ts"

/**
 * A broadcast buffer over a region. It lives as long as the region does.
 *
 * @category models
 * @since 0.1.0
 */
export interface Broadcast {
  readonly region: Region.Region
  /** Bytes of records: how far a receiver may fall behind. */
  readonly capacity: number
  /** The longest payload in bytes. */
  readonly maxMessageLength: number
  /** The kernel that writes: synchronous, and throwing where `transmit` fails. */
  readonly transmitter: BroadcastTransmitter
}

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
 * How a receiver follows the buffer.
 *
 * @category models
 * @since 0.1.0
 */
export interface StreamOptions {
  /**
   * What happens when messages were overwritten before they were received: `"fail"` ends the stream with `Lapped`,
   * `"skip"` goes on with the latest message. Default `"fail"`.
   */
  readonly onLapped?: "fail" | "skip"
  /** Messages of one array of the stream at most. Default 256. */
  readonly batchMax?: number
  /** How to wait for messages. Default `IdleStrategy.park()`: a message is seen within 1 to 50 ms when it was quiet. */
  readonly idle?: IdleStrategy
}

const shape: structureRegion.Shape = {
  format: "broadcast buffer",
  isValidLength: BroadcastDescriptor.isValidLength,
  validLengths: `a power of two from ${BroadcastDescriptor.CAPACITY_MIN} to 2^30, plus ${BroadcastDescriptor.TRAILER_LENGTH}`
}

const construct = (region: Region.Region): Broadcast => new broadcastFlow.BroadcastHandle(region)

/**
 * Bytes of a region for a broadcast buffer that holds `capacity` bytes of records: a power of two, from 16 to 2^30.
 *
 * **Example** (Making room for a broadcast)
 *
 * ```ts
 * import * as Broadcast from "@millrace/core/Broadcast"
 *
 * Broadcast.regionLength(64 * 1024) // => 65664
 * ```
 *
 * @category sizes
 * @since 0.1.0
 */
export const regionLength = (capacity: number): number => capacity + BroadcastDescriptor.TRAILER_LENGTH

/**
 * The broadcast buffer that fills a region. Fails with `InvalidFormat` when the region's length is not that of one.
 *
 * **When to use**
 *
 * For regions by name (`Region.Regions`), and for memory that came from another thread.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (region: Region.Region): Effect.Effect<Broadcast, CoreError> =>
  structureRegion.over(shape, region, construct)

/**
 * A new broadcast buffer in JavaScript memory, for the fibers of one thread. To share it with a worker make the region
 * first (`Region.heap`), and send its `memory`.
 *
 * **Example** (One price to two readers)
 *
 * ```ts
 * import * as Broadcast from "@millrace/core/Broadcast"
 * import { Effect, Stream } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const prices = yield* Broadcast.heap("prices", 64 * 1024)
 *   yield* Broadcast.transmit(prices, { typeId: 1, payload: Uint8Array.of(42) })
 *   const first = Broadcast.stream(prices).pipe(Stream.take(1), Stream.runCollect)
 *   const read = yield* Effect.all([first, first])
 *   return read.map(([message]) => message?.payload[0])
 * })
 *
 * Effect.runPromise(Effect.scoped(program)) // => [42, 42]
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const heap = (name: string, capacity: number): Effect.Effect<Broadcast, CoreError, Scope.Scope> =>
  structureRegion.heap(shape, name, regionLength(capacity), make)

/**
 * A new broadcast buffer in a file that was not there before: for several processes. The file stays when the scope ends.
 *
 * @category constructors
 * @since 0.1.0
 */
export const create = (
  path: string,
  capacity: number,
  options?: Region.CreateOptions
): Effect.Effect<Broadcast, CoreError, Scope.Scope> =>
  structureRegion.create(shape, path, regionLength(capacity), options, make)

/**
 * The broadcast buffer in a file that another process made.
 *
 * @category constructors
 * @since 0.1.0
 */
export const map = (path: string): Effect.Effect<Broadcast, CoreError, Scope.Scope> =>
  Effect.flatMap(Region.map(path), make)

/**
 * Sends one message to whoever listens. It never waits for a receiver.
 *
 * **Gotchas**
 *
 * A buffer has one transmitter, in all processes together; a second one destroys messages.
 *
 * @category transmitting
 * @since 0.1.0
 */
export const transmit = (self: Broadcast, message: Message): Effect.Effect<void, CoreError> =>
  broadcastFlow.transmit(self.transmitter, message)

/**
 * Sends every message. Fails with `MessageTooLong` for one that the buffer can never take; those before it were sent.
 *
 * **Gotchas**
 *
 * It takes messages as fast as they come: a source that is faster than a receiver laps it.
 *
 * @category transmitting
 * @since 0.1.0
 */
export const sink = (self: Broadcast): Sink.Sink<void, Message, never, CoreError> =>
  broadcastFlow.sink(self.transmitter)

/**
 * Receives messages for as long as it is run; it never ends by itself. Each run is a receiver of its own.
 *
 * **Details**
 *
 * It begins with the latest message that was sent before it started, if there is one, so that a late receiver knows the
 * present state. Fails with `Lapped` when it lost messages, after those it still received, unless `onLapped` says to go
 * on.
 *
 * @category receiving
 * @since 0.1.0
 */
export const stream = (self: Broadcast, options?: StreamOptions): Stream.Stream<Message, CoreError> =>
  broadcastFlow.stream(self.region, options)
