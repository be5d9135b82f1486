/**
 * Counters in shared memory: 64-bit values with a type, a key and a label, which any process may read while their owner
 * counts. They are how a running system shows what it does, at the price of one store.
 *
 * The layout is that of Aeron's counters, metadata first and then values, as they follow each other in its CnC file.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { CoreError } from "./CoreError.ts"
import type { AtomicCounter } from "./counters/AtomicCounter.ts"
import * as CountersDescriptor from "./counters/CountersDescriptor.ts"
import type { CounterAllocation } from "./counters/CountersManager.ts"
import type { CounterRecord as CounterRecordKernel } from "./counters/CountersReader.ts"
import * as countersService from "./internal/countersService.ts"
import * as structureRegion from "./internal/structureRegion.ts"
import type * as Region from "./Region.ts"

/**
 * One counter as it was at one moment: `id`, `typeId`, `value`, `registrationId`, `ownerId`, `referenceId`, `key`,
 * `label`. It is a copy; the fields belong together even when the counter is freed and used again meanwhile.
 *
 * @category models
 * @since 0.1.0
 */
export type CounterRecord = CounterRecordKernel

/**
 * What a new counter is: `typeId` and `label` (380 bytes of UTF-8; a longer one is cut), and if wanted a `key` (112
 * bytes; a longer one is cut), a first `value`, and the ids `registrationId`, `ownerId` and `referenceId`.
 *
 * @category models
 * @since 0.1.0
 */
export type Allocation = CounterAllocation

/**
 * A counter that this program owns.
 *
 * @category models
 * @since 0.1.0
 */
export interface Counter {
  readonly id: number
  readonly get: Effect.Effect<bigint, CoreError>
  readonly set: (value: bigint) => Effect.Effect<void, CoreError>
  /** Adds, atomically, and returns the new value. */
  readonly add: (delta: bigint) => Effect.Effect<bigint, CoreError>
  /** The kernel: synchronous, on numbers, for code that counts millions a second. Throws after the region was closed. */
  readonly unsafe: AtomicCounter
}

/**
 * Counters that can be read.
 *
 * @category models
 * @since 0.1.0
 */
export interface Readable {
  /** How many counters there is room for. */
  readonly capacity: number
  /** Every allocated counter, in the order of ids. */
  readonly list: Effect.Effect<ReadonlyArray<CounterRecord>, CoreError>
  /** One counter; undefined when it is not allocated. */
  readonly get: (id: number) => Effect.Effect<CounterRecord | undefined, CoreError>
  /** The first counter of this type and registration id; undefined when there is none. */
  readonly find: (typeId: number, registrationId: bigint) => Effect.Effect<CounterRecord | undefined, CoreError>
  /** The whole list, now and then every `interval` (1 second by default). It never ends by itself. */
  readonly watch: (interval?: Duration.Input) => Stream.Stream<ReadonlyArray<CounterRecord>, CoreError>
}

/**
 * Counters that can be read, and allocated.
 *
 * @category models
 * @since 0.1.0
 */
export interface Writable extends Readable {
  /** A counter for as long as the scope lasts. `CapacityExhausted` when there is no room. */
  readonly allocate: (allocation: Allocation) => Effect.Effect<Counter, CoreError, Scope.Scope>
}

/**
 * The counters of this program.
 *
 * @category services
 * @since 0.1.0
 */
export class Counters extends Context.Service<Counters, Writable>()("@millrace/core/Counters/Counters") {}

/**
 * Counters that someone else allocates.
 *
 * @category services
 * @since 0.1.0
 */
export class CountersReader extends Context.Service<CountersReader, Readable>()(
  "@millrace/core/Counters/CountersReader"
) {}

/**
 * How counters are kept.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /**
   * How long a freed counter's place stays empty, so that a slow reader does not take the next one for it. Default 1
   * second.
   */
  readonly reuseTimeout?: Duration.Input
}

const shape: structureRegion.Shape = {
  format: "counters",
  isValidLength: countersService.isValidLength,
  validLengths: `a multiple of ${countersService.regionLength(1)}`
}

const REUSE_TIMEOUT_DEFAULT: Duration.Input = CountersDescriptor.FREE_TO_REUSE_TIMEOUT_MS_DEFAULT

/**
 * Bytes of a region for `capacity` counters.
 *
 * **Example** (Making room for a thousand counters)
 *
 * ```ts
 * import * as Counters from "@millrace/core/Counters"
 *
 * Counters.regionLength(1000) // => 640000
 * ```
 *
 * @category sizes
 * @since 0.1.0
 */
export const regionLength: (capacity: number) => number = countersService.regionLength

/**
 * New counters in a region that is all zero. The caller is the only one to allocate in it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (region: Region.Region, options?: Options): Effect.Effect<Writable, CoreError> =>
  Effect.flatMap(
    structureRegion.over(shape, region, (region) => region),
    (region) => countersService.makeWriter(region, options?.reuseTimeout ?? REUSE_TIMEOUT_DEFAULT)
  )

/**
 * New counters in JavaScript memory.
 *
 * **Example** (Counting, and showing the counters)
 *
 * ```ts
 * import * as Counters from "@millrace/core/Counters"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const counters = yield* Counters.heap("app", 100)
 *   const orders = yield* counters.allocate({ typeId: 1000, label: "orders received" })
 *   yield* orders.add(3n)
 *   const list = yield* counters.list
 *   return list.map(({ label, value }) => `${label}: ${value}`)
 * })
 *
 * Effect.runPromise(Effect.scoped(program)) // => ["orders received: 3"]
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const heap = (
  name: string,
  capacity: number,
  options?: Options
): Effect.Effect<Writable, CoreError, Scope.Scope> =>
  structureRegion.heap(shape, name, regionLength(capacity), (region) => make(region, options))

/**
 * New counters in a file that was not there before, for other processes to read. The file stays when the scope ends.
 *
 * @category constructors
 * @since 0.1.0
 */
export const create = (
  path: string,
  capacity: number,
  options?: Options & Region.CreateOptions
): Effect.Effect<Writable, CoreError, Scope.Scope> =>
  structureRegion.create(shape, path, regionLength(capacity), options, (region) => make(region, options))

/**
 * The counters in a file that another process keeps, to be read.
 *
 * @category constructors
 * @since 0.1.0
 */
export const map = (path: string): Effect.Effect<Readable, CoreError, Scope.Scope> =>
  structureRegion.mapReadOnly(shape, path, countersService.makeReader)

/**
 * Counters of this program alone.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerHeap = (options: Options & { readonly capacity: number }): Layer.Layer<Counters, CoreError> =>
  Layer.effect(Counters, heap("counters", options.capacity, options))

/**
 * Counters of this program in a new file, for other processes to read.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerCreate = (
  options: Options & Region.CreateOptions & { readonly path: string; readonly capacity: number }
): Layer.Layer<Counters, CoreError> => Layer.effect(Counters, create(options.path, options.capacity, options))

/**
 * The counters in a file that another process keeps.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerMap = (options: { readonly path: string }): Layer.Layer<CountersReader, CoreError> =>
  Layer.effect(CountersReader, map(options.path))
