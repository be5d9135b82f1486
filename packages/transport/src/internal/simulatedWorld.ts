/** The machines, the network and the time of a simulation, and the agents that run in it: all of them take their turns in each tick. */
import type { AgentRunner } from "@millrace/core/AgentRunner"
import { type Agent, AgentTermination } from "@millrace/core/kernel/agent/Agent"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { SocketAddress } from "../channel/SocketAddress.ts"
import type { ClientListener } from "../client/ClientListener.ts"
import type { ConcludedSettings } from "../MediaDriverConfig.ts"
import { SimulatedNetwork } from "../media/SimulatedNetwork.ts"
import type { Resolution } from "../naming/NameResolver.ts"
import { SeededRandom } from "../simulation/SeededRandom.ts"
import { SimulatedClock, SimulatedTime } from "../simulation/SimulatedClock.ts"
import { SimulatedFiles } from "../simulation/SimulatedFiles.ts"
import type { SimulationService } from "../Simulation.ts"
import type { ClientTimes } from "./clientAssembly.ts"
import type { ClientConnection } from "./clientRuntime.ts"
import { connectClient, SimulatedDriver } from "./simulatedDriver.ts"

/** Datagrams that a socket holds. */
const QUEUE_LENGTH = 10_000
const HOSTS_MAX = 254

interface Machine {
  readonly name: string
  readonly address: Uint8Array
  readonly clock: SimulatedClock
  readonly files: SimulatedFiles
}

/** What a client needs of the driver that it is to use. */
export interface SimulatedHost {
  readonly connect: (
    times: ClientTimes,
    listener: ClientListener
  ) => Effect.Effect<ClientConnection, never, Scope.Scope>
}

export class SimulatedWorld {
  readonly seed: number
  readonly time = new SimulatedTime()
  readonly network: SimulatedNetwork
  private readonly random: SeededRandom
  private readonly machines = new Map<string, Machine>()
  private readonly agents: Array<Agent> = []
  private readonly partitions = new Set<string>()
  private driverCount = 0

  constructor(seed: number) {
    this.seed = seed
    this.random = new SeededRandom(seed)
    const networkRandom = this.random.fork()
    this.network = new SimulatedNetwork({
      nanoTime: () => this.time.nowNs,
      random: () => networkRandom.next(),
      queueLength: QUEUE_LENGTH
    })
    this.network.faults.isPartitioned = (source, target) => this.isPartitioned(source, target)
  }

  /** Time passes, and every agent has its turn. */
  step(ns: number): void {
    this.time.advance(ns)
    for (const agent of this.agents.slice()) {
      agent.doWork(this.time.nowNs)
    }
  }

  partition(a: string, b: string): void {
    this.partitions.add(pairOf(this.machine(a).address, this.machine(b).address))
  }

  /** Nothing goes wrong any more. */
  heal(): void {
    this.partitions.clear()
    this.network.heal()
    this.network.faults.isPartitioned = (source, target) => this.isPartitioned(source, target)
  }

  /** The driver of a machine, until the scope ends. */
  startDriver(
    name: string,
    settings: ConcludedSettings
  ): Effect.Effect<
    { readonly directory: string; readonly terminated: Effect.Effect<void>; readonly host: SimulatedHost },
    never,
    Scope.Scope
  > {
    return Effect.gen({ self: this }, function* () {
      const machine = this.machine(name)
      const directory = `/${name}/aeron-${++this.driverCount}`
      const terminated = yield* Deferred.make<void>()
      const driver = yield* Effect.acquireRelease(
        Effect.sync(() => this.newDriver(machine, directory, settings)),
        (opened) => Effect.sync(() => opened.close())
      )
      yield* this.run({
        roleName: "driver",
        doWork: () => {
          try {
            return driver.doWork()
          } catch (error) {
            if (error instanceof AgentTermination) {
              Deferred.doneUnsafe(terminated, Effect.void)
              return 0
            }
            throw error
          }
        }
      })
      return { directory, terminated: Deferred.await(terminated), host: this.hostOf(machine, directory) }
    })
  }

  private newDriver(machine: Machine, directory: string, settings: ConcludedSettings): SimulatedDriver {
    const { address, clock, files, name } = machine
    const { network } = this
    const resolver = {
      resolve: (host: string) => ({ poll: (): Resolution => this.resolve(host, name) })
    }
    const place = {
      files,
      directory,
      address,
      clock,
      network,
      resolver,
      random: this.random.fork(),
      pid: this.driverCount
    }
    return new SimulatedDriver(place, settings)
  }

  private hostOf(machine: Machine, directory: string): SimulatedHost {
    return {
      connect: (times, listener) =>
        Effect.gen({ self: this }, function* () {
          const client = yield* Effect.acquireRelease(
            Effect.sync(() => connectClient(machine, directory, times, listener)),
            ({ conductor, mappings }) =>
              Effect.sync(() => {
                conductor.onClose()
                mappings.closeAll()
              })
          )
          const runner = yield* this.run(client.conductor)
          return { ...client, runner }
        })
    }
  }

  /** Gives the agent its turns until the scope ends. */
  private run(agent: Agent): Effect.Effect<AgentRunner, never, Scope.Scope> {
    const runner: AgentRunner = {
      roleName: agent.roleName,
      await: Effect.never,
      errorCount: Effect.succeed(0),
      wakeUnsafe: () => {},
      wakeHandle: undefined
    }
    return Effect.acquireRelease(
      Effect.sync(() => {
        this.agents.push(agent)
        return runner
      }),
      () => Effect.sync(() => this.agents.splice(this.agents.indexOf(agent), 1))
    )
  }

  private machine(name: string): Machine {
    const known = this.machines.get(name)
    if (known !== undefined) {
      return known
    }
    const number = (this.machines.size % HOSTS_MAX) + 1
    const machine = {
      name,
      address: Uint8Array.of(10, 0, Math.floor(this.machines.size / HOSTS_MAX), number),
      clock: new SimulatedClock(this.time),
      files: new SimulatedFiles()
    }
    this.machines.set(name, machine)
    return machine
  }

  /** A machine has its address from when it is first spoken of, be it by its peer. */
  private resolve(host: string, self: string): Resolution {
    return { _tag: "Resolved", address: this.machine(host === "localhost" ? self : host).address }
  }

  private isPartitioned(source: SocketAddress, target: SocketAddress): boolean {
    return this.partitions.size > 0 && this.partitions.has(pairOf(source.address, target.address))
  }
}

const pairOf = (a: Uint8Array, b: Uint8Array): string => [a.join("."), b.join(".")].toSorted().join(" ")

/** The machines behind each simulation, which its service does not show. */
const worlds = new WeakMap<SimulationService, SimulatedWorld>()

export const remember = (simulation: SimulationService, world: SimulatedWorld): SimulationService => {
  worlds.set(simulation, world)
  return simulation
}

/** Undefined for a service that no layer made. */
export const worldOf = (simulation: SimulationService): SimulatedWorld | undefined => worlds.get(simulation)
