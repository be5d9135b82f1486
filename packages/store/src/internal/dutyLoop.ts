/**
 * Runs a store's agents on the event loop. A cycle follows soon after something was put or a sync has ended (`wake`),
 * and otherwise at a pace that slows down while there is nothing to do.
 */
import type { Clock } from "@millrace/core/kernel/agent/Clock"

/** Longest stretch of cycles in one turn of the event loop. */
const TURN_NS = 1_000_000
const TICK_MS_MIN = 5
const TICK_MS_MAX = 100

export class DutyLoop {
  readonly #doWork: (nowNs: number) => number
  readonly #clock: Clock
  readonly #onDefect: (defect: unknown) => void
  readonly #turn: () => void
  #immediate: NodeJS.Immediate | undefined = undefined
  #timer: NodeJS.Timeout | undefined = undefined
  #tickMs = TICK_MS_MIN
  #isStopped = false

  constructor(doWork: (nowNs: number) => number, clock: Clock, onDefect: (defect: unknown) => void) {
    this.#doWork = doWork
    this.#clock = clock
    this.#onDefect = onDefect
    this.#turn = () => this.#runTurn()
  }

  /** Has a cycle run in this turn of the event loop. */
  wake(): void {
    if (this.#immediate === undefined && !this.#isStopped) {
      this.#immediate = setImmediate(this.#turn)
    }
  }

  stop(): void {
    this.#isStopped = true
    clearImmediate(this.#immediate)
    clearTimeout(this.#timer)
    this.#immediate = undefined
    this.#timer = undefined
  }

  #runTurn(): void {
    this.#immediate = undefined
    clearTimeout(this.#timer)
    let count = 0
    try {
      const endNs = this.#clock.nanoTime() + TURN_NS
      let nowNs = endNs - TURN_NS
      do {
        count = this.#doWork(nowNs)
        nowNs = this.#clock.nanoTime()
      } while (count > 0 && nowNs < endNs)
    } catch (defect) {
      this.stop()
      this.#onDefect(defect)
      return
    }
    this.#schedule(count)
  }

  #schedule(count: number): void {
    if (this.#isStopped) {
      return
    }
    if (count > 0) {
      this.#tickMs = TICK_MS_MIN
      this.wake()
    } else {
      this.#timer = setTimeout(this.#turn, this.#tickMs)
      this.#tickMs = Math.min(TICK_MS_MAX, this.#tickMs * 2)
    }
  }
}
