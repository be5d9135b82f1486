/** The side of the thread that starts a worker; `agentWorkerMain` is the other. */
import { Worker } from "node:worker_threads"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { AgentRunner, RunWorkerOptions } from "../AgentRunner.ts"
import { AgentFailed, CoreError } from "../CoreError.ts"
import * as IdleStrategy from "../IdleStrategy.ts"
import { hasLibc } from "../native/Platform.ts"
import { WakeDescriptor } from "../native/WakeDescriptor.ts"
import { attempt } from "./attempt.ts"
import { atMostOncePerSecond, logging } from "./errorReporter.ts"
import { systemClock } from "./systemClock.ts"
import type { FromWorker, ToWorker, WorkerSetup } from "./workerProtocol.ts"

const STOP_TIMEOUT_MS = 5_000

interface Running {
  readonly worker: Worker
  /** The agent's role name, once it has started. */
  readonly ready: Deferred.Deferred<string, CoreError>
  /** The agent was closed, or the worker is gone. */
  readonly ended: Deferred.Deferred<void, CoreError>
}

export const run = Effect.fnUntraced(function* (
  options: RunWorkerOptions
): Effect.fn.Return<AgentRunner, CoreError, Scope.Scope> {
  const context = yield* Effect.context<never>()
  const name = options.entry.pathname
  const onError = options.onError ?? atMostOncePerSecond(systemClock, logging(context, name))
  const errorCount = new SharedArrayBuffer(4)
  // Acquired first, so that it is closed after the worker has ended.
  const wakeDescriptor = options.wake ?? (hasLibc ? yield* openWakeDescriptor : undefined)
  const setup: WorkerSetup = {
    data: options.data,
    idle: options.idle ?? IdleStrategy.park(),
    wake: wakeDescriptor?.handle,
    errorCount
  }
  const { worker, ready, ended } = yield* Effect.acquireRelease(
    Effect.sync(() => start(options.entry, setup, onError)),
    (running) => stop(running, options.stopTimeoutMs ?? STOP_TIMEOUT_MS)
  )
  const roleName = yield* Deferred.await(ready)
  return {
    roleName,
    await: Deferred.await(ended),
    errorCount: Effect.sync(() => Atomics.load(new Int32Array(errorCount), 0)),
    wakeUnsafe: wakeDescriptor === undefined ? () => post(worker, { _tag: "wake" }) : () => wakeDescriptor.wake(),
    wakeHandle: wakeDescriptor?.handle
  }
})

const openWakeDescriptor = Effect.acquireRelease(
  attempt(() => WakeDescriptor.open()),
  (descriptor) => Effect.sync(() => descriptor.close())
)

const post = (worker: Worker, message: ToWorker): void => worker.postMessage(message)

const start = (entry: URL, setup: WorkerSetup, onError: (error: unknown) => void): Running => {
  const ready = Deferred.makeUnsafe<string, CoreError>()
  const ended = Deferred.makeUnsafe<void, CoreError>()
  const worker = new Worker(entry, { workerData: setup })
  let roleName = entry.pathname
  const fail = (detail: string, cause: unknown): void => {
    const failure = Effect.fail(new CoreError({ reason: new AgentFailed({ roleName, detail, cause }) }))
    Deferred.doneUnsafe(ready, failure)
    Deferred.doneUnsafe(ended, failure)
  }
  worker.on("message", (message: FromWorker) => {
    switch (message._tag) {
      case "ready":
        roleName = message.roleName
        Deferred.doneUnsafe(ready, Effect.succeed(roleName))
        break
      case "failed":
        fail(`it could not start: ${messageOf(message.error)}`, message.error)
        break
      case "error":
        onError(message.error)
        break
      case "stopped":
        Deferred.doneUnsafe(ended, Effect.void)
        break
    }
  })
  worker.on("error", (error) => fail(`its worker died: ${messageOf(error)}`, error))
  worker.on("exit", (code) => fail(`its worker ended with code ${code} before it was stopped`, undefined))
  return { worker, ready, ended }
}

/** Lets the agent close itself, then ends the thread; one that does not answer in time is ended all the same. */
const stop = ({ worker, ended }: Running, timeoutMs: number): Effect.Effect<void> =>
  Effect.sync(() => post(worker, { _tag: "stop" })).pipe(
    Effect.andThen(Deferred.await(ended)),
    Effect.exit,
    // A finalizer cannot be interrupted, and a timeout is an interruption.
    Effect.interruptible,
    Effect.timeoutOption(timeoutMs),
    Effect.andThen(Effect.promise(() => worker.terminate()))
  )

const messageOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "message" in error ? String(error.message) : String(error)
