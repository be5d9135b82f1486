/** The queues of a recording as they come: a cursor for each session that is replayed, and what to wait for. */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { MessageStore, QueueInfo } from "../MessageStore.ts"
import type { Selection } from "../Replayer.ts"
import type { StoreError } from "../StoreError.ts"
import * as recordedQueue from "./recordedQueue.ts"
import { open, type SessionCursor } from "./sessionCursor.ts"

type Store = MessageStore["Service"]

/** A session that is replayed, and its queue as it was at the last look. */
export interface Watched {
  readonly cursor: SessionCursor
  queue: QueueInfo
}

export class QueueWatch {
  readonly #store: Store
  readonly #topic: string
  readonly #selection: Selection
  readonly #turn = Semaphore.makeUnsafe(1)
  readonly #watched = new Map<number, Watched>()
  /** Offsets from which on queues without a cursor are of interest: those that are not selected never. */
  readonly #others = new Map<number, number>()
  readonly #onSession: (watched: Watched) => void
  #hasLooked = false

  constructor(store: Store, topic: string, selection: Selection, onSession: (watched: Watched) => void) {
    this.#store = store
    this.#topic = topic
    this.#selection = selection
    this.#onSession = onSession
  }

  get sessionCount(): number {
    return this.#watched.size
  }

  /** Sees what there is now. Sessions that were not there at the first look are new. */
  readonly look: Effect.Effect<void, StoreError> = Effect.gen({ self: this }, function* () {
    // What was put before the first look is there, whatever is still on its way into the queues.
    const info = yield* this.#hasLooked
      ? this.#store.topic(this.#topic)
      : recordedQueue.settledTopic(this.#store, this.#topic)
    for (const queue of info?.queues ?? []) {
      const watched = this.#watched.get(queue.queueId)
      if (watched !== undefined) {
        watched.queue = queue
      } else if (queue.maxOffset > (this.#others.get(queue.queueId) ?? 0)) {
        yield* this.#open(queue)
      }
    }
    this.#hasLooked = true
  }).pipe((look) => Effect.suspend(() => this.#turn.withPermit(look)))

  readonly #open = Effect.fnUntraced({ self: this }, function* (queue: QueueInfo) {
    const { queueId } = queue
    const cursor = yield* open(this.#store, this.#topic, queue, this.#selection, this.#hasLooked)
    if (cursor === "other") {
      this.#others.set(queueId, Number.MAX_SAFE_INTEGER)
    } else if (cursor === undefined) {
      this.#others.set(queueId, queue.maxOffset)
    } else {
      const watched = { cursor, queue }
      this.#watched.set(queueId, watched)
      this.#onSession(watched)
    }
  })

  /** Completes when a queue has something at or behind the offset that is given for it. Undefined is beyond reach. */
  awaitMore(
    offsetOf: (watched: Watched) => number | undefined,
    options: { readonly newQueues: boolean }
  ): Effect.Effect<void, StoreError> {
    const offsets = new Map(this.#others)
    for (const [queueId, watched] of this.#watched) {
      offsets.set(queueId, offsetOf(watched) ?? Number.MAX_SAFE_INTEGER)
    }
    return this.#store.awaitMessages(this.#topic, offsets, options)
  }
}
