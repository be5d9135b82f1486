/** Reads one session of a recording in arrays, from any position of it. */
import * as Effect from "effect/Effect"
import * as SysFlag from "../commitlog/SysFlag.ts"
import { decompress, type StoredMessage } from "../Message.ts"
import type { MessageStore, QueueInfo } from "../MessageStore.ts"
import type { Gap, Place, Replayed, Selection } from "../Replayer.ts"
import type { StoreError } from "../StoreError.ts"
import * as recordedQueue from "./recordedQueue.ts"
import { attempt } from "./storeSteps.ts"

type Store = MessageStore["Service"]

/** A message of the recording, and where it is in the log. */
export interface Head {
  readonly element: Replayed
  readonly logPosition: number
}

const FETCH_COUNT_MAX = 256
/** Unpacked bodies of one array: compressed records can hold a thousand times as much. */
const UNPACKED_BYTES_MAX = 4 * 1024 * 1024

export class SessionCursor {
  readonly streamId: number
  readonly sessionId: number
  readonly queueId: number
  /** Behind what was read: the next fetch begins here. */
  offset: number
  /** Behind what was given; undefined when nothing was, and nothing is missed before the first message. */
  delivered: number | undefined
  readonly #store: Store
  readonly #topic: string
  #heads: ReadonlyArray<Head> = []
  #index = 0

  constructor(store: Store, topic: string, session: SessionStart) {
    this.#store = store
    this.#topic = topic
    this.streamId = session.streamId
    this.sessionId = session.sessionId
    this.queueId = session.queueId
    this.offset = session.offset
    this.delivered = session.delivered
  }

  /** The message that comes next, of those that were read. */
  get head(): Head | undefined {
    return this.#heads[this.#index]
  }

  /** Goes on behind the head. */
  advance(): void {
    this.#index++
  }

  /** Forgets what was read, and goes on with the first message that ends behind a position. */
  readonly seek = Effect.fnUntraced({ self: this }, function* (queue: QueueInfo, position: number) {
    this.offset = yield* recordedQueue.offsetBehind(this.#store, this.#topic, queue, position)
    this.#heads = []
    this.#index = 0
  })

  /** Reads the next messages before `end` where there is no head. Those that were cleaned away are passed over. */
  readonly fetch = Effect.fnUntraced({ self: this }, function* (end: number, maxBytes: number) {
    while (this.head === undefined && this.offset < end) {
      const { offset } = this
      const maxCount = Math.min(FETCH_COUNT_MAX, end - offset)
      const request = { topic: this.#topic, queueId: this.queueId, offset, maxCount, maxBytes }
      const { messages, nextOffset } = yield* this.#store.get(request)
      if (nextOffset <= offset) {
        return
      }
      const { heads, next } = yield* this.#read(messages, nextOffset)
      this.#heads = heads
      this.#index = 0
      this.offset = next
    }
  })

  readonly #read = Effect.fnUntraced({ self: this }, function* (messages: ReadonlyArray<StoredMessage>, end: number) {
    const heads: Array<Head> = []
    let unpackedBytes = 0
    for (const message of messages) {
      if (unpackedBytes >= UNPACKED_BYTES_MAX) {
        return { heads, next: message.queueOffset }
      }
      const place = yield* attempt(() => recordedQueue.placeOf(message))
      const isPacked = (message.sysFlag & SysFlag.COMPRESSED) !== 0
      const payload = isPacked ? yield* decompress(message) : message.body
      unpackedBytes += payload.length
      const element: Replayed = { _tag: "Message", payload, ...place, recordedAt: message.storeTimestamp }
      heads.push({ element, logPosition: message.position })
    }
    return { heads, next: end }
  })
}

/** What is missing between what was given of a session and what comes next of it. */
export const gapBefore = (
  delivered: number | undefined,
  { sessionId, startPosition, streamId }: Replayed
): Gap | undefined =>
  delivered !== undefined && startPosition !== undefined && startPosition > delivered
    ? { _tag: "Gap", streamId, sessionId, fromPosition: delivered, toPosition: startPosition }
    : undefined

interface SessionId {
  readonly streamId: number
  readonly sessionId: number
}

export const isSelected = (selection: Selection, { sessionId, streamId }: SessionId): boolean =>
  (selection.streamId ?? streamId) === streamId && (selection.sessionId ?? sessionId) === sessionId

/** The place that means a session, of those that were given. */
export const placeFor = (places: Place | ReadonlyArray<Place>, { sessionId, streamId }: SessionId): Place | undefined =>
  [places]
    .flat()
    .findLast((place) => (place.streamId ?? streamId) === streamId && (place.sessionId ?? sessionId) === sessionId)

interface SessionStart extends SessionId {
  readonly queueId: number
  readonly offset: number
  readonly delivered: number | undefined
}

/**
 * A cursor at the beginning of a replay; undefined while a queue has no message, `"other"` where it is not selected. A
 * session that came while the replay went on (`isNew`) begins at its first message if no place means it.
 */
export const open = Effect.fnUntraced(function* (
  store: Store,
  topic: string,
  queue: QueueInfo,
  selection: Selection,
  isNew: boolean
): Effect.fn.Return<SessionCursor | "other" | undefined, StoreError> {
  const first = yield* recordedQueue.firstOf(store, topic, queue)
  if (first === undefined) {
    return undefined
  }
  const { sessionId, streamId } = first
  if (!isSelected(selection, first)) {
    return "other"
  }
  const { queueId } = queue
  const { from } = selection
  const begin = (offset: number, delivered?: number) =>
    new SessionCursor(store, topic, { streamId, sessionId, queueId, offset, delivered })
  if (from === "latest" && !isNew) {
    const last = yield* recordedQueue.lastOf(store, topic, queue)
    return last === undefined ? undefined : begin(last.stored.queueOffset + 1, last.position)
  }
  if (from instanceof Date) {
    const found = yield* store.offsetByTime({ topic, queueId, timeMs: from.getTime(), boundary: "lower" })
    const offset = found ?? queue.minOffset
    const before = yield* recordedQueue.messageAt(store, topic, queueId, Math.max(queue.minOffset, offset - 1), offset)
    return begin(offset, before?.position)
  }
  const place = typeof from === "string" ? undefined : placeFor(from, first)
  return place === undefined
    ? begin(queue.minOffset)
    : begin(yield* recordedQueue.offsetBehind(store, topic, queue, place.position), place.position)
})
