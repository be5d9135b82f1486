/**
 * Which queues the newest records of the log belong to, as their puts knew it: dispatch comes along behind them and need
 * not find out from each record again. With ten thousand topics that took an eighth of a message's time, most of it
 * waiting for memory: a hash map of topics, the name of one, its map of queues.
 *
 * It is only a help. What does not fit is not noted, and what is not noted dispatch finds by itself.
 */
import type { QueueState } from "../consumequeue/QueueTable.ts"

/** Puts wait for dispatch for as long as a turn of the loop, which is some thousand of them. */
const CAPACITY = 8192
const MASK = CAPACITY - 1

export class PutTrail {
  readonly #positions = new Float64Array(CAPACITY)
  readonly #states: Array<QueueState | undefined> = Array.from({ length: CAPACITY }, () => undefined)
  /** Numbers of the oldest place and of the next one. */
  #head = 0
  #tail = 0

  /** Notes the queue of the record at `position`, which is behind all that were noted. */
  note(position: number, state: QueueState): void {
    if (this.#tail - this.#head < CAPACITY) {
      const place = this.#tail & MASK
      this.#positions[place] = position
      this.#states[place] = state
      this.#tail++
    }
  }

  /** The queue of the record at `position`; undefined where it is not known. What was noted of those before is dropped. */
  take(position: number): QueueState | undefined {
    while (this.#head < this.#tail) {
      const place = this.#head & MASK
      const noted = this.#positions[place]!
      if (noted > position) {
        return undefined
      }
      this.#head++
      if (noted === position) {
        return this.#states[place]
      }
    }
    return undefined
  }

  /** Drops everything: records that were noted did not get into the log, and others may take their places. */
  clear(): void {
    this.#head = this.#tail
  }
}
