/**
 * The recorded past, then a live stream. A fiber pulls the live stream into a window of so many bytes; each pull of the
 * consumer takes what follows what it was given, from the window where that has it, else from the recording. Both are
 * joined by position, session by session.
 *
 * There is no gap: a live message leaves the window only into the stream, or because the recording has it. There is no
 * duplicate: only what ends behind what was given is given.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import type { MessageStore } from "../MessageStore.ts"
import type { StreamMessage } from "../Recorder.ts"
import type { Element, MergeOptions, Replayed } from "../Replayer.ts"
import { RecordingBehind, StoreError } from "../StoreError.ts"
import { LivePump } from "./livePump.ts"
import type { MergeSession, MergeSessions } from "./mergeSessions.ts"
import * as mergeSessions from "./mergeSessions.ts"
import * as recordedQueue from "./recordedQueue.ts"
import { gapError, readBytes } from "./replayStream.ts"
import { gapBefore } from "./sessionCursor.ts"

type Store = MessageStore["Service"]

const PATIENCE_DEFAULT = "5 seconds"
const ARRAY_COUNT_MAX = 256

const replayedOf = ({ payload, position, sessionId, startPosition, streamId }: StreamMessage): Replayed => ({
  _tag: "Message",
  payload,
  streamId,
  sessionId,
  startPosition,
  position,
  recordedAt: undefined
})

type NonEmpty = readonly [Element, ...Array<Element>]

export const make = <E, R>(
  store: Store,
  topic: string,
  live: Stream.Stream<StreamMessage, E, R>,
  options: MergeOptions
): Stream.Stream<Element, StoreError | E, R> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const sessions = new mergeSessions.MergeSessions(store, topic, options)
      // What was recorded before the live stream is pulled is looked at first: "latest" means now.
      yield* sessions.watch.look
      const pump = new LivePump<E>(store, topic, sessions)
      yield* Effect.forkScoped(pump.run(live))
      const merge = new Merge(store, topic, options, sessions, pump)
      return Stream.fromPull(Effect.succeed(merge.pull))
    })
  )

class Merge<E> {
  readonly pull: Pull.Pull<NonEmpty, StoreError | E>
  readonly #store: Store
  readonly #topic: string
  readonly #options: MergeOptions
  readonly #patienceMs: number
  readonly #sessions: MergeSessions
  readonly #pump: LivePump<E>
  /** Since when live messages have waited for the recording; undefined while none do. */
  #waitingSinceMs: number | undefined = undefined
  /** Whether the recording may have something that was not looked for yet. */
  #isStale = true
  /** Whether sessions that go on live are read from the recording as well, because nothing came live for long. */
  #isQuiet = false

  constructor(store: Store, topic: string, options: MergeOptions, sessions: MergeSessions, pump: LivePump<E>) {
    this.#store = store
    this.#topic = topic
    this.#options = options
    this.#patienceMs = Duration.toMillis(options.patience ?? PATIENCE_DEFAULT)
    this.#sessions = sessions
    this.#pump = pump
    this.pull = Effect.gen({ self: this }, function* () {
      for (;;) {
        const { end, seen } = this.#pump
        const elements = this.#takeLive() ?? (yield* this.#readRecorded(end !== undefined))
        if (elements !== undefined) {
          this.#waitingSinceMs = undefined
          return elements as unknown as NonEmpty
        }
        if (this.#sessions.hasNextLive()) {
          continue
        }
        if (end !== undefined && end._tag === "Failure") {
          return yield* Effect.failCause(end.cause)
        }
        if (end !== undefined && this.#sessions.waiting() === undefined) {
          return yield* Cause.done()
        }
        yield* this.#awaitMore(seen)
      }
    })
  }

  /** What the live stream has that follows what was given, of one session; undefined where there is nothing. */
  #takeLive(): ReadonlyArray<Element> | undefined {
    for (const session of this.#sessions.inTurn()) {
      const taken: Array<StreamMessage> = []
      const isTaken = session.takeLive(ARRAY_COUNT_MAX, taken)
      this.#pump.onTaken()
      if (isTaken) {
        return taken.map(replayedOf)
      }
    }
    return undefined
  }

  /** What the recording has that follows what was given, of a session that does not go on live. */
  readonly #readRecorded = Effect.fnUntraced({ self: this }, function* (hasEnded: boolean) {
    const isAll = hasEnded || this.#isQuiet
    if (!isAll && !this.#isStale && this.#sessions.waiting() === undefined) {
      return undefined
    }
    yield* this.#sessions.watch.look
    // More may follow what is found.
    this.#isStale = true
    for (const session of this.#sessions.inTurn()) {
      if (session.watched === undefined || (!isAll && session.goesOnLive())) {
        continue
      }
      const { cursor, queue } = session.watched
      if (!session.isAligned) {
        yield* cursor.seek(queue, session.delivered!)
        session.isAligned = true
      }
      yield* cursor.fetch(queue.maxOffset, readBytes(this.#sessions.watch.sessionCount))
      const elements: Array<Element> = []
      const failure = this.#takeRecorded(session, elements)
      if (elements.length > 0) {
        return elements
      }
      if (failure !== undefined) {
        return yield* Effect.fail(failure)
      }
    }
    this.#isStale = false
    this.#isQuiet = false
    return undefined
  })

  /** Takes from the recording until the live stream goes on, or up to a gap that is an error. */
  #takeRecorded(session: MergeSession, elements: Array<Element>): StoreError | undefined {
    const { cursor } = session.watched!
    for (let { head } = cursor; head !== undefined; { head } = cursor) {
      const { element } = head
      // Who was there before the recorder has what that has not.
      session.delivered ??= session.beginOf(element)
      if (session.hasNextLive()) {
        return undefined
      }
      if (element.position > (session.delivered ?? -1)) {
        const gap = gapBefore(session.delivered, element)
        if (gap !== undefined && this.#options.onGap !== "element") {
          return gapError(this.#topic, gap)
        }
        elements.push(...(gap === undefined ? [] : [gap]), element)
        session.delivered = element.position
      }
      cursor.advance()
    }
    return undefined
  }

  /** Waits for the recording or the live stream, whichever goes on first. */
  readonly #awaitMore = Effect.fnUntraced({ self: this }, function* (seen: number) {
    const waiting = this.#sessions.waiting()
    const nowMs = yield* Clock.currentTimeMillis
    this.#waitingSinceMs = waiting === undefined ? undefined : (this.#waitingSinceMs ?? nowMs)
    const waitedMs = nowMs - (this.#waitingSinceMs ?? nowMs)
    if (waiting !== undefined && waitedMs >= this.#patienceMs) {
      return yield* this.#behind(waiting, waitedMs)
    }
    const recorded = this.#sessions.watch.awaitMore(
      ({ cursor, queue }) => {
        const session = this.#sessions.of(cursor.streamId, cursor.sessionId)
        return session.goesOnLive() ? undefined : Math.max(cursor.offset, queue.maxOffset)
      },
      { newQueues: true }
    )
    const more = Effect.raceFirst(Effect.as(recorded, true), Effect.as(this.#pump.awaitLive(seen), false))
    const came = yield* Effect.timeoutOption(more, this.#patienceMs - waitedMs)
    this.#isQuiet = came._tag === "None"
    this.#isStale ||= came._tag === "None" || came.value
  })

  readonly #behind = Effect.fnUntraced(
    { self: this },
    function* ({ live, sessionId, streamId, watched }: MergeSession, waitedMs: number) {
      const last = watched && (yield* recordedQueue.lastOf(this.#store, this.#topic, watched.queue))
      const reason = new RecordingBehind({
        topic: this.#topic,
        streamId,
        sessionId,
        recordedPosition: last?.position,
        livePosition: Number.isFinite(live.begin) ? live.begin : live.first!.position,
        waitedMs
      })
      return yield* Effect.fail(new StoreError({ reason }))
    }
  )
}
