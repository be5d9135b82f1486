/**
 * Waits until what was published is where it has to be, as the counters of the driver show it: over IPC, read by every
 * subscriber; over UDP, sent, and at the end of a driver whole at its receivers. A wait ends early when nothing moves any
 * more: nobody is there, and waiting on would only hold up the end of the program.
 */
import { RECORD_UNUSED } from "@millrace/core/kernel/counters/CountersDescriptor"
import { type CounterRecord, CountersReader } from "@millrace/core/kernel/counters/CountersReader"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import {
  PUBLISHER_POSITION_TYPE_ID,
  SENDER_POSITION_TYPE_ID,
  SUBSCRIBER_POSITION_TYPE_ID
} from "../driver/StreamCounters.ts"
import * as SystemCounters from "../driver/SystemCounters.ts"
import * as CncFile from "./cncFile.ts"

/** How long all subscribers may stand still before they count as gone. */
const STANDSTILL_MS = 250
/** How long no status message may come before all receivers count as gone: each sends five in this time. */
const SILENCE_MS = 1_000
const POLL_MS = 2

/** What is waited for: how much of it is left, and a number that changes as long as somebody is at work on it. */
interface Remaining {
  readonly left: bigint
  readonly progress: bigint
}

/** One publication, and where it ended: its counter may be a tick of the driver behind. */
export interface EndedPublication {
  readonly id: bigint
  readonly endPosition: number
}

/** Whether a counter is of this publication: a place of it, or of one who reads it. */
const isOf = (counters: CountersReader, counterId: number, publicationId: bigint): boolean => {
  switch (counters.typeId(counterId)) {
    case PUBLISHER_POSITION_TYPE_ID:
    case SENDER_POSITION_TYPE_ID:
      return counters.registrationId(counterId) === publicationId
    case SUBSCRIBER_POSITION_TYPE_ID:
      return counters.referenceId(counterId) === publicationId
    default:
      return false
  }
}

/**
 * The counters of one publication, or all. To read one whole costs 3 µs, to see whether it is wanted a twentieth of that:
 * a program with a thousand publications looks through thousands of counters as often as it closes one.
 */
const counterRecords = (counters: CountersReader, only: EndedPublication | undefined): ReadonlyArray<CounterRecord> => {
  const records: Array<CounterRecord> = []
  for (let id = 0; id < counters.capacity && counters.state(id) !== RECORD_UNUSED; id++) {
    const record = only === undefined || isOf(counters, id, only.id) ? counters.read(id) : undefined
    if (record !== undefined) {
      records.push(record)
    }
  }
  return records
}

/** How many bytes of one publication, or of all, were not read by a subscriber of this driver or not sent. */
const backlogOf = (counters: CountersReader, only: EndedPublication | undefined): Remaining => {
  const ends = new Map<bigint, bigint>()
  const positions: Array<readonly [publicationId: bigint, position: bigint]> = []
  for (const { referenceId, registrationId, typeId, value } of counterRecords(counters, only)) {
    switch (typeId) {
      case PUBLISHER_POSITION_TYPE_ID:
        if (only === undefined || only.id === registrationId) {
          ends.set(registrationId, only === undefined ? value : max(value, BigInt(only.endPosition)))
        }
        break
      case SENDER_POSITION_TYPE_ID:
        positions.push([registrationId, value])
        break
      case SUBSCRIBER_POSITION_TYPE_ID:
        // Over UDP this is the id of the image, which no publication has.
        positions.push([referenceId, value])
        break
    }
  }
  let left = 0n
  let progress = 0n
  for (const [publicationId, position] of positions) {
    const end = ends.get(publicationId)
    if (end !== undefined) {
      progress += position
      left += max(end - position, 0n)
    }
  }
  return { left, progress }
}

/**
 * How many publications over UDP are still there. The driver lets go of one when its receiver has said that it has all
 * of it; until then a receiver may ask for something again.
 */
const unacknowledged = (counters: CountersReader): Remaining => {
  const statusMessages = counters.value(SystemCounters.STATUS_MESSAGES_RECEIVED)
  let left = 0n
  counters.forEach(({ typeId }) => {
    // Without a status message there never was a receiver.
    if (typeId === SENDER_POSITION_TYPE_ID && statusMessages > 0n) {
      left++
    }
  })
  return { left, progress: statusMessages }
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)

const awaitNone = (
  look: () => Remaining,
  standstillMs: number,
  deadlineMs: number,
  isAbandoned: () => boolean = () => false
): Effect.Effect<void> =>
  Effect.suspend(() => {
    let lastProgress = -1n
    let movedMs = performance.now()
    const isOver = (): boolean => {
      const nowMs = performance.now()
      if (isAbandoned()) {
        return true
      }
      const { left, progress } = look()
      if (progress !== lastProgress) {
        lastProgress = progress
        movedMs = nowMs
      }
      return left === 0n || nowMs >= deadlineMs || nowMs - movedMs > standstillMs
    }
    const loop: Effect.Effect<void> = Effect.suspend(() =>
      isOver() ? Effect.void : Effect.sleep(POLL_MS).pipe(Effect.andThen(loop))
    )
    return loop
  })

const deadlineOf = (linger: Duration.Duration): number => performance.now() + Duration.toMillis(linger)

/** For one publication, until its driver is gone too. */
export const awaitBacklog = (
  counters: CountersReader,
  publication: EndedPublication,
  linger: Duration.Duration,
  isDriverGone: () => boolean
): Effect.Effect<void> =>
  Effect.suspend(() =>
    awaitNone(() => backlogOf(counters, publication), STANDSTILL_MS, deadlineOf(linger), isDriverGone)
  )

/** For every publication of the driver in `directory`. A driver that is not there any more has nothing to drain. */
export const awaitDrained = (directory: string, linger: Duration.Duration): Effect.Effect<void> =>
  Effect.suspend(() => {
    const file = CncFile.openQuietly(directory)
    if (file === undefined) {
      return Effect.void
    }
    const counters = new CountersReader(file.buffers.countersMetadata, file.buffers.countersValues)
    const deadlineMs = deadlineOf(linger)
    return awaitNone(() => backlogOf(counters, undefined), STANDSTILL_MS, deadlineMs).pipe(
      Effect.andThen(awaitNone(() => unacknowledged(counters), SILENCE_MS, deadlineMs)),
      Effect.ensuring(Effect.sync(() => file.region.close()))
    )
  })
