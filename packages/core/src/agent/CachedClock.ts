import type { Clock } from "./Clock.ts"

/**
 * A clock that stands still until it is updated. One reading of the real clock per duty cycle (about 50 ns) then serves
 * everything that is done in it.
 */
export class CachedClock implements Clock {
  #nanoTime: number
  #epochMs: number

  constructor(nanoTime: number = 0, epochMs: number = 0) {
    this.#nanoTime = nanoTime
    this.#epochMs = epochMs
  }

  update(nanoTime: number, epochMs: number): void {
    this.#nanoTime = nanoTime
    this.#epochMs = epochMs
  }

  nanoTime(): number {
    return this.#nanoTime
  }

  epochMs(): number {
    return this.#epochMs
  }
}
