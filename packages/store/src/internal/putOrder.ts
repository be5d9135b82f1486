/**
 * Keeps the order of puts: those of one queue are stored in the order in which they were called, though bodies of some
 * are compressed in the thread pool first. Puts of other queues pass by.
 */
import * as Effect from "effect/Effect"
import type { MessageInput } from "../commitlog/MessageInput.ts"

/** A put that is not stored yet. It is over when it is stored or given up, and all before it are over. */
class Turn {
  #ahead = 0
  #isDone = false
  #onFirst: (() => void) | undefined = undefined
  readonly #onOver: Array<() => void> = []

  follow(other: Turn): void {
    this.#ahead++
    other.onOver(() => this.#advance())
  }

  onOver(run: () => void): void {
    this.#onOver.push(run)
  }

  #advance(): void {
    this.#ahead--
    if (this.#ahead === 0) {
      this.#onFirst?.()
      this.#endIfOver()
    }
  }

  /** Has `run` called when nothing is ahead, once. */
  whenFirst(run: () => void): void {
    if (this.#ahead === 0) {
      run()
    } else {
      this.#onFirst = run
    }
  }

  /** It is stored, or given up while others are still ahead. */
  done(): void {
    this.#isDone = true
    this.#onFirst = undefined
    this.#endIfOver()
  }

  #endIfOver(): void {
    if (this.#isDone && this.#ahead === 0) {
      for (const run of this.#onOver.splice(0)) {
        run()
      }
    }
  }
}

export class PutOrder {
  /** By queue the last put that is not over. */
  readonly #last: Map<string, Turn> = new Map()

  /** Whether messages can be stored at once: no put before them waits for its turn in one of their queues. */
  isFree(messages: ReadonlyArray<MessageInput>): boolean {
    return this.#last.size === 0 || messages.every((message) => !this.#last.has(nameOf(message)))
  }

  /** Prepares messages, and stores them when it is their turn. */
  inTurn<A, B, E>(
    messages: ReadonlyArray<MessageInput>,
    prepare: Effect.Effect<A>,
    store: (prepared: A) => Effect.Effect<B, E>
  ): Effect.Effect<B, E> {
    return Effect.suspend(() => {
      const turn = this.#take(new Set(messages.map(nameOf)))
      const isFirst = Effect.callback<void>((resume) => turn.whenFirst(() => resume(Effect.void)))
      return prepare.pipe(Effect.tap(isFirst), Effect.flatMap(store), Effect.ensuring(Effect.sync(() => turn.done())))
    })
  }

  #take(queues: ReadonlySet<string>): Turn {
    const turn = new Turn()
    const ahead = new Set<Turn>()
    for (const queue of queues) {
      const last = this.#last.get(queue)
      if (last !== undefined) {
        ahead.add(last)
      }
      this.#last.set(queue, turn)
    }
    for (const other of ahead) {
      turn.follow(other)
    }
    turn.onOver(() => {
      for (const queue of queues) {
        if (this.#last.get(queue) === turn) {
          this.#last.delete(queue)
        }
      }
    })
    return turn
  }
}

const nameOf = ({ queueId, topic }: MessageInput): string => `${queueId ?? 0} ${topic}`
