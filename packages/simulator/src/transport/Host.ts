/** A simulated machine: memory, a wall clock, an address, a driver when there is one, and the processes that use it. */
import { SimulatedDriver } from "../../../transport/src/internal/simulatedDriver.ts"
import type { Threading } from "../../../transport/src/internal/driverThreads.ts"
import type { ConcludedSettings } from "../../../transport/src/MediaDriverConfig.ts"
import type { SimulatedNetwork } from "../../../transport/src/media/SimulatedNetwork.ts"
import type { NameResolver } from "../../../transport/src/naming/NameResolver.ts"
import type { SeededRandom } from "../../../transport/src/simulation/SeededRandom.ts"
import { SimulatedClock, type SimulatedTime } from "../../../transport/src/simulation/SimulatedClock.ts"
import { SimulatedFiles } from "../../../transport/src/simulation/SimulatedFiles.ts"
import type { Application } from "./Application.ts"
import { PositionCheck } from "./PositionCheck.ts"
import { addressOf, nameOf } from "./Scenario.ts"

/** What all hosts share. */
export interface Surroundings {
  readonly time: SimulatedTime
  readonly network: SimulatedNetwork
  readonly resolver: NameResolver
  readonly settings: ConcludedSettings
  readonly threading: Threading
}

const KIB = 1024
/** As small as they can be: each seed makes a few drivers. */
const CNC_LENGTHS = {
  toDriver: 64 * KIB + 768,
  toClients: 64 * KIB + 128,
  countersMetadata: 512 * KIB,
  countersValues: 128 * KIB,
  errorLog: 64 * KIB
}

export class Host {
  readonly index: number
  readonly directory: string
  readonly address: Uint8Array
  readonly clock: SimulatedClock
  readonly files = new SimulatedFiles()
  readonly applications: Array<Application> = []
  driver: SimulatedDriver | undefined = undefined
  /** Counts drivers: ids of one say nothing to the next. */
  generation = 0
  /** When a driver that died is started again. */
  restartNs = 0
  positions: PositionCheck | undefined = undefined
  private clockOffsetMs = 0
  /** Until when each thread of the driver stands still. */
  private stalledUntilNs: ReadonlyArray<number> = []
  private readonly surroundings: Surroundings
  private readonly random: SeededRandom

  constructor(index: number, surroundings: Surroundings, random: SeededRandom) {
    this.index = index
    this.directory = `/${nameOf(index)}`
    this.address = addressOf(index)
    this.surroundings = surroundings
    this.random = random
    this.clock = new SimulatedClock(surroundings.time)
  }

  startDriver(): void {
    const { network, resolver, settings, threading } = this.surroundings
    this.generation++
    this.driver = new SimulatedDriver(
      {
        files: this.files,
        directory: this.directory,
        address: this.address,
        clock: this.clock,
        network,
        resolver,
        random: this.random.fork(),
        pid: this.index * 1000 + this.generation
      },
      settings,
      { lengths: CNC_LENGTHS, threading }
    )
    this.positions = new PositionCheck(this.driver.counters)
  }

  killDriver(restartNs: number): void {
    this.driver?.kill()
    this.driver = undefined
    this.positions = undefined
    this.restartNs = restartNs
    for (const application of this.applications) {
      application.isExcused = true
    }
  }

  /** One thread of the driver stands still; without a number all of them. */
  stall(untilNs: number, thread?: number): void {
    this.stalledUntilNs = (this.driver?.agents ?? []).map((_, index) =>
      thread === undefined || thread === index ? untilNs : (this.stalledUntilNs[index] ?? 0)
    )
  }

  isStalled(thread: number, nowNs: number): boolean {
    return nowNs < (this.stalledUntilNs[thread] ?? 0)
  }

  endStalls(): void {
    this.stalledUntilNs = []
  }

  /** Somebody sets the wall clock, which is to end nobody. */
  jumpClock(ms: number): void {
    this.clock.jump(ms)
    this.clockOffsetMs += ms
  }

  /** Somebody sets the clock right again. */
  setClockRight(): void {
    if (this.clockOffsetMs !== 0) {
      this.jumpClock(-this.clockOffsetMs)
    }
  }
}
