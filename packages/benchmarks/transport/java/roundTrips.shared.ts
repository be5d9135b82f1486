/** Messages there and back, one at a time, by whoever takes the processor for it: no turn of the event loop is among them. */
import type { Measurement } from "#harness/Group"
import type { Publication } from "@millrace/transport/Publication"
import type { MessageHandler, Subscription } from "@millrace/transport/Subscription"
import * as Effect from "effect/Effect"

/** Nanoseconds of a round trip. */
export interface RoundTripTimes {
  readonly p50: number
  readonly p99: number
  readonly p999: number
}

const percentile = (sorted: Float64Array, share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!

const summarize = (times: Float64Array): RoundTripTimes => {
  times.sort()
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), p999: percentile(times, 0.999) }
}

export const measure = (count: number, roundTrip: () => void): RoundTripTimes => {
  const times = new Float64Array(count)
  for (let index = 0; index < count; index++) {
    const startMs = performance.now()
    roundTrip()
    times[index] = (performance.now() - startMs) * 1e6
  }
  return summarize(times)
}

/** Of whoever answers in a turn of the event loop. */
export const measureAsync = async (count: number, roundTrip: () => Promise<void>): Promise<RoundTripTimes> => {
  const times = new Float64Array(count)
  for (let index = 0; index < count; index++) {
    const startMs = performance.now()
    await roundTrip()
    times[index] = (performance.now() - startMs) * 1e6
  }
  return summarize(times)
}

/** The client learns of its images in turns of the event loop, which a round trip has none of. */
export const connected = (...ends: ReadonlyArray<Publication | Subscription>): Effect.Effect<void> =>
  Effect.sleep(1).pipe(
    Effect.andThen(Effect.all(ends.map(({ isConnected }) => isConnected))),
    Effect.repeat({ until: (answers) => answers.every((isConnected) => isConnected) }),
    Effect.asVoid
  )

export const offer = (publication: Publication, message: Uint8Array): void => {
  while (publication.offerUnsafe(message) < 0) {
    // The driver moves the limit.
  }
}

/** Answers with a copy. */
export const echo = (publication: Publication, length: number): MessageHandler => {
  const answer = new Uint8Array(length)
  return (bytes, offset) => {
    answer[0] = bytes[offset]!
    offer(publication, answer)
  }
}

/** The operation is the median round trip: what else happened in a run of them is in the figures. */
export const measurementOf = (operations: number, { p50, p99, p999 }: RoundTripTimes): Measurement => ({
  operations,
  elapsedNs: p50 * operations,
  figures: { "p50 us": p50 / 1000, "p99 us": p99 / 1000, "p99.9 us": p999 / 1000 }
})
