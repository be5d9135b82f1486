/** Shows how long look-ups take in the driver's counters. */
import type { CountersManager } from "@millrace/core/kernel/counters/CountersManager"
import {
  NAME_RESOLVER_MAX_TIME,
  NAME_RESOLVER_TIME_THRESHOLD_EXCEEDED,
  type SystemCounters
} from "../driver/SystemCounters.ts"
import type { NameResolver, PendingResolution } from "./NameResolver.ts"

export class TimedResolver implements NameResolver {
  private readonly next: NameResolver
  private readonly systemCounters: SystemCounters
  private readonly thresholdNs: number
  private readonly nanoTime: () => number

  constructor(next: NameResolver, systemCounters: SystemCounters, thresholdNs: number, nanoTime: () => number) {
    this.next = next
    this.systemCounters = systemCounters
    this.thresholdNs = thresholdNs
    this.nanoTime = nanoTime
  }

  get descriptors(): ReadonlyArray<number> {
    return this.next.descriptors ?? NONE
  }

  init(counters: CountersManager, nowNs: number): void {
    this.next.init?.(counters, nowNs)
  }

  resolve(host: string, parameter: string, isReResolution: boolean): PendingResolution {
    const beginNs = this.nanoTime()
    const pending = this.next.resolve(host, parameter, isReResolution)
    let isMeasured = false
    return {
      poll: () => {
        const resolution = pending.poll()
        if (resolution !== undefined && !isMeasured) {
          isMeasured = true
          this.measure(this.nanoTime() - beginNs)
        }
        return resolution
      }
    }
  }

  doWork(nowNs: number): number {
    return this.next.doWork?.(nowNs) ?? 0
  }

  close(): void {
    this.next.close?.()
  }

  private measure(ns: number): void {
    this.systemCounters.get(NAME_RESOLVER_MAX_TIME).proposeMaxRelease(ns)
    if (ns > this.thresholdNs) {
      this.systemCounters.increment(NAME_RESOLVER_TIME_THRESHOLD_EXCEEDED)
    }
  }
}

const NONE: ReadonlyArray<number> = []
