import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import type { CoreError } from "../CoreError.ts"
import * as IdleStrategy from "../IdleStrategy.ts"
import { assert } from "../memory/Assert.ts"
import type { RingBuffer } from "../ringbuffer/RingBuffer.ts"
import type { SinkOptions, StreamOptions } from "../RingBuffer.ts"
import { attempt } from "./attempt.ts"
import { checkLength, collectInto, type Message } from "./bufferMessages.ts"
import { IdleWait } from "./idleWait.ts"

const consumed = new WeakSet<RingBuffer>()

/** The messages there are, `limit` at most. A read stops at the end of the buffer, so there may be more at the front. */
export const take = (ring: RingBuffer, limit: number): Array<Message> => {
  const messages: Array<Message> = []
  const collect = collectInto(messages)
  let position = -1
  while (messages.length < limit && position !== ring.consumerPosition) {
    position = ring.consumerPosition
    ring.read(collect, limit - messages.length)
  }
  return messages
}

export const stream = (ring: RingBuffer, options?: StreamOptions): Stream.Stream<Message, CoreError> =>
  Stream.unwrap(
    Effect.map(consume(ring), () => {
      const limit = options?.batchMax ?? 256
      const idle = new IdleWait(options?.idle ?? IdleStrategy.park())
      const watch = new UnblockWatch(ring, Duration.toMillis(options?.unblockTimeout ?? "10 seconds"))
      const pull = Effect.gen(function* () {
        for (;;) {
          const nowMs = yield* Clock.currentTimeMillis
          const messages = yield* attempt(() => {
            ring.consumerHeartbeatMs = nowMs
            return take(ring, limit)
          })
          if (Arr.isReadonlyArrayNonEmpty(messages)) {
            idle.reset()
            return messages
          }
          if (yield* attempt(() => watch.unblocks(nowMs))) {
            yield* Effect.logWarning(`unblocked ${ring.buffer.state.name}: a producer died while it wrote a message`)
          }
          yield* idle.wait
        }
      })
      return Stream.fromPull(Effect.succeed(pull))
    })
  )

export const sink = (ring: RingBuffer, options?: SinkOptions): Sink.Sink<void, Message, never, CoreError> =>
  Sink.unwrap(
    Effect.sync(() => {
      const idle = new IdleWait(options?.idle ?? IdleStrategy.park())
      return Sink.forEachArray((messages: Arr.NonEmptyReadonlyArray<Message>) => writeAll(ring, messages, idle))
    })
  )

const writeAll = Effect.fnUntraced(function* (
  ring: RingBuffer,
  messages: ReadonlyArray<Message>,
  idle: IdleWait
): Effect.fn.Return<void, CoreError> {
  let written = 0
  while (written < messages.length) {
    const from = written
    written = yield* attempt(() => writeFrom(ring, messages, from))
    if (written > from) {
      idle.reset()
    }
    if (written < messages.length) {
      yield* checkLength(messages[written]!, ring.maxMessageLength)
      yield* idle.wait
    }
  }
})

/** Writes until the ring is full or a message is too long for it; returns the index of the first that is not written. */
const writeFrom = (ring: RingBuffer, messages: ReadonlyArray<Message>, from: number): number => {
  let index = from
  while (index < messages.length) {
    const { payload, typeId } = messages[index]!
    if (payload.length > ring.maxMessageLength || !ring.write(typeId, payload, 0, payload.length)) {
      break
    }
    index++
  }
  return index
}

/** A ring has one consumer: a second one in this program is a mistake that would tear messages apart. */
const consume = (ring: RingBuffer): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      assert(!consumed.has(ring), "a ring buffer has one consumer: its stream is already being run")
      consumed.add(ring)
    }),
    () =>
      Effect.sync(() => {
        consumed.delete(ring)
        if (!ring.buffer.state.isClosed) {
          ring.consumerHeartbeatMs = -1
        }
      })
  )

/** Sees that the consumer has stood still before a claimed record for the whole timeout, and unblocks it then. */
class UnblockWatch {
  readonly #ring: RingBuffer
  readonly #timeoutMs: number
  #position: number = -1
  #sinceMs: number = 0

  constructor(ring: RingBuffer, timeoutMs: number) {
    this.#ring = ring
    this.#timeoutMs = timeoutMs
  }

  unblocks(nowMs: number): boolean {
    const position = this.#ring.consumerPosition
    if (position !== this.#position || this.#ring.size === 0) {
      this.#position = position
      this.#sinceMs = nowMs
      return false
    }
    return nowMs - this.#sinceMs >= this.#timeoutMs && this.#ring.unblock()
  }
}
