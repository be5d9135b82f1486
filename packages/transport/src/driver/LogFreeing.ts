/**
 * Counts the bytes of the driver's logs, and frees those whose streams have ended. Few are freed a tick: unmapping a
 * large log takes long enough to be felt. What cannot be freed now is tried again later, and counted.
 */
import type { RawLog } from "./LogFactory.ts"
import { FREE_FAILS, BYTES_CURRENTLY_MAPPED, type SystemCounters } from "./SystemCounters.ts"

export class LogFreeing {
  private readonly systemCounters: SystemCounters
  private readonly logs: Array<RawLog> = []
  private readonly freedPerTick: number

  constructor(systemCounters: SystemCounters, freedPerTick: number) {
    this.systemCounters = systemCounters
    this.freedPerTick = freedPerTick
  }

  onMapped(log: RawLog): void {
    this.systemCounters.get(BYTES_CURRENTLY_MAPPED).addRelease(log.region.length)
  }

  add(log: RawLog): void {
    this.logs.push(log)
  }

  doWork(): number {
    let workCount = 0
    for (const log of this.logs.splice(0, this.freedPerTick)) {
      workCount += this.free(log)
    }
    return workCount
  }

  /** At the end of the driver: what cannot be freed now never will be. */
  freeAll(): void {
    for (const log of this.logs.splice(0)) {
      log.free()
    }
  }

  private free(log: RawLog): number {
    const length = log.region.length
    if (log.free()) {
      this.systemCounters.get(BYTES_CURRENTLY_MAPPED).addRelease(-length)
      return 1
    }
    this.systemCounters.increment(FREE_FAILS)
    this.logs.push(log)
    return 0
  }
}
