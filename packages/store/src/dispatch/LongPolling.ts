/**
 * Readers that wait for messages, by queue or for any queue of a topic. They are woken by the dispatch of the message
 * itself. Registering and checking is one step on the store's thread, so no message can arrive between the two.
 *
 * Wake-ups run a little later, when the step of the store that caused them has ended: whoever is woken calls the store
 * again, and must find it between two steps.
 */
import type { QueueState } from "../consumequeue/QueueTable.ts"
import type { ArrivalListener } from "./ArrivalListener.ts"

/** Every queue of a topic. */
export const ANY_QUEUE = -1

type Wake = () => void

/** Runs something after the current step, in order. */
export type Later = (run: () => void) => void

export class LongPolling implements ArrivalListener {
  readonly #waiting: Map<string, Map<number, Set<Wake>>> = new Map()
  readonly #later: Later
  #count = 0

  constructor(later: Later) {
    this.#later = later
  }

  /** How many readers wait. */
  get count(): number {
    return this.#count
  }

  /** Has `wake` called at the next arrival, once. Returns a way to stop waiting. */
  add(topic: string, queueId: number, wake: Wake): () => void {
    let byQueue = this.#waiting.get(topic)
    if (byQueue === undefined) {
      byQueue = new Map()
      this.#waiting.set(topic, byQueue)
    }
    let wakes = byQueue.get(queueId)
    if (wakes === undefined) {
      wakes = new Set()
      byQueue.set(queueId, wakes)
    }
    wakes.add(wake)
    this.#count++
    return () => this.#remove(topic, queueId, wake)
  }

  onArrival(queue: QueueState): void {
    const byQueue = this.#waiting.get(queue.topic.name)
    if (byQueue !== undefined) {
      this.#wake(byQueue, queue.queueId)
      this.#wake(byQueue, ANY_QUEUE)
      if (byQueue.size === 0) {
        this.#waiting.delete(queue.topic.name)
      }
    }
  }

  /** Wakes everybody: the store closes, and each finds that out for itself. */
  wakeAll(): void {
    const all = [...this.#waiting.values()]
    this.#waiting.clear()
    this.#count = 0
    for (const byQueue of all) {
      for (const wakes of byQueue.values()) {
        this.#later(() => wakes.forEach((wake) => wake()))
      }
    }
  }

  #wake(byQueue: Map<number, Set<Wake>>, queueId: number): void {
    const wakes = byQueue.get(queueId)
    if (wakes !== undefined) {
      byQueue.delete(queueId)
      this.#count -= wakes.size
      this.#later(() => wakes.forEach((wake) => wake()))
    }
  }

  #remove(topic: string, queueId: number, wake: Wake): void {
    const byQueue = this.#waiting.get(topic)
    const wakes = byQueue?.get(queueId)
    if (byQueue !== undefined && wakes !== undefined && wakes.delete(wake)) {
      this.#count--
      if (wakes.size === 0) {
        byQueue.delete(queueId)
      }
      if (byQueue.size === 0) {
        this.#waiting.delete(topic)
      }
    }
  }
}
