/** What benchmarks of a store put into it, and how they read it: the same whoever is measured. */
import { assert } from "@millrace/core/kernel/memory/Assert"
import type { StoredMessage } from "@millrace/store/Message"
import * as MessageStore from "@millrace/store/MessageStore"
import * as Effect from "effect/Effect"

const TOPIC = "bench"
const QUEUES = 4

/** Neighbouring queries ask for keys that are far apart. */
const KEY_STEP = 7919

type Store = MessageStore.MessageStore["Service"]
type Run = Effect.Effect<void, unknown, MessageStore.MessageStore>

const messageOf = (body: Uint8Array, queues: number) => (number: number) => ({
  topic: TOPIC,
  queueId: number % queues,
  body,
  keys: `key${number}`,
  tags: "TagA"
})

/** Done is what is dispatched to queues and index, not only what is acknowledged. */
export const dispatched = Effect.fnUntraced(function* (store: Store) {
  for (;;) {
    const { dispatchedPosition, maxPosition } = yield* store.status
    if (dispatchedPosition === maxPosition) {
      return
    }
    yield* Effect.yieldNow
  }
})

export interface Puts {
  readonly length: number
  /** Number of the first message. */
  readonly first: number
  readonly count: number
  /** Messages of one put. */
  readonly batch: number
  /** Whether it ends when all is dispatched, or when all is acknowledged. */
  readonly isDispatched: boolean
  readonly queues?: number
}

export const put = ({ batch, count, first, isDispatched, length, queues = QUEUES }: Puts): Run =>
  Effect.gen(function* () {
    const store = yield* MessageStore.MessageStore
    const message = messageOf(new Uint8Array(length).fill(65), queues)
    for (let number = first; number < first + count; number += batch) {
      if (batch === 1) {
        yield* store.put(message(number))
      } else {
        yield* store.putMany(Array.from({ length: batch }, (_, index) => message(number + index)))
      }
    }
    if (isDispatched) {
      yield* dispatched(store)
    }
  })

/** Everything that RocketMQ's decoding of a message makes of it at once, and ours when it is asked for. */
const fieldsOf = (message: StoredMessage): number =>
  message.topic.length +
  message.body.length +
  Object.keys(message.properties).length +
  message.bornHost.length +
  message.storeHost.length +
  message.offsetMsgId.length +
  message.queueId +
  message.queueOffset +
  message.position +
  message.storeSize +
  message.bodyCrc +
  message.flag +
  message.sysFlag +
  message.bornTimestamp +
  message.storeTimestamp +
  message.reconsumeTimes +
  message.preparedTransactionOffset

/** As `read`, with all fields of each message asked for. */
export const readFields = (count: number): Run => read(count, QUEUES, fieldsOf)

/** Reads `count` messages, queue by queue, from the beginning again at the end. */
export const read = (count: number, queues: number = QUEUES, use?: (message: StoredMessage) => number): Run =>
  Effect.gen(function* () {
    const store = yield* MessageStore.MessageStore
    let queueId = 0
    let offset = 0
    let sum = 0
    for (let done = 0; done < count;) {
      const { messages, nextOffset } = yield* store.get({ topic: TOPIC, queueId, offset })
      if (use !== undefined) {
        for (const message of messages) {
          sum += use(message)
        }
      }
      done += messages.length
      offset = nextOffset
      if (messages.length === 0) {
        queueId = (queueId + 1) % queues
        offset = 0
      }
    }
    assert(use === undefined || sum > 0, "fields of messages that were asked for")
  })

export const query = (count: number, stored: number): Run =>
  Effect.gen(function* () {
    const store = yield* MessageStore.MessageStore
    for (let done = 0; done < count; done++) {
      yield* store.query({ topic: TOPIC, key: `key${(done * KEY_STEP) % stored}`, maxCount: 1 })
    }
  })
