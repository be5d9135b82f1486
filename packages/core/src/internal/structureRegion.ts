import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { CoreError, InvalidFormat } from "../CoreError.ts"
import type { Region } from "../memory/Region.ts"
import type { CreateOptions } from "../Region.ts"
import { attempt } from "./attempt.ts"
import * as regionScope from "./regionScope.ts"

/** What a structure in shared memory asks of its region. */
export interface Shape {
  readonly format: string
  readonly isValidLength: (length: number) => boolean
  /** The lengths that are valid, in words that follow "must be". */
  readonly validLengths: string
}

const checkLength = (shape: Shape, resource: string, length: number): Effect.Effect<void, CoreError> => {
  if (shape.isValidLength(length)) {
    return Effect.void
  }
  const detail = `its length is ${length} bytes, and must be ${shape.validLengths}`
  return Effect.fail(new CoreError({ reason: new InvalidFormat({ format: shape.format, resource, detail }) }))
}

/**
 * Lays a structure over all of a region. The length comes from a file that anyone may have made: a wrong one is an error
 * of the file, not of the program.
 */
export const over = <A, R extends Region>(
  shape: Shape,
  region: R,
  make: (region: R) => A
): Effect.Effect<A, CoreError> =>
  Effect.andThen(
    checkLength(shape, region.state.name, region.length),
    attempt(() => make(region))
  )

/** Makes a structure of JavaScript memory. Nothing is made when the length is wrong. */
export const heap = <A>(
  shape: Shape,
  name: string,
  length: number,
  make: (region: Region) => Effect.Effect<A, CoreError>
): Effect.Effect<A, CoreError, Scope.Scope> =>
  Effect.andThen(checkLength(shape, name, length), Effect.flatMap(regionScope.heap(name, length), make))

/** Makes a structure in a new file. None is made when the length is wrong. */
export const create = <A>(
  shape: Shape,
  path: string,
  length: number,
  options: CreateOptions | undefined,
  make: (region: Region) => Effect.Effect<A, CoreError>
): Effect.Effect<A, CoreError, Scope.Scope> =>
  Effect.andThen(checkLength(shape, path, length), Effect.flatMap(regionScope.create(path, length, options), make))

/** Lays a structure over the file of another program, to read it. */
export const mapReadOnly = <A>(
  shape: Shape,
  path: string,
  make: (region: Region) => A
): Effect.Effect<A, CoreError, Scope.Scope> =>
  Effect.flatMap(regionScope.map(path, { readOnly: true }), (region) => over(shape, region, make))
