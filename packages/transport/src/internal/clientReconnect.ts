/**
 * Takes a client from one driver to the next: waits for a driver to come back, makes everything anew that is still in
 * use, and says so.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { ClientStatus, Unrestored, Undrained } from "../Client.ts"
import type { ClientFailure } from "../client/ClientFailure.ts"
import type { ClientListener } from "../client/ClientListener.ts"
import { drainedPositions } from "../client/Undrained.ts"
import type { TransportError, TransportErrorReason } from "../TransportError.ts"
import { type ConnectOptions, connect } from "./clientConnect.ts"
import { type ClientRuntime, type ClientConnection, type Restorable, spanned } from "./clientRuntime.ts"
import { PublicationHandle } from "./publicationHandle.ts"
import { fail, reasonOfFailure } from "./transportError.ts"

/** Commands that are under way at once while everything is made anew. */
const RESTORE_CONCURRENCY = 16
/** A refusal is tried again: what is in its way may be the remains of the connection before. */
const RETRY_INTERVAL_MS = 250
/** How long: everything that can be made anew waits for it. */
const RETRY_MS_MAX = 2_000

export interface ReconnectOptions extends ConnectOptions {
  /** Undefined = a client that loses its driver has ended. */
  readonly reconnectTimeoutMs: number | undefined
}

/** One connection: what ends it, and the scope that everything of it lies in. */
export interface ScopedConnection {
  readonly connection: ClientConnection
  readonly scope: Scope.Closeable
  readonly failed: Deferred.Deferred<ClientFailure>
}

/** Connects once; the connection ends with `parent`, or before. */
export const openConnection = (
  options: ConnectOptions,
  listener: ClientListener,
  parent: Scope.Scope
): Effect.Effect<ScopedConnection, TransportError> =>
  Effect.gen(function* () {
    const scope = yield* Scope.fork(parent)
    const failed = yield* Deferred.make<ClientFailure>()
    const onFailure = (failure: ClientFailure): void => {
      listener.onFailure(failure)
      // In the middle of the conductor's work: whoever waits for it goes on after that.
      queueMicrotask(() => Deferred.doneUnsafe(failed, Effect.succeed(failure)))
    }
    return yield* connect(options, { ...listener, onFailure }).pipe(
      Effect.map((connection) => ({ connection, scope, failed })),
      Effect.provideService(Scope.Scope, scope),
      spanned("connect", { directory: options.driver.directory }),
      Effect.onError(() => Scope.close(scope, Exit.void))
    )
  })

/** Whether a client that ended like this may go on with another connection. */
export const isRecoverable = (failure: ClientFailure): boolean => failure._tag !== "Corrupt"

/** The driver itself went on: it delivers what it has. */
const isDriverAlive = (failure: ClientFailure): boolean =>
  failure._tag === "ServiceTimeout" || failure._tag === "ClientTimeout" || failure._tag === "Lapped"

/** What was accepted by a driver that is gone. */
const undrainedOf = (client: ClientRuntime, failure: ClientFailure): ReadonlyArray<Undrained> => {
  const undrained: Array<Undrained> = []
  if (isDriverAlive(failure)) {
    return undrained
  }
  const drained = drainedPositions(client.connection.counters)
  for (const restorable of client.restorables) {
    if (restorable instanceof PublicationHandle) {
      const { channel, closedPosition: position, originalRegistrationId, sessionId, streamId } = restorable.kernel
      const bytes = position - (drained.get(originalRegistrationId) ?? position)
      if (bytes > 0) {
        undrained.push({ channel, streamId, sessionId, position, bytes })
      }
    }
  }
  return undrained
}

interface Reconnection {
  readonly client: ClientRuntime
  readonly options: ReconnectOptions
  readonly listener: ClientListener
  readonly scope: Scope.Scope
  readonly tell: (status: ClientStatus) => Effect.Effect<unknown>
}

/** What became of one thing that was to be made anew. */
type Restored = { readonly commit: () => void } | Unrestored

/** Tries again until the connection ends, or for a while. */
const restoreOne = (
  restorable: Restorable,
  connection: ClientConnection,
  deadlineMs: number
): Effect.Effect<Restored> =>
  restorable.restore(connection).pipe(
    Effect.map((commit): Restored => ({ commit })),
    Effect.catch(({ reason }) => {
      if (connection.conductor.inactive !== undefined || performance.now() >= deadlineMs) {
        return Effect.succeed<Restored>({ resource: restorable.resource, reason })
      }
      return Effect.sleep(RETRY_INTERVAL_MS).pipe(Effect.andThen(restoreOne(restorable, connection, deadlineMs)))
    })
  )

