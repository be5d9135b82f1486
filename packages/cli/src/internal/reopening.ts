/**
 * Something in a directory that is looked at again and again, while whoever writes it may end, and begin anew. What is
 * open is opened again when it is no longer what lies in the directory, or could not be read.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { Absent } from "../top/Sample.ts"

export interface Source<R, A, E> {
  readonly directory: string
  readonly open: Effect.Effect<R, E, Scope.Scope>
  readonly read: (opened: R) => Effect.Effect<A, E>
  /** What the directory has now: where it changes, another one lies there. */
  readonly identity: Effect.Effect<string>
}

/** Opens it, which may fail. From then on what fails is told in the place of what was to be read. */
export const reopening = Effect.fnUntraced(function* <R, A, E extends Error>(
  source: Source<R, A, E>
): Effect.fn.Return<Effect.Effect<A | Absent>, E, Scope.Scope> {
  const outer = yield* Effect.scope
  const open = Effect.gen(function* () {
    const scope = yield* Scope.fork(outer)
    const identity = yield* source.identity
    const resource = yield* source.open.pipe(
      Scope.provide(scope),
      Effect.onError(() => Scope.close(scope, Exit.void))
    )
    return { scope, identity, resource }
  })
  let opened: Effect.Success<typeof open> | undefined = yield* open

  const close = Effect.suspend(() => {
    const scope = opened?.scope
    opened = undefined
    return scope === undefined ? Effect.void : Scope.close(scope, Exit.void)
  })
  return Effect.gen(function* () {
    if (opened !== undefined && opened.identity !== (yield* source.identity)) {
      yield* close
    }
    opened ??= yield* open
    return yield* source.read(opened.resource)
  }).pipe(
    Effect.catch((error: E) =>
      Effect.as(close, { directory: source.directory, problem: error.message } satisfies Absent as A | Absent)
    )
  )
})
