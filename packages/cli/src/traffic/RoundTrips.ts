/** Times messages to an echo and back, one at a time. */
import type { Publication } from "@millrace/transport/Publication"
import type { MessageHandler, Subscription } from "@millrace/transport/Subscription"
import * as Effect from "effect/Effect"
import { CommandError, MessagesMissing } from "../CommandError.ts"

/** Round trips before those that count, so that the code of both ends is compiled. */
const WARM_UP = 20_000
/**
 * Looks for an answer between two turns of the event loop, about two milliseconds: the client shows that it lives, and
 * somebody is asked for who gives answers. Turns are between round trips, unless one takes that long.
 */
const LOOKS_BETWEEN_TURNS = 65_536

export interface Line {
  /** To the echo. */
  readonly publication: Publication
  /** From it. */
  readonly subscription: Subscription
}

export interface Plan {
  readonly messages: number
  /** Bytes of each message, at least 8. */
  readonly length: number
}

export const NUMBER_LENGTH = 8

/** The time of each round trip in microseconds, in the order in which they were made. */
export const measure = Effect.fnUntraced(function* (
  line: Line,
  { length, messages }: Plan,
  onProgress: (done: number) => Effect.Effect<void>
) {
  const { publication, subscription } = line
  const message = new Uint8Array(length)
  const words = new DataView(message.buffer)
  const warmUp = Math.min(WARM_UP, messages)
  const times = new Float64Array(messages)
  let answered = -1
  const onAnswer: MessageHandler = (bytes, offset, answerLength) => {
    if (answerLength >= NUMBER_LENGTH) {
      answered = new DataView(bytes.buffer, bytes.byteOffset + offset, NUMBER_LENGTH).getFloat64(0, true)
    }
  }
  let looksSinceTurn = 0
  for (let number = -warmUp; number < messages; number++) {
    words.setFloat64(0, number + warmUp, true)
    let looks = 0
    const startMs = performance.now()
    if (publication.offerUnsafe(message) < 0) {
      yield* publication.publish(message)
    }
    while (answered !== number + warmUp) {
      if (++looks % LOOKS_BETWEEN_TURNS === 0) {
        yield* checkEcho(line, { received: Math.max(0, number), expected: messages })
        // Fails when the subscription has ended.
        yield* subscription.poll(onAnswer, 1)
        yield* Effect.yieldNow
      }
      subscription.pollUnsafe(onAnswer, 1)
    }
    const endMs = performance.now()
    if (number >= 0) {
      times[number] = (endMs - startMs) * 1000
    }
    looksSinceTurn += looks + 1
    if (looksSinceTurn >= LOOKS_BETWEEN_TURNS) {
      looksSinceTurn = 0
      yield* onProgress(Math.max(0, number))
      yield* Effect.yieldNow
    }
  }
  return times
})

const checkEcho = Effect.fnUntraced(function* ({ publication, subscription }: Line, counts: Counts) {
  if (!(yield* publication.isConnected) || !(yield* subscription.isConnected)) {
    const why = "whoever answers has gone"
    return yield* new CommandError({ reason: new MessagesMissing({ ...counts, why }) })
  }
})

interface Counts {
  readonly received: number
  readonly expected: number
}

/** The value that a share of all times does not exceed. Sorted times are not empty. */
export const percentile = (sorted: Float64Array, share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!
