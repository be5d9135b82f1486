/**
 * The live side of a merge: pulls the live stream into the window. Where that is full, it drops from its front what the
 * recording has, and waits for the consumer or the recorder where that is not enough.
 */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import type { MessageStore } from "../MessageStore.ts"
import type { StreamMessage } from "../Recorder.ts"
import type { StoreError } from "../StoreError.ts"
import type { MergeSessions } from "./mergeSessions.ts"
import * as recordedQueue from "./recordedQueue.ts"

type Store = MessageStore["Service"]

/** What is left of a full window when the recording has all of it: room is made seldom, and much of it. */
const LEFT_PART = 0.5

export class LivePump<E> {
  /** How the live stream ended; undefined while it goes on. */
  end: Exit.Exit<void, E | StoreError> | undefined = undefined
  /** Changes whenever there may be something for the consumer. */
  seen = 0
  readonly #store: Store
  readonly #topic: string
  readonly #sessions: MergeSessions
  #wakeConsumer: (() => void) | undefined = undefined
  #wakePump: (() => void) | undefined = undefined

  constructor(store: Store, topic: string, sessions: MergeSessions) {
    this.#store = store
    this.#topic = topic
    this.#sessions = sessions
  }

  run<R>(live: Stream.Stream<StreamMessage, E, R>): Effect.Effect<void, never, R> {
    return live.pipe(
      Stream.runForEachArray((messages) => this.#offer(messages, 0)),
      Effect.exit,
      Effect.flatMap((exit) =>
        Effect.sync(() => {
          this.end = exit
          this.#notify()
        })
      )
    )
  }

  /** Completes when `seen` is no longer what it was. */
  awaitLive(seen: number): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      if (this.seen !== seen) {
        resume(Effect.void)
        return
      }
      this.#wakeConsumer = () => resume(Effect.void)
      return Effect.sync(() => {
        this.#wakeConsumer = undefined
      })
    })
  }

  /** The consumer may have made room. */
  onTaken(): void {
    this.#wakePump?.()
  }

  #notify(): void {
    this.seen++
    this.#wakeConsumer?.()
  }

  #offer(messages: ReadonlyArray<StreamMessage>, from: number): Effect.Effect<void, StoreError> {
    return Effect.suspend(() => {
      const { window } = this.#sessions
      let index = from
      for (; index < messages.length; index++) {
        const message = messages[index]!
        if (!this.#sessions.isSelected(message)) {
          continue
        }
        if (!window.fits(message)) {
          break
        }
        const session = this.#sessions.of(message.streamId, message.sessionId)
        session.live.add(message, session.delivered)
      }
      this.#notify()
      return index === messages.length
        ? Effect.void
        : Effect.andThen(
            this.#makeRoom(messages[index]!),
            Effect.suspend(() => this.#offer(messages, index))
          )
    })
  }

  readonly #makeRoom = Effect.fnUntraced({ self: this }, function* (message: StreamMessage) {
    const { watch, window } = this.#sessions
    while (!window.fits(message)) {
      yield* watch.look
      for (const { live, watched } of this.#sessions.inTurn()) {
        if (live.count > 0 && watched !== undefined) {
          const last = yield* recordedQueue.lastOf(this.#store, this.#topic, watched.queue)
          live.discardTo(last?.position ?? -1, window.bytesMax * LEFT_PART)
        }
      }
      this.#notify()
      if (!window.fits(message)) {
        yield* Effect.raceFirst(this.#awaitRoom(message), this.#awaitRecorder())
      }
    }
  })

  #awaitRoom(message: StreamMessage): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      this.#wakePump = () => {
        if (this.#sessions.window.fits(message)) {
          resume(Effect.void)
        }
      }
      this.#wakePump()
      return Effect.sync(() => {
        this.#wakePump = undefined
      })
    })
  }

  /** Completes when the recording of a session that waits here goes on. */
  #awaitRecorder(): Effect.Effect<void, StoreError> {
    const { watch } = this.#sessions
    return watch.awaitMore(
      ({ cursor, queue }) => {
        const { live } = this.#sessions.of(cursor.streamId, cursor.sessionId)
        return live.count > 0 ? queue.maxOffset : undefined
      },
      { newQueues: true }
    )
  }
}
