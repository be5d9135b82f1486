/**
 * Memory of fixed length that is shared: a file mapped into every process that uses it, or JavaScript memory shared by
 * the threads of one process.
 *
 * A region lives as long as the scope it was made in. When that ends its views are emptied and the memory is unmapped;
 * an object that was kept fails with `Closed` from then on, and a typed array that was kept is empty. What was stored in
 * a mapped region stays in its file.
 *
 * **Example** (A region that ends with its scope)
 *
 * ```ts
 * import * as Region from "@millrace/core/Region"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const region = yield* Region.heap("numbers", 64)
 *   region.buffer().int32[0] = 42
 *   return { first: region.buffer().int32[0], region }
 * })
 *
 * Effect.runPromise(Effect.scoped(program)).then(({ first, region }) => [first, region.state.isClosed]) // => [42, true]
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { CoreError } from "./CoreError.ts"
import { attempt } from "./internal/attempt.ts"
import * as regions from "./internal/regions.ts"
import * as regionScope from "./internal/regionScope.ts"
import type { HeapRegion } from "./memory/HeapRegion.ts"
import type { Advice, MappedRegion } from "./memory/MappedRegion.ts"
import type { Region as RegionKernel } from "./memory/Region.ts"

/**
 * Memory of fixed length that several views share.
 *
 * @category models
 * @since 0.1.0
 */
export type Region = RegionKernel

/**
 * How a file is made and mapped.
 *
 * @category models
 * @since 0.1.0
 */
export interface CreateOptions {
  /**
   * Takes the blocks of the whole file at once, so that a full file system is `InsufficientSpace` now and not a dead
   * process at some later store. Default true; false makes a sparse file.
   */
  readonly reserve?: boolean
  /** Permission bits of the new file. Default 0o600. */
  readonly mode?: number
  /** Maps every page for writing before the region is given out: the first stores cost nothing extra. Default false. */
  readonly preTouch?: boolean
}

/**
 * How a file that exists is mapped.
 *
 * @category models
 * @since 0.1.0
 */
export interface MapOptions {
  /** Stores into the region are seen by nobody else and do not reach the file. Default false. */
  readonly readOnly?: boolean
  /** Bytes to map, from the start of the file. Default: all of it. */
  readonly length?: number
}

/**
 * Maps a file that exists.
 *
 * **Example** (Reading a file that another process writes)
 *
 * ```ts
 * import * as Region from "@millrace/core/Region"
 * import { Effect } from "effect"
 *
 * const firstByte = (path: string) =>
 *   Effect.scoped(Effect.map(Region.map(path, { readOnly: true }), (region) => region.buffer().bytes[0]))
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const map: (path: string, options?: MapOptions) => Effect.Effect<MappedRegion, CoreError, Scope.Scope> =
  regionScope.map

/**
 * Makes a file of `length` bytes that was not there before, and maps it. Its blocks are taken in the thread pool. On
 * failure no file is left behind; when the scope ends the file stays.
 *
 * @category constructors
 * @since 0.1.0
 */
export const create: (
  path: string,
  length: number,
  options?: CreateOptions
) => Effect.Effect<MappedRegion, CoreError, Scope.Scope> = regionScope.create

/**
 * A region of JavaScript memory: a new one of so many bytes, or the one whose `memory` another thread has sent.
 *
 * @category constructors
 * @since 0.1.0
 */
export const heap: (name: string, memory: number | SharedArrayBuffer) => Effect.Effect<HeapRegion, never, Scope.Scope> =
  regionScope.heap

/**
 * Waits, without blocking the thread, until `length` bytes from `offset` are on the device; all of them by default.
 *
 * **Gotchas**
 *
 * A store to a page that is being written waits for the device: milliseconds, and a quarter of a second at worst.
 *
 * @category operations
 * @since 0.1.0
 */
export const sync: (region: MappedRegion, offset?: number, length?: number) => Effect.Effect<void, CoreError> =
  regionScope.sync

/**
 * Reads cold bytes in from the device without blocking the thread, so that reading them afterwards does not either.
 *
 * @category operations
 * @since 0.1.0
 */
export const prefetch: (region: MappedRegion, offset?: number, length?: number) => Effect.Effect<void, CoreError> =
  regionScope.prefetch

/**
 * Tells the kernel how the bytes will be used. False where this system does not know the advice.
 *
 * @category operations
 * @since 0.1.0
 */
export const advise = (
  region: MappedRegion,
  advice: Advice,
  offset?: number,
  length?: number
): Effect.Effect<boolean, CoreError> => attempt(() => region.advise(advice, offset, length))

/**
 * Keeps the bytes in memory until the region is closed. More than a few MiB need a privilege: the error says which.
 *
 * @category operations
 * @since 0.1.0
 */
export const lock = (region: MappedRegion, offset?: number, length?: number): Effect.Effect<void, CoreError> =>
  attempt(() => region.lock(offset, length))

/**
 * Regions by name: what a program asks for when it leaves open where its shared memory lies. A name is that of a file,
 * without a folder.
 *
 * @category services
 * @since 0.1.0
 */
export class Regions extends Context.Service<
  Regions,
  {
    /** Makes a region whose name is free. `SystemCallFailed` with code `EEXIST` when it is not. */
    readonly create: (name: string, length: number) => Effect.Effect<Region, CoreError, Scope.Scope>
    /** Another view of a region that exists. `SystemCallFailed` with code `ENOENT` when there is none. */
    readonly open: (name: string) => Effect.Effect<Region, CoreError, Scope.Scope>
    /** Frees the name; regions that are open stay usable. Nothing happens when there is none. */
    readonly remove: (name: string) => Effect.Effect<void, CoreError>
  }
>()("@millrace/core/Region/Regions") {}

/**
 * Regions as files in a directory, which is made (mode 0700) when it is not there: for several processes.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerMapped = (options: {
  readonly directory: string
  /** See `CreateOptions`. Default true. */
  readonly reserve?: boolean
}): Layer.Layer<Regions, CoreError> =>
  Layer.effect(Regions, regions.makeMapped(options.directory, options.reserve ?? true))

/**
 * Regions in JavaScript memory, as long as the layer lives: for tests, and for use inside one process on any platform.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerHeap: Layer.Layer<Regions> = Layer.sync(Regions, regions.makeHeap)
