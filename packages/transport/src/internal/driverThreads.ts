/**
 * The threads of a driver.
 *
 * | threading | caller's event loop | first worker | further workers |
 * | --- | --- | --- | --- |
 * | `invoker` | conductor, sender, receiver | | |
 * | `shared` | | conductor, sender, receiver | |
 * | `sharedNetwork` | | conductor | sender and receiver |
 * | `dedicated` | | conductor | sender; receiver |
 */
import * as AgentRunner from "@millrace/core/AgentRunner"
import type { CoreError } from "@millrace/core/CoreError"
import * as EntryFile from "@millrace/core/EntryFile"
import type { IdleStrategy } from "@millrace/core/IdleStrategy"
import { AgentInvoker } from "@millrace/core/kernel/agent/AgentInvoker"
import { WakeDescriptor } from "@millrace/core/kernel/native/WakeDescriptor"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { DriverInvoker } from "../MediaDriver.ts"
import type { IdleOptions } from "../MediaDriverConfig.ts"
import { conductorOf, type NetworkRole } from "./agentLinks.ts"
import * as AgentRing from "./agentRing.ts"
import * as DriverAgent from "./driverAgent.ts"
import { mediaOf } from "./driverNetwork.ts"
import type { DriverStart } from "./driverStart.ts"
import type { DriverWorkerData } from "./driverWorker.ts"
import { idleOf } from "./threadIdle.ts"

export type Threading = "shared" | "sharedNetwork" | "dedicated" | "invoker"

/** As the labels of counters show it. */
export const LABELS: { readonly [Name in Threading]: string } = {
  shared: "SHARED",
  sharedNetwork: "SHARED_NETWORK",
  dedicated: "DEDICATED",
  invoker: "INVOKER"
}

export const NAMES: ReadonlyArray<string> = Object.keys(LABELS)

/** Programs without types may say anything. */
export const isThreading = (name: string): name is Threading => Object.hasOwn(LABELS, name)

/** Agents of the network with a thread of their own: one line a thread. */
export const NETWORK_THREADS: { readonly [Name in Threading]: ReadonlyArray<ReadonlyArray<NetworkRole>> } = {
  shared: [],
  invoker: [],
  sharedNetwork: [["sender", "receiver"]],
  dedicated: [["sender"], ["receiver"]]
}

/** Whether the network's agents of a driver can have threads of their own: sockets of Node belong to one thread. */
export const isPossible = (threading: Threading, start: Pick<DriverStart, "media">): boolean =>
  NETWORK_THREADS[threading].length === 0 || mediaOf(start) !== "portable"

/** What runs a driver. */
export interface DriverRunner {
  readonly await: Effect.Effect<void, CoreError>
  readonly wakeUnsafe: () => void
}

type Idle = { readonly idle?: IdleStrategy }

/** Of the thread that these agents of the network have; of the conductor's where there are none of them. */
const idleFor = (idles: IdleOptions, threading: Threading, roles: ReadonlyArray<NetworkRole>): Idle => {
  const idle = idleOf(idles, NETWORK_THREADS[threading].length === 0, roles)
  return idle === undefined ? {} : { idle }
}

const startWorker = (data: DriverWorkerData, idle: Idle, wake?: WakeDescriptor) =>
  AgentRunner.runWorker({
    entry: EntryFile.resolve(import.meta.url, "./driverWorker"),
    data,
    ...(wake === undefined ? {} : { wake }),
    ...idle
  })

/** Fails with what `DriverAgent.make` throws, as it is, or with a `CoreError` of the runner. */
export const run = (
  start: DriverStart,
  threading: Threading,
  idles: IdleOptions
): Effect.Effect<DriverRunner, unknown, Scope.Scope> => {
  const idle = idleFor(idles, threading, [])
  if (threading === "invoker") {
    return Effect.try({ try: () => DriverAgent.make(start, AgentRunner.clock), catch: (thrown) => thrown }).pipe(
      Effect.flatMap((agent) => AgentRunner.run(agent, idle))
    )
  }
  const threads = mediaOf(start) === "none" ? [] : NETWORK_THREADS[threading]
  return threads.length === 0
    ? startWorker({ start, roles: [] }, idle)
    : runThreads(start, threads, (roles) => idleFor(idles, threading, roles))
}

/** What the driver's agents throw is logged. */
export const makeInvoker = (start: DriverStart): Effect.Effect<DriverInvoker, unknown, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const { clock } = AgentRunner
      const context = yield* Effect.context<never>()
      const agent = yield* Effect.try({ try: () => DriverAgent.make(start, clock), catch: (thrown) => thrown })
      const logged = (error: unknown): void => void Effect.runForkWith(context)(Effect.logError(error))
      const invoker = new AgentInvoker(agent, logged)
      yield* Effect.try({ try: () => invoker.start(clock.nanoTime()), catch: (thrown) => thrown })
      return { clock, invoker }
    }),
    ({ invoker }) => Effect.sync(() => invoker.close())
  ).pipe(
    Effect.map(({ clock, invoker }) => ({
      directory: start.directory,
      invokeUnsafe: () => invoker.invoke(clock.nanoTime()),
      isTerminatedUnsafe: () => invoker.isClosed
    }))
  )

const openWake = Effect.acquireRelease(
  Effect.sync(() => WakeDescriptor.open()),
  (descriptor) => Effect.sync(() => descriptor.close())
)

/** At the end the network's agents are stopped before the conductor, which then closes their sockets. */
const runThreads = Effect.fnUntraced(function* (
  start: DriverStart,
  threads: ReadonlyArray<ReadonlyArray<NetworkRole>>,
  idleOfThread: (roles: ReadonlyArray<NetworkRole>) => Idle
): Effect.fn.Return<DriverRunner, CoreError, Scope.Scope> {
  const conductorWake = yield* openWake
  const threadWakes = yield* Effect.forEach(threads, () => openWake)
  const wakeOf = (role: NetworkRole): WakeDescriptor => threadWakes[threads.findIndex((roles) => roles.includes(role))]!
  const address = (wake: WakeDescriptor): AgentRing.AgentAddress => ({
    memory: AgentRing.newMemory(),
    wake: wake.handle
  })
  const addresses = {
    conductor: address(conductorWake),
    sender: address(wakeOf("sender")),
    receiver: address(wakeOf("receiver"))
  }
  const driver = { ...start, addresses }
  const conductor = yield* startWorker({ start: driver, roles: [] }, idleOfThread([]), conductorWake)
  const conductorCalls = conductorOf(AgentRing.callerOf(addresses.conductor, () => {}))
  for (const [index, roles] of threads.entries()) {
    const runner = yield* startWorker({ start: driver, roles }, idleOfThread(roles), threadWakes[index])
    // A driver without its sender or receiver is none: the conductor ends, too.
    const tellDeath = Effect.sync(() => roles.forEach((role) => conductorCalls.onAgentDied(role)))
    yield* Effect.forkScoped(runner.await.pipe(Effect.catch(() => tellDeath)))
  }
  return {
    await: conductor.await,
    wakeUnsafe: () => {
      conductorWake.wake()
      threadWakes.forEach((wake) => wake.wake())
    }
  }
})
