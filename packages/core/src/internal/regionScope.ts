import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { CoreError } from "../CoreError.ts"
import { HeapRegion } from "../memory/HeapRegion.ts"
import type { Completion, MappedRegion } from "../memory/MappedRegion.ts"
import type { Region } from "../memory/Region.ts"
import * as Files from "../native/Files.ts"
import * as Mapping from "../native/Mapping.ts"
import type { CreateOptions, MapOptions } from "../Region.ts"
import { attempt, failThrown } from "./attempt.ts"

/** Ties a region to the scope of whoever asked for it. */
const scoped = <A extends Region, E>(acquire: Effect.Effect<A, E>): Effect.Effect<A, E, Scope.Scope> =>
  Effect.acquireRelease(acquire, (region) => Effect.sync(() => region.close()))

export const map = (path: string, options?: MapOptions): Effect.Effect<MappedRegion, CoreError, Scope.Scope> =>
  scoped(attempt(() => Mapping.open(path, options)))

export const heap = (name: string, memory: number | SharedArrayBuffer): Effect.Effect<HeapRegion, never, Scope.Scope> =>
  scoped(Effect.sync(() => new HeapRegion(name, memory)))

export const create = Effect.fnUntraced(function* (
  path: string,
  length: number,
  options?: CreateOptions
): Effect.fn.Return<MappedRegion, CoreError, Scope.Scope> {
  const region = yield* scoped(createUnscoped(path, length, options))
  if (options?.preTouch === true) {
    yield* completion((done) => region.preTouch(done)).pipe(Effect.tapError(() => attempt(() => Files.remove(path))))
  }
  return region
})

export const sync = (region: MappedRegion, offset?: number, length?: number): Effect.Effect<void, CoreError> =>
  completion((done) => region.syncAsync(done, offset, length))

export const prefetch = (region: MappedRegion, offset?: number, length?: number): Effect.Effect<void, CoreError> =>
  completion((done) => region.prefetch(done, offset, length))

const createUnscoped = (
  path: string,
  length: number,
  options?: CreateOptions
): Effect.Effect<MappedRegion, CoreError> =>
  Effect.callback((resume) => {
    const { reserve = true, ...rest } = options ?? {}
    try {
      Mapping.createAsync(path, length, { reserve, ...rest }, (error, region) =>
        resume(region === undefined ? failThrown(error) : Effect.succeed(region))
      )
    } catch (thrown) {
      resume(failThrown(thrown))
    }
  })

/** An interrupted wait leaves the operation to end by itself: the region stays mapped until it has. */
const completion = (start: (done: Completion) => void): Effect.Effect<void, CoreError> =>
  Effect.callback((resume) => {
    try {
      start((error) => resume(error === undefined ? Effect.void : failThrown(error)))
    } catch (thrown) {
      resume(failThrown(thrown))
    }
  })
