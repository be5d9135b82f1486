/** Who waits for the log to be on the device, by position. Positions come in rising order, so the oldest are first. */
import type { FileFailure } from "../mapped/FileSystem.ts"

/** `undefined` when everything up to the position asked for is on the device. */
export type FlushDone = (failure: FileFailure | undefined) => void

interface Waiter {
  readonly position: number
  done: FlushDone | undefined
}

export class FlushWaiters {
  #waiting: Array<Waiter> = []
  #failure: FileFailure | undefined = undefined

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  add(position: number, done: FlushDone): () => void {
    if (this.#failure !== undefined) {
      done(this.#failure)
      return () => undefined
    }
    const waiter: Waiter = { position, done }
    this.#waiting.push(waiter)
    return () => {
      waiter.done = undefined
    }
  }

  /** Wakes all whose position is on the device. */
  release(flushedWhere: number): number {
    const waiting = this.#waiting
    let count = 0
    while (count < waiting.length && waiting[count]!.position <= flushedWhere) {
      count++
    }
    if (count > 0) {
      this.#waiting = waiting.slice(count)
      for (let index = 0; index < count; index++) {
        waiting[index]!.done?.(undefined)
      }
    }
    return count
  }

  fail(failure: FileFailure): void {
    this.#failure = failure
    const waiting = this.#waiting
    this.#waiting = []
    for (const waiter of waiting) {
      waiter.done?.(failure)
    }
  }
}
