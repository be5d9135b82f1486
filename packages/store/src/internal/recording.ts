/**
 * The writing half of a recording: one for each store and topic, whoever asks for it. Where it stands is read from the
 * store before the first put, and again after one that did not end well: the store alone knows what it has.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { MessageInput } from "../commitlog/MessageInput.ts"
import { decompress } from "../Message.ts"
import type { MessageStore } from "../MessageStore.ts"
import { ASTRIDE, DUPLICATE, GAP, judge, SessionProgress } from "../record/SessionProgress.ts"
import * as RecordingDescriptor from "../record/RecordingDescriptor.ts"
import { SessionTable } from "../record/SessionTable.ts"
import type { OnGap, Progress, StreamMessage } from "../Recorder.ts"
import { MessageIllegal, RecordingDiffers, RecordingGap, StoreError, TooManySessions } from "../StoreError.ts"
import * as recordedQueue from "./recordedQueue.ts"
import { attempt } from "./storeSteps.ts"

type Store = MessageStore["Service"]

interface RecordOptions {
  readonly onGap: OnGap
  readonly sessionsMax: number
}

/** Messages and payload bytes of one put, as those of a topic's sink. */
const PASS_COUNT_MAX = 1024
const PASS_BYTES_MAX = 1024 * 1024

const recordings = new WeakMap<Store, Map<string, Recording>>()

export const of = (store: Store, topic: string): Recording => {
  let byTopic = recordings.get(store)
  if (byTopic === undefined) {
    byTopic = new Map()
    recordings.set(store, byTopic)
  }
  let recording = byTopic.get(topic)
  if (recording === undefined) {
    recording = new Recording(store, topic)
    byTopic.set(topic, recording)
  }
  return recording
}

/** What one pass looks at and puts. */
interface Pass {
  readonly duplicates: Array<readonly [SessionProgress, StreamMessage]>
  /** The messages to put, and the session of each. */
  readonly inputs: Array<MessageInput>
  readonly messages: Array<StreamMessage>
  readonly sessions: Array<SessionProgress>
  readonly added: SessionTable<SessionProgress>
  /** Up to where each session is recorded when the pass is. */
  readonly ahead: Map<SessionProgress, number>
  /** Index of the first message that is left for the next pass. */
  end: number
}

class Recording {
  readonly progress: Effect.Effect<ReadonlyArray<Progress>, StoreError>
  readonly #store: Store
  readonly #topic: string
  readonly #turn = Semaphore.makeUnsafe(1)
  /** Undefined while it is not known where the recording stands. */
  #sessions: SessionTable<SessionProgress> | undefined = undefined
  #nextQueueId = 0
  #queueCount = 0

