/** The last messages of a topic: read backwards from the end of each queue, in steps, until there are enough. */
import type * as Message from "@millrace/store/Message"
import type * as MessageStore from "@millrace/store/MessageStore"
import type { StoreError } from "@millrace/store/StoreError"
import * as Effect from "effect/Effect"

export interface TailRequest {
  readonly topic: string
  readonly count: number
  /** `TagA || TagB`; all tags when it is undefined. */
  readonly tags: string | undefined
}

/** With a tag few of many messages may match: each step backwards is this many times as long as the one before. */
const STEP_GROWTH = 8
const READ_COUNT_MAX = 1024

/** The last `count` messages of all queues together, in the order in which they were stored. */
export const lastMessages = Effect.fnUntraced(function* (
  store: MessageStore.MessageStore["Service"],
  queues: ReadonlyArray<MessageStore.QueueInfo>,
  request: TailRequest
) {
  const ofQueues = yield* Effect.forEach(queues, (queue) => lastOfQueue(store, queue, request))
  return ofQueues
    .flat()
    .toSorted((a, b) => a.position - b.position)
    .slice(-request.count)
})

const lastOfQueue = Effect.fnUntraced(function* (
  store: MessageStore.MessageStore["Service"],
  queue: MessageStore.QueueInfo,
  request: TailRequest
): Effect.fn.Return<ReadonlyArray<Message.StoredMessage>, StoreError> {
  let found: ReadonlyArray<Message.StoredMessage> = []
  let end = queue.maxOffset
  let step = request.count
  while (found.length < request.count && end > queue.minOffset) {
    const start = Math.max(queue.minOffset, end - step)
    const earlier = yield* lastOfRange(store, queue.queueId, start, end, request)
    found = [...earlier, ...found].slice(-request.count)
    end = start
    step *= STEP_GROWTH
  }
  return found
})

const lastOfRange = Effect.fnUntraced(function* (
  store: MessageStore.MessageStore["Service"],
  queueId: number,
  start: number,
  end: number,
  { count, tags, topic }: TailRequest
): Effect.fn.Return<ReadonlyArray<Message.StoredMessage>, StoreError> {
  let found: Array<Message.StoredMessage> = []
  let offset = start
  while (offset < end) {
    const maxCount = Math.min(READ_COUNT_MAX, end - offset)
    const result = yield* store.get({ topic, queueId, offset, maxCount, tags })
    if (result.nextOffset <= offset) {
      break
    }
    found = [...found, ...result.messages.filter((message) => message.queueOffset < end)].slice(-count)
    offset = result.nextOffset
  }
  return found
})
