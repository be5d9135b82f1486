import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { CoreError, InvalidFormat } from "../CoreError.ts"
import type { Region } from "../memory/Region.ts"
import { attempt } from "./attempt.ts"

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

/** Makes a new region for a structure. Nothing is made when the length is wrong. */
export const create = <R extends Region>(
  shape: Shape,
  resource: string,
  length: number,
  region: (resource: string, length: number) => Effect.Effect<R, CoreError, Scope.Scope>
): Effect.Effect<R, CoreError, Scope.Scope> =>
  Effect.andThen(checkLength(shape, resource, length), region(resource, length))
