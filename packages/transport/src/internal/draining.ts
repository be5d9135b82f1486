/**
 * Waits until subscribers have read what was published, as the counters of the driver show it. The wait ends early
 * when no subscriber moves any more: nobody reads, and waiting on would only hold up the end of the program.
 */
import { CountersReader, type CounterRecord } from "@millrace/core/kernel/counters/CountersReader"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { PUBLISHER_POSITION_TYPE_ID, SUBSCRIBER_POSITION_TYPE_ID } from "../driver/StreamCounters.ts"
import * as CncFile from "./cncFile.ts"

/** How long all subscribers may stand still before they count as gone. */
const STANDSTILL_MS = 250
const POLL_MS = 2

/** How far the subscribers of one publication, or of all, are behind, and how far they have come. */
interface Backlog {
  readonly pendingBytes: bigint
  readonly consumed: bigint
}

const backlogOf = (counters: CountersReader, publicationId: bigint | undefined): Backlog => {
  const publisherPositions = new Map<bigint, bigint>()
  const subscribers: Array<CounterRecord> = []
  counters.forEach((counter) => {
    if (counter.typeId === PUBLISHER_POSITION_TYPE_ID) {
      publisherPositions.set(counter.registrationId, counter.value)
    } else if (counter.typeId === SUBSCRIBER_POSITION_TYPE_ID) {
      subscribers.push(counter)
    }
  })
  let pendingBytes = 0n
  let consumed = 0n
  for (const subscriber of subscribers) {
    const position = publisherPositions.get(subscriber.referenceId)
    if (position !== undefined && (publicationId === undefined || publicationId === subscriber.referenceId)) {
      consumed += subscriber.value
      pendingBytes += position > subscriber.value ? position - subscriber.value : 0n
    }
  }
  return { pendingBytes, consumed }
}

/** For one publication by its registration id, or for all of the driver. */
export const awaitBacklog = (
  counters: CountersReader,
  publicationId: bigint | undefined,
  linger: Duration.Duration
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const deadlineMs = performance.now() + Duration.toMillis(linger)
    let lastConsumed = -1n
    let movedMs = performance.now()
    const isOver = (): boolean => {
      const nowMs = performance.now()
      const { consumed, pendingBytes } = backlogOf(counters, publicationId)
      if (consumed !== lastConsumed) {
        lastConsumed = consumed
        movedMs = nowMs
      }
      return pendingBytes === 0n || nowMs >= deadlineMs || nowMs - movedMs > STANDSTILL_MS
    }
    const loop: Effect.Effect<void> = Effect.suspend(() =>
      isOver() ? Effect.void : Effect.sleep(POLL_MS).pipe(Effect.andThen(loop))
    )
    return loop
  })

/** For every publication of the driver in `directory`. A driver that is not there any more has nothing to drain. */
export const awaitDrained = (directory: string, linger: Duration.Duration): Effect.Effect<void> =>
  Effect.suspend(() => {
    const file = openQuietly(directory)
    if (file === undefined) {
      return Effect.void
    }
    const counters = new CountersReader(file.buffers.countersMetadata, file.buffers.countersValues)
    return awaitBacklog(counters, undefined, linger).pipe(Effect.ensuring(Effect.sync(() => file.region.close())))
  })

const openQuietly = (directory: string): CncFile.CncFile | undefined => {
  try {
    const file = CncFile.open(directory)
    return CncFile.isAbsence(file) ? undefined : file
  } catch {
    // The directory went away between the look and the open: the driver has ended.
    return undefined
  }
}
