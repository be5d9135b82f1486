/** The writing half of a topic: values become messages, arrays of them are put in one pass. */
import * as Effect from "effect/Effect"
import * as Sink from "effect/Sink"
import type { Codec } from "../Codec.ts"
import * as JavaString from "../commitlog/JavaString.ts"
import type { MessageInput } from "../commitlog/MessageInput.ts"
import type { MessageStore, PutResult } from "../MessageStore.ts"
import { EncodeFailed, StoreError } from "../StoreError.ts"

export interface TopicWriterOptions<A> {
  readonly name: string
  readonly queueCount: number
  readonly codec: Codec<A>
  readonly key?: ((value: A) => string) | undefined
  readonly tag?: ((value: A) => string) | undefined
}

export interface TopicWriter<A> {
  append(value: A): Effect.Effect<PutResult, StoreError>
  appendMany(values: ReadonlyArray<A>): Effect.Effect<ReadonlyArray<PutResult>, StoreError>
  readonly sink: Sink.Sink<void, A, never, StoreError>
}

/** Values stored in one pass: a pass of a thousand keeps the thread for about two milliseconds. */
const PASS_COUNT_MAX = 1024
/** Bodies stored in one pass, but for the last one: what is encoded and not stored yet is memory. */
const PASS_BYTES_MAX = 1024 * 1024

export const make = <A>(store: MessageStore["Service"], options: TopicWriterOptions<A>): TopicWriter<A> => {
  const { codec, key, name, queueCount, tag } = options
  let turn = 0
  const toMessage = (value: A): MessageInput => {
    const keys = key?.(value)
    const queueId = keys === undefined ? turn++ % queueCount : queueOf(keys, queueCount)
    return { topic: name, queueId, body: codec.encode(value), keys, tags: tag?.(value) }
  }
  /** The messages of the next pass. */
  const encode = (values: ReadonlyArray<A>, from: number): Effect.Effect<ReadonlyArray<MessageInput>, StoreError> =>
    Effect.suspend(() => {
      const messages: Array<MessageInput> = []
      const to = Math.min(values.length, from + PASS_COUNT_MAX)
      let bytes = 0
      try {
        for (let index = from; index < to && bytes < PASS_BYTES_MAX; index++) {
          const message = toMessage(values[index]!)
          bytes += message.body.length
          messages.push(message)
        }
      } catch (error) {
        return Effect.fail(new StoreError({ reason: new EncodeFailed({ topic: name, detail: detailOf(error) }) }))
      }
      return Effect.succeed(messages)
    })
  const appendMany = (values: ReadonlyArray<A>): Effect.Effect<ReadonlyArray<PutResult>, StoreError> =>
    Effect.flatMap(encode(values, 0), (first) =>
      first.length === values.length
        ? store.putMany(first)
        : putInPasses(store, first, values.length, (from) => encode(values, from))
    )
  return {
    append: (value) => Effect.map(appendMany([value]), (results) => results[0]!),
    appendMany,
    sink: Sink.forEachArray(appendMany)
  }
}

/** The queue of a key, as RocketMQ's `SelectMessageQueueByHash` chooses it. */
const queueOf = (key: string, queueCount: number): number => Math.abs(JavaString.hashCode(key) % queueCount)

const putInPasses = Effect.fnUntraced(function* (
  store: MessageStore["Service"],
  first: ReadonlyArray<MessageInput>,
  count: number,
  encode: (from: number) => Effect.Effect<ReadonlyArray<MessageInput>, StoreError>
): Effect.fn.Return<ReadonlyArray<PutResult>, StoreError> {
  const all: Array<PutResult> = []
  for (let messages = first; ; messages = yield* encode(all.length)) {
    for (const result of yield* store.putMany(messages)) {
      all.push(result)
    }
    if (all.length === count) {
      return all
    }
    yield* Effect.yieldNow
  }
})

export const detailOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