/** Makes everything anew that is still in use; nothing of it is used before all of it is there. */
const restoreAll = ({ client, options }: Reconnection, connection: ClientConnection) =>
  Effect.suspend(() => {
    const deadlineMs = performance.now() + Math.min(RETRY_MS_MAX, options.driverTimeoutMs)
    return Effect.forEach(
      Array.from(client.restorables),
      (restorable) =>
        Effect.map(restoreOne(restorable, connection, deadlineMs), (restored) => ({ restorable, restored })),
      { concurrency: RESTORE_CONCURRENCY }
    )
  })

/** Waits until a driver is there, until the deadline, however often none is found within the driver timeout. */
const openNext = (reconnection: Reconnection, deadlineMs: number): Effect.Effect<ScopedConnection, TransportError> =>
  Effect.suspend(() => {
    const { listener, options, scope } = reconnection
    const patienceMs = Math.min(options.driverTimeoutMs, Math.max(0, deadlineMs - performance.now()))
    return openConnection({ ...options, patienceMs }, listener, scope).pipe(
      Effect.catch((error) =>
        error.reason._tag === "DriverNotFound" && performance.now() < deadlineMs
          ? openNext(reconnection, deadlineMs)
          : Effect.fail(error)
      )
    )
  })

/** What was borrowed from the logs of the last connection is still there for a while. */
const closeLater = ({ options, scope }: Reconnection, scoped: ScopedConnection) =>
  Effect.sleep(options.resourceLingerMs).pipe(
    Effect.andThen(Scope.close(scoped.scope, Exit.void)),
    Effect.forkIn(scope)
  )

/** From the end of one connection to the beginning of the next in which everything is made anew. */
const reconnect = Effect.fnUntraced(function* (
  reconnection: Reconnection,
  last: ScopedConnection,
  failure: ClientFailure
): Effect.fn.Return<ScopedConnection, TransportError> {
  const { client, options, tell } = reconnection
  const startMs = performance.now()
  const deadlineMs = startMs + (options.reconnectTimeoutMs ?? 0)
  const undrained = undrainedOf(client, failure)
  const reason = reasonOfFailure(failure, client.directory, "")
  const undrainedBytes = undrained.reduce((sum, { bytes }) => sum + bytes, 0)
  client.wait(reason)
  yield* tell({ _tag: "Waiting", reason, undrained })
  yield* Effect.logWarning(`millrace: waiting for a media driver: ${reason.message}`).pipe(
    Effect.annotateLogs({ reason: reason._tag, undrainedBytes })
  )
  yield* closeLater(reconnection, last)
  for (;;) {
    const scoped = yield* openNext(reconnection, deadlineMs)
    const { conductor } = scoped.connection
    const all = yield* Effect.raceFirst(
      restoreAll(reconnection, scoped.connection),
      Effect.as(Deferred.await(scoped.failed), undefined)
    )
    if (all === undefined || conductor.inactive !== undefined) {
      yield* closeLater(reconnection, scoped)
      if (client.end !== undefined) {
        return yield* fail(client.end)
      }
      continue
    }
    client.connection = scoped.connection
    const unrestored: Array<Unrestored> = []
    for (const { restorable, restored } of all) {
      if ("commit" in restored) {
        restored.commit()
      } else {
        restorable.abandon(restored.reason)
        unrestored.push(restored)
      }
    }
    client.resume()
    const waitedMs = performance.now() - startMs
    yield* tell({ _tag: "Reconnected", clientId: conductor.clientId, reason, waitedMs, undrained, unrestored })
    yield* Effect.logInfo("millrace: reconnected to a media driver").pipe(
      Effect.annotateLogs({
        clientId: String(conductor.clientId),
        pid: scoped.connection.header.pid,
        waitedMs: Math.round(waitedMs),
        unrestored: unrestored.length
      })
    )
    return scoped
  }
})

/** Goes from driver to driver until none comes, and then says why there is no more. */
export const superviseConnections = (
  reconnection: Reconnection,
  first: ScopedConnection,
  onEnd: (reason: TransportErrorReason) => void
): Effect.Effect<void> =>
  Effect.gen(function* () {
    let scoped = first
    for (;;) {
      const failure = yield* Deferred.await(scoped.failed)
      if (!isRecoverable(failure)) {
        return
      }
      scoped = yield* reconnect(reconnection, scoped, failure)
    }
  }).pipe(
    Effect.annotateLogs({ directory: reconnection.client.directory }),
    Effect.catch((error) => Effect.sync(() => onEnd(error.reason)))
  )