  constructor(store: Store, topic: string) {
    this.#store = store
    this.#topic = topic
    this.progress = Effect.gen({ self: this }, function* () {
      const sessions = yield* this.#load()
      const { flushedPosition } = yield* this.#store.status
      return Array.from(sessions.values(), (session) => progressOf(session, flushedPosition))
    }).pipe(this.#turn.withPermits(1))
  }

  record(messages: ReadonlyArray<StreamMessage>, options: RecordOptions): Effect.Effect<void, StoreError> {
    return Effect.gen({ self: this }, function* () {
      for (let from = 0; from < messages.length;) {
        const sessions = yield* this.#load()
        const pass = yield* attempt(() => this.#plan(sessions, messages, from, options))
        yield* this.#compare(pass.duplicates)
        if (pass.inputs.length > 0) {
          yield* this.#put(sessions, pass)
        }
        from = pass.end
        if (from < messages.length) {
          yield* Effect.yieldNow
        }
      }
    }).pipe(this.#turn.withPermits(1))
  }

  readonly #load = Effect.fnUntraced({ self: this }, function* () {
    if (this.#sessions !== undefined) {
      return this.#sessions
    }
    const info = yield* recordedQueue.settledTopic(this.#store, this.#topic)
    const sessions = new SessionTable<SessionProgress>()
    this.#nextQueueId = 0
    this.#queueCount = info?.queueCount ?? 0
    for (const queue of info?.queues ?? []) {
      this.#nextQueueId = Math.max(this.#nextQueueId, queue.queueId + 1)
      const first = yield* recordedQueue.firstOf(this.#store, this.#topic, queue)
      const last = yield* recordedQueue.lastOf(this.#store, this.#topic, queue)
      if (first !== undefined && last !== undefined) {
        const { position, sessionId, stored, streamId } = last
        const session = new SessionProgress(streamId, sessionId, queue.queueId)
        session.startPosition = first.startPosition
        session.onRecorded(position, stored.position + stored.storeSize)
        sessions.set(streamId, sessionId, session)
      }
    }
    this.#sessions = sessions
    return sessions
  })

  /** Judges the messages of the next pass. What cannot be recorded ends it, and is thrown when it is the first of one. */
  #plan(
    sessions: SessionTable<SessionProgress>,
    messages: ReadonlyArray<StreamMessage>,
    from: number,
    options: RecordOptions
  ): Pass {
    const pass: Pass = {
      duplicates: [],
      inputs: [],
      messages: [],
      sessions: [],
      added: new SessionTable(),
      ahead: new Map(),
      end: from
    }
    const end = Math.min(messages.length, from + PASS_COUNT_MAX)
    for (let bytes = 0; pass.end < end && bytes < PASS_BYTES_MAX; pass.end++) {
      const message = messages[pass.end]!
      try {
        if (!this.#planOne(sessions, pass, message, options)) {
          return pass
        }
      } catch (error) {
        if (pass.end === from) {
          throw error
        }
        return pass
      }
      bytes += message.payload.length
    }
    return pass
  }

  /** False for a message that must wait for the next pass. */
  #planOne(
    sessions: SessionTable<SessionProgress>,
    pass: Pass,
    message: StreamMessage,
    { onGap, sessionsMax }: RecordOptions
  ): boolean {
    const { payload, position, sessionId, startPosition, streamId } = message
    if (!RecordingDescriptor.isLegal({ streamId, sessionId, startPosition, position })) {
      throw this.#illegal(message, pass.end)
    }
    const session =
      sessions.get(streamId, sessionId) ??
      pass.added.get(streamId, sessionId) ??
      this.#add(pass.added, sessions.size, message, sessionsMax)
    const ahead = pass.ahead.get(session)
    const recorded = ahead ?? session.recordedPosition
    const judgement = judge(recorded, startPosition, position)
    if (judgement === ASTRIDE) {
      throw this.#differs(session, position)
    }
    if (judgement === DUPLICATE) {
      // What is only planned cannot be compared with yet.
      if (ahead === undefined) {
        pass.duplicates.push([session, message])
      }
      return ahead === undefined
    }
    if (judgement === GAP && onGap === "fail") {
      const gap = { topic: this.#topic, streamId, sessionId, fromPosition: recorded!, toPosition: startPosition! }
      throw new StoreError({ reason: new RecordingGap(gap) })
    }
    pass.ahead.set(session, position)
    pass.sessions.push(session)
    pass.messages.push(message)
    const place = { streamId, sessionId, startPosition: startPosition ?? recorded, position }
    pass.inputs.push({
      topic: this.#topic,
      queueId: session.queueId,
      body: payload,
      tags: String(sessionId),
      properties: RecordingDescriptor.encode(place)
    })
    return true
  }

  /** A session that is new gets the next queue. It is known when its first message is stored. */
  #add(
    added: SessionTable<SessionProgress>,
    knownCount: number,
    { sessionId, streamId }: StreamMessage,
    sessionsMax: number
  ): SessionProgress {
    if (knownCount + added.size >= sessionsMax) {
      throw new StoreError({ reason: new TooManySessions({ topic: this.#topic, limit: sessionsMax }) })
    }
    const session = new SessionProgress(streamId, sessionId, this.#nextQueueId + added.size)
    added.set(streamId, sessionId, session)
    return session
  }

  readonly #put = Effect.fnUntraced({ self: this }, function* (sessions: SessionTable<SessionProgress>, pass: Pass) {
    const queueCount = this.#nextQueueId + pass.added.size
    if (queueCount > this.#queueCount) {
      // Kept for RocketMQ's consumers, durably: twice as many each time, so that few sessions pay for it.
      this.#queueCount = 2 ** Math.ceil(Math.log2(queueCount))
      yield* this.#store.setQueueCount(this.#topic, this.#queueCount)
    }
    // Whether a put that fails or is interrupted has stored anything is for the store to say.
    this.#sessions = undefined
    const results = yield* this.#store.putMany(pass.inputs)
    const seen = new Set<SessionProgress>()
    for (let index = results.length - 1; index >= 0; index--) {
      const session = pass.sessions[index]!
      if (!seen.has(session)) {
        seen.add(session)
        const { length, position } = results[index]!
        session.onRecorded(pass.messages[index]!.position, position + length)
      }
    }
    for (const [index, session] of pass.sessions.entries()) {
      session.startPosition ??= pass.messages[index]!.startPosition
    }
    for (const session of pass.added.values()) {
      sessions.set(session.streamId, session.sessionId, session)
    }
    this.#nextQueueId = queueCount
    this.#sessions = sessions
  })

  /**
   * Compares what came again with what was recorded of it: a session id that was used again for another stream must not
   * pass for repetitions. What was cleaned away, or stands in a gap, cannot be compared.
   */
  readonly #compare = Effect.fnUntraced({ self: this }, function* (duplicates: Pass["duplicates"]) {
    if (duplicates.length === 0) {
      return
    }
    const info = yield* recordedQueue.settledTopic(this.#store, this.#topic)
    const next = new Map<SessionProgress, number>()
    for (const [session, { payload, position }] of duplicates) {
      const queue = info?.queues.find(({ queueId }) => queueId === session.queueId)
      if (queue === undefined) {
        continue
      }
      const offset =
        next.get(session) ?? (yield* recordedQueue.offsetBehind(this.#store, this.#topic, queue, position - 1))
      const recorded = yield* recordedQueue.messageAt(this.#store, this.#topic, queue.queueId, offset, queue.maxOffset)
      if (recorded === undefined) {
        continue
      }
      if (recorded.position === position) {
        next.set(session, recorded.stored.queueOffset + 1)
      } else if ((recorded.startPosition ?? position) >= position) {
        continue
      }
      if (recorded.position !== position || !isSame(payload, yield* decompress(recorded.stored))) {
        return yield* Effect.fail(this.#differs(session, position))
      }
    }
  })

  #differs({ recordedPosition, sessionId, streamId }: SessionProgress, position: number): StoreError {
    const place = { topic: this.#topic, streamId, sessionId, position, recordedPosition: recordedPosition ?? 0 }
    return new StoreError({ reason: new RecordingDiffers(place) })
  }

  #illegal({ position, sessionId, startPosition, streamId }: StreamMessage, index: number): StoreError {
    const place = `session ${sessionId} of stream ${streamId} from ${startPosition ?? "?"} to ${position}`
    const detail = `${place} is no place: ids are 32-bit integers, positions whole numbers that grow`
    return new StoreError({ reason: new MessageIllegal({ index, topic: this.#topic, detail }) })
  }
}

const progressOf = (session: SessionProgress, flushedPosition: number): Progress => ({
  streamId: session.streamId,
  sessionId: session.sessionId,
  queueId: session.queueId,
  startPosition: session.startPosition,
  recordedPosition: session.recordedPosition!,
  durablePosition: session.durablePosition(flushedPosition)
})

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index])
