/**
 * Runs agents: in a scoped fiber on the event loop of the application, or in a worker thread of their own.
 *
 * An agent works in duty cycles (`doWork(nowNs): number`). One that throws is reported and counted, and goes on with its
 * next cycle. It is closed when the scope ends, by whatever way that comes; all waits of a runner are waits of an event
 * loop, so interruption, `process.exit` and signals are not held up by a parked agent.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Agent, ErrorHandler } from "./agent/Agent.ts"
import type { Clock } from "./agent/Clock.ts"
import type { CoreError } from "./CoreError.ts"
import type { IdleStrategy } from "./IdleStrategy.ts"
import * as agentFiber from "./internal/agentFiber.ts"
import * as agentWorker from "./internal/agentWorker.ts"
import * as agentWorkerMain from "./internal/agentWorkerMain.ts"
import { systemClock } from "./internal/systemClock.ts"
import type { WakeDescriptor, WakeHandle } from "./native/WakeDescriptor.ts"

/**
 * An agent that is being run.
 *
 * @category models
 * @since 0.1.0
 */
export interface AgentRunner {
  readonly roleName: string
  /** Succeeds when the agent has been closed; fails when its worker died. */
  readonly await: Effect.Effect<void, CoreError>
  /** How often the agent has thrown since it started. */
  readonly errorCount: Effect.Effect<number>
  /** Ends the park of the agent, so that it looks at once at what was put before it. Costs about a microsecond. */
  readonly wakeUnsafe: () => void
  /** Lets other threads wake the agent (`WakeDescriptor.attach`). Undefined for a fiber, and where libc is missing. */
  readonly wakeHandle: WakeHandle | undefined
}

/**
 * How an agent is run in a fiber.
 *
 * @category models
 * @since 0.1.0
 */
export interface RunOptions {
  /** Default `IdleStrategy.park()`. */
  readonly idle?: IdleStrategy | undefined
  /** Default: the machine's clocks. */
  readonly clock?: Clock | undefined
  /** Receives what the agent throws. Must not throw. Default: a log line, one a second at most. */
  readonly onError?: ErrorHandler | undefined
}

/**
 * How an agent is run in a worker.
 *
 * @category models
 * @since 0.1.0
 */
export interface RunWorkerOptions {
  /** The file that calls `workerMain`, from `EntryFile.resolve`. */
  readonly entry: URL
  /** Given to the worker's `build` as a structured clone; shared buffers in it stay shared. */
  readonly data: unknown
  /** Default `IdleStrategy.park()`. */
  readonly idle?: IdleStrategy | undefined
  /** Receives what the agent throws, as plain objects. Default: a log line, one a second at most. */
  readonly onError?: ErrorHandler | undefined
  /** Wakes the agent, where others shall know it before the agent starts. Default: one of the runner's own. */
  readonly wake?: WakeDescriptor | undefined
  /** How long the agent's `onClose` may take, after which the worker is ended. Default 5,000 ms. */
  readonly stopTimeoutMs?: number | undefined
}

/**
 * What a worker builds its agent from.
 *
 * @category models
 * @since 0.1.0
 */
export interface WorkerContext<Data> {
  readonly data: Data
  readonly clock: Clock
}

/**
 * What a worker runs.
 *
 * @category models
 * @since 0.1.0
 */
export interface WorkerAgent {
  readonly agent: Agent
  /** Receives what the agent throws, in the worker. By default the thread that started it is told. */
  readonly onError?: ErrorHandler
}

/**
 * Runs an agent on the event loop of the caller until the scope closes.
 *
 * **Details**
 *
 * The agent keeps the loop for at most a millisecond at a time. Fails with `AgentFailed` when `onStart` throws.
 *
 * **Example** (An agent that counts its duty cycles)
 *
 * ```ts
 * import * as AgentRunner from "@millrace/core/AgentRunner"
 * import * as IdleStrategy from "@millrace/core/IdleStrategy"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   let cycles = 0
 *   const agent = { roleName: "counter", doWork: () => (cycles++, 0) }
 *   yield* AgentRunner.run(agent, { idle: IdleStrategy.yielding })
 *   yield* Effect.sleep("10 millis")
 *   return cycles > 0
 * }).pipe(Effect.scoped)
 *
 * Effect.runPromise(program) // => true
 * ```
 *
 * @category running
 * @since 0.1.0
 */
export const run: (agent: Agent, options?: RunOptions) => Effect.Effect<AgentRunner, CoreError, Scope.Scope> =
  agentFiber.run

/**
 * Starts a worker that runs the agent built by its `workerMain`, and waits until it has started.
 *
 * **Details**
 *
 * When the scope closes the agent is closed on its thread and the worker ends. A worker that cannot build its agent
 * fails this effect with `AgentFailed`, whose `cause` holds the fields of what was thrown; one that dies later fails
 * `await`.
 *
 * @category running
 * @since 0.1.0
 */
export const runWorker: (options: RunWorkerOptions) => Effect.Effect<AgentRunner, CoreError, Scope.Scope> =
  agentWorker.run

/**
 * The whole of a worker's entry file: builds the agent and runs it until the thread that started it says stop.
 *
 * **Example** (The entry file of a worker)
 *
 * ```ts
 * import * as AgentRunner from "@millrace/core/AgentRunner"
 *
 * AgentRunner.workerMain<{ readonly name: string }>(({ data }) => ({
 *   agent: { roleName: data.name, doWork: () => 0 }
 * }))
 * ```
 *
 * @category workers
 * @since 0.1.0
 */
export const workerMain: <Data>(build: (context: WorkerContext<Data>) => WorkerAgent | Promise<WorkerAgent>) => void =
  agentWorkerMain.main

/**
 * The machine's monotonic and wall clocks, for agents that are not run by this module.
 *
 * @category clocks
 * @since 0.1.0
 */
export const clock: Clock = systemClock
