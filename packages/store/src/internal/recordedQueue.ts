/** A queue of a recording, read by offset: which session it has, and where in it a position is. */
import * as Effect from "effect/Effect"
import type { StoredMessage } from "../Message.ts"
import type { MessageStore, QueueInfo, TopicInfo } from "../MessageStore.ts"
import * as RecordingDescriptor from "../record/RecordingDescriptor.ts"
import type { RecordedPlace } from "../record/RecordingDescriptor.ts"
import type { RecordedSession } from "../Replayer.ts"
import { NotARecording, StoreError } from "../StoreError.ts"
import { attempt } from "./storeSteps.ts"

type Store = MessageStore["Service"]

export interface RecordedMessage extends RecordedPlace {
  readonly stored: StoredMessage
}

export const placeOf = (message: StoredMessage): RecordedPlace => {
  const place = RecordingDescriptor.decode(message.properties)
  if (place === undefined) {
    const { queueId, queueOffset, topic } = message
    throw new StoreError({ reason: new NotARecording({ topic, queueId, queueOffset }) })
  }
  return place
}

const recordedOf = (stored: StoredMessage): RecordedMessage => ({ ...placeOf(stored), stored })

/** The message at an offset, or the first one behind it that is still there; undefined when there is none before `end`. */
export const messageAt = Effect.fnUntraced(function* (
  store: Store,
  topic: string,
  queueId: number,
  from: number,
  end: number
): Effect.fn.Return<RecordedMessage | undefined, StoreError> {
  let offset = from
  while (offset < end) {
    const { messages, nextOffset } = yield* store.get({ topic, queueId, offset, maxCount: 1 })
    const [message] = messages
    if (message !== undefined) {
      return message.queueOffset < end ? yield* attempt(() => recordedOf(message)) : undefined
    }
    if (nextOffset <= offset) {
      return undefined
    }
    offset = nextOffset
  }
  return undefined
})

/** The topic once all that was put before can be read: dispatch may be far behind. Undefined for one that is not there. */
export const settledTopic = Effect.fnUntraced(function* (
  store: Store,
  topic: string
): Effect.fn.Return<TopicInfo | undefined, StoreError> {
  const before = yield* store.topic(topic)
  let isLagging = false
  for (const { maxOffset, nextOffset, queueId } of before?.queues ?? []) {
    if (maxOffset < nextOffset) {
      isLagging = true
      yield* store.awaitMessages(topic, new Map([[queueId, nextOffset - 1]]))
    }
  }
  return isLagging ? yield* store.topic(topic) : before
})

/** The first message that is kept. */
export const firstOf = (
  store: Store,
  topic: string,
  { maxOffset, minOffset, queueId }: QueueInfo
): Effect.Effect<RecordedMessage | undefined, StoreError> => messageAt(store, topic, queueId, minOffset, maxOffset)

/** The last message. */
export const lastOf = (
  store: Store,
  topic: string,
  { maxOffset, minOffset, queueId }: QueueInfo
): Effect.Effect<RecordedMessage | undefined, StoreError> =>
  messageAt(store, topic, queueId, Math.max(minOffset, maxOffset - 1), maxOffset)

/** The offset of the first message that ends behind a position, by halving; `maxOffset` where none does. */
export const offsetBehind = Effect.fnUntraced(function* (
  store: Store,
  topic: string,
  { maxOffset, minOffset, queueId }: QueueInfo,
  position: number
): Effect.fn.Return<number, StoreError> {
  let low = minOffset
  let high = maxOffset
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const message = yield* messageAt(store, topic, queueId, middle, high)
    if (message !== undefined && message.position <= position) {
      low = message.stored.queueOffset + 1
    } else {
      high = middle
    }
  }
  return low
})

/** Every session that a recording has something of. */
export const recordedSessions = Effect.fnUntraced(function* (
  store: Store,
  topic: string
): Effect.fn.Return<ReadonlyArray<RecordedSession>, StoreError> {
  const info = yield* settledTopic(store, topic)
  const sessions: Array<RecordedSession> = []
  for (const queue of info?.queues ?? []) {
    const first = yield* firstOf(store, topic, queue)
    const last = yield* lastOf(store, topic, queue)
    if (first !== undefined && last !== undefined) {
      sessions.push({
        streamId: last.streamId,
        sessionId: last.sessionId,
        queueId: queue.queueId,
        messageCount: last.stored.queueOffset + 1 - first.stored.queueOffset,
        startPosition: first.startPosition,
        position: last.position,
        firstRecordedAt: first.stored.storeTimestamp,
        lastRecordedAt: last.stored.storeTimestamp
      })
    }
  }
  return sessions
})
