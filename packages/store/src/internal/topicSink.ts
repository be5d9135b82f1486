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

export const make = <A>(store: MessageStore["Service"], options: TopicWriterOptions<A>): TopicWriter<A> => {
  const { codec, key, name, queueCount, tag } = options
  let turn = 0
  const toMessage = (value: A): MessageInput => {
    const keys = key?.(value)
    const queueId = keys === undefined ? turn++ % queueCount : queueOf(keys, queueCount)
    return { topic: name, queueId, body: codec.encode(value), keys, tags: tag?.(value) }
  }
  const put = (values: ReadonlyArray<A>, from: number, to: number) =>
    Effect.suspend(() => {
      const messages: Array<MessageInput> = []
      try {
        for (let index = from; index < to; index++) {
          messages.push(toMessage(values[index]!))
        }
      } catch (error) {
        return Effect.fail(new StoreError({ reason: new EncodeFailed({ topic: name, detail: detailOf(error) }) }))
      }
      return store.putMany(messages)
    })
  const appendMany = (values: ReadonlyArray<A>): Effect.Effect<ReadonlyArray<PutResult>, StoreError> =>
    values.length <= PASS_COUNT_MAX ? put(values, 0, values.length) : putInPasses(values, put)
  return {
    append: (value) => Effect.map(put([value], 0, 1), (results) => results[0]!),
    appendMany,
    sink: Sink.forEachArray(appendMany)
  }
}

/** The queue of a key, as RocketMQ's `SelectMessageQueueByHash` chooses it. */
const queueOf = (key: string, queueCount: number): number => Math.abs(JavaString.hashCode(key) % queueCount)

const putInPasses = <A>(
  values: ReadonlyArray<A>,
  put: (values: ReadonlyArray<A>, from: number, to: number) => Effect.Effect<ReadonlyArray<PutResult>, StoreError>
): Effect.Effect<ReadonlyArray<PutResult>, StoreError> =>
  Effect.gen(function* () {
    const all: Array<PutResult> = []
    for (let from = 0; from < values.length; from += PASS_COUNT_MAX) {
      const results = yield* put(values, from, Math.min(values.length, from + PASS_COUNT_MAX))
      for (const result of results) {
        all.push(result)
      }
      yield* Effect.yieldNow
    }
    return all
  })

export const detailOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
