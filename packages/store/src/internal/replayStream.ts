/**
 * A recording as a stream. Sessions are read each from its queue and given in the order of the log, in which they were
 * recorded: of all that is there, the one that lies first. A replay that follows takes what there is at one moment, then
 * what there is at the next.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import type { MessageStore } from "../MessageStore.ts"
import type { Element, Gap, ReplayOptions, To } from "../Replayer.ts"
import { RecordingGap, StoreError } from "../StoreError.ts"
import { QueueWatch, type Watched } from "./queueWatch.ts"
import { gapBefore, type Head, placeFor, type SessionCursor } from "./sessionCursor.ts"

type Store = MessageStore["Service"]

/** Records that are read ahead, of all sessions together, and at least of each. */
const READ_BYTES_MAX = 1024 * 1024
const READ_BYTES_MIN = 16 * 1024
const ARRAY_COUNT_MAX = 256

export const readBytes = (sessionCount: number): number =>
  Math.max(READ_BYTES_MIN, Math.floor(READ_BYTES_MAX / Math.max(1, sessionCount)))

export const gapError = (topic: string, { _tag, ...gap }: Gap): StoreError =>
  new StoreError({ reason: new RecordingGap({ topic, ...gap }) })

export const make = (store: Store, topic: string, options: ReplayOptions): Stream.Stream<Element, StoreError> =>
  Stream.fromPull(
    Effect.gen(function* () {
      const replay = new Replay(store, topic, options)
      yield* replay.watch.look
      return replay.pull
    })
  )

interface Reading {
  readonly watched: Watched
  /** It has come to the end of the replay: nothing more of it is wanted. */
  isDone: boolean
}

type NonEmpty = readonly [Element, ...Array<Element>]

class Replay {
  readonly pull: Pull.Pull<NonEmpty, StoreError>
  readonly watch: QueueWatch
  readonly #topic: string
  readonly #options: ReplayOptions
  readonly #follows: boolean
  readonly #readings: Array<Reading> = []

  constructor(store: Store, topic: string, options: ReplayOptions) {
    this.#topic = topic
    this.#options = options
    this.#follows = options.to === "live"
    this.watch = new QueueWatch(store, topic, options, (watched) => this.#readings.push({ watched, isDone: false }))
    this.pull = Effect.gen({ self: this }, function* () {
      for (;;) {
        const elements = yield* this.#next()
        if (elements.length > 0) {
          return elements as unknown as NonEmpty
        }
        if (!this.#follows && this.#readings.every((reading) => this.#isAtEnd(reading))) {
          return yield* Cause.done()
        }
        yield* this.#awaitMore()
      }
    })
  }

  #isAtEnd(reading: Reading): boolean {
    const { cursor } = reading.watched
    return reading.isDone || (cursor.head === undefined && cursor.offset >= reading.watched.queue.maxOffset)
  }

  #awaitMore(): Effect.Effect<void, StoreError> {
    const wanted = this.#readings.filter((reading) => this.#follows || !this.#isAtEnd(reading))
    const watched = new Set(wanted.map((reading) => reading.watched))
    const offsetOf = (each: Watched) => (watched.has(each) ? each.cursor.offset : undefined)
    const more = this.watch.awaitMore(offsetOf, { newQueues: this.#follows })
    return this.#follows ? Effect.andThen(more, this.watch.look) : more
  }

  /** What comes next; nothing while a session has more that cannot be read yet, for it may come before the others. */
  readonly #next = Effect.fnUntraced({ self: this }, function* () {
    const elements: Array<Element> = []
    while (elements.length === 0) {
      for (const reading of this.#readings) {
        const { cursor, queue } = reading.watched
        if (!reading.isDone) {
          yield* cursor.fetch(queue.maxOffset, readBytes(this.#readings.length))
          reading.isDone = cursor.head !== undefined && isBehind(this.#options.to, cursor.head)
        }
        if (cursor.head === undefined && !this.#isAtEnd(reading)) {
          return elements
        }
      }
      const first = this.#first()
      if (first === undefined) {
        return elements
      }
      const failure = this.#take(first, elements)
      if (failure !== undefined && elements.length === 0) {
        return yield* Effect.fail(failure)
      }
    }
    return elements
  })

  /** The session whose head lies first in the log, and where the head of another comes before its next. */
  #first(): First | undefined {
    let first: First | undefined
    for (const { isDone, watched } of this.#readings) {
      const { cursor } = watched
      const at = isDone ? undefined : cursor.head?.logPosition
      if (at === undefined) {
        continue
      }
      if (first === undefined || at < first.at) {
        first = { cursor, at, bound: first?.at ?? Number.POSITIVE_INFINITY }
      } else if (at < first.bound) {
        first = { ...first, bound: at }
      }
    }
    return first
  }

  /** Takes from one session until another is due. Before a gap that is an error it stops, and answers with that. */
  #take({ bound, cursor }: First, elements: Array<Element>): StoreError | undefined {
    for (let { head } = cursor; head !== undefined && elements.length < ARRAY_COUNT_MAX; { head } = cursor) {
      const { element, logPosition } = head
      if (logPosition > bound || isBehind(this.#options.to, head)) {
        return undefined
      }
      if (element.position > (cursor.delivered ?? -1)) {
        const gap = gapBefore(cursor.delivered, element)
        if (gap !== undefined && this.#options.onGap !== "element") {
          return gapError(this.#topic, gap)
        }
        elements.push(...(gap === undefined ? [] : [gap]), element)
        cursor.delivered = element.position
      }
      cursor.advance()
    }
    return undefined
  }
}

interface First {
  readonly cursor: SessionCursor
  readonly at: number
  readonly bound: number
}

/** Whether a message is behind the end of a replay. */
const isBehind = (to: To | undefined, { element }: Head): boolean => {
  if (to === undefined || typeof to === "string") {
    return false
  }
  if (to instanceof Date) {
    return element.recordedAt! > to.getTime()
  }
  const place = placeFor(to, element)
  return place !== undefined && element.position > place.position
}
