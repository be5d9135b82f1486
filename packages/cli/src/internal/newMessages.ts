/** The messages of a topic that come from now on: those that came together in the order in which they were stored. */
import type * as Message from "@millrace/store/Message"
import type * as MessageStore from "@millrace/store/MessageStore"
import type { StoreError } from "@millrace/store/StoreError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

export interface FollowRequest {
  readonly topic: string
  /** `TagA || TagB`; all tags when it is undefined. */
  readonly tags: string | undefined
}

const READ_COUNT_MAX = 1024

/** `queues` are those whose messages up to `maxOffset` are known; queues that are new are read from their beginning. */
export const newMessages = (
  store: MessageStore.MessageStore["Service"],
  queues: ReadonlyArray<MessageStore.QueueInfo>,
  request: FollowRequest
): Stream.Stream<Message.StoredMessage, StoreError> =>
  Stream.suspend(() => {
    const offsets = new Map(queues.map(({ maxOffset, queueId }) => [queueId, maxOffset]))
    return Stream.paginate(undefined, () =>
      Effect.gen(function* () {
        yield* store.awaitMessages(request.topic, offsets, { newQueues: true })
        const found: Array<Message.StoredMessage> = []
        for (const { queueId } of (yield* store.topic(request.topic))?.queues ?? []) {
          found.push(...(yield* readOn(store, queueId, offsets, request)))
        }
        return [found.toSorted((a, b) => a.position - b.position), Option.some(undefined)] as const
      })
    )
  })

/** What a queue has behind its offset, which moves on. */
const readOn = Effect.fnUntraced(function* (
  store: MessageStore.MessageStore["Service"],
  queueId: number,
  offsets: Map<number, number>,
  { tags, topic }: FollowRequest
) {
  const found: Array<Message.StoredMessage> = []
  for (;;) {
    const offset = offsets.get(queueId) ?? 0
    const { messages, nextOffset } = yield* store.get({ topic, queueId, offset, maxCount: READ_COUNT_MAX, tags })
    found.push(...messages)
    offsets.set(queueId, nextOffset)
    if (nextOffset <= offset) {
      return found
    }
  }
})
