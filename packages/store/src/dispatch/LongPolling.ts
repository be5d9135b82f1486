/**
 * Readers that wait for messages, by queue or for any queue of a topic. They are woken by the dispatch of the message
 * itself. Registering and checking is one step on the store's thread, so no message can arrive between the two.
 */
import type { QueueState } from "../consumequeue/QueueTable.ts"
import type { ArrivalListener } from "./ArrivalListener.ts"

/** Every queue of a topic. */
export const ANY_QUEUE = -1

type Wake = () => void

export class LongPolling implements ArrivalListener {
  readonly #waiting: Map<string, Map<number, Set<Wake>>> = new Map()
  #count = 0

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
        wakes.forEach((wake) => wake())
      }
    }
  }

  #wake(byQueue: Map<number, Set<Wake>>, queueId: number): void {
    const wakes = byQueue.get(queueId)
    if (wakes !== undefined) {
      byQueue.delete(queueId)
      this.#count -= wakes.size
      wakes.forEach((wake) => wake())
    }
  }

  #remove(topic: string, queueId: number, wake: Wake): void {
    const byQueue = this.#waiting.get(topic)
    const wakes = byQueue?.get(queueId)
    if (byQueue !== undefined && wakes?.delete(wake) === true) {
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
