/**
 * Waiting for something in shared memory, which has no descriptor to wake on: a few looks at once, then one a turn of
 * the event loop and of the processor, then by timers that grow with the time without work. The first success starts
 * the next wait anew.
 *
 * One effect is made for each success, none for a look.
 */
import { yieldProcessor } from "@millrace/core/kernel/native/Processor"
import * as Effect from "effect/Effect"
import type { TransportError } from "../TransportError.ts"
import { failThrown } from "./transportError.ts"
import { VirtualClock } from "./virtualClock.ts"

/** Looks before the first turn of the event loop. */
const SPINS = 16
/** Turns of the event loop before the first timer last so long. */
const TURNS_MS = 0.4
/**
 * For room in a log: longer than the naps of a driver that was at work a moment ago. Else publisher and driver sleep in
 * turns of a millisecond: messages through terms of 64 KiB then take two to three times as long.
 */
export const ROOM_TURNS_MS = 1.5
const PARK_MIN_MS = 1
const PARK_MAX_MS = 50
/** A park lasts this part of the time waited so far. */
const PARK_PART = 1 / 32

/** `attempt` answers with what to go on with, or undefined for not yet. What it throws gets its type. */
export const waitFor = <A, E = never>(
  attempt: () => Effect.Effect<A, TransportError | E> | undefined,
  turnsMs: number = TURNS_MS
): Effect.Effect<A, TransportError | E> =>
  Effect.suspend(() => {
    for (let spin = 0; spin < SPINS; spin++) {
      const result = look(attempt)
      if (result !== undefined) {
        return result
      }
    }
    return Effect.clockWith((clock) =>
      clock instanceof VirtualClock ? parkVirtually(attempt) : park(attempt, turnsMs)
    )
  })

/** By a clock of the program's own: what happens between two of its moments has happened in whatever order. */
const parkVirtually = <A, E>(
  attempt: () => Effect.Effect<A, TransportError | E> | undefined
): Effect.Effect<A, TransportError | E> =>
  Effect.andThen(
    Effect.sleep(PARK_MIN_MS),
    Effect.suspend(() => look(attempt) ?? parkVirtually(attempt))
  )

const look = <A, E>(
  attempt: () => Effect.Effect<A, TransportError | E> | undefined
): Effect.Effect<A, TransportError | E> | undefined => {
  try {
    return attempt()
  } catch (thrown) {
    return failThrown(thrown)
  }
}

const park = <A, E>(
  attempt: () => Effect.Effect<A, TransportError | E> | undefined,
  turnsMs: number
): Effect.Effect<A, TransportError | E> =>
  Effect.callback<A, TransportError | E>((resume) => {
    const startMs = performance.now()
    let immediate: NodeJS.Immediate | undefined
    let timer: NodeJS.Timeout | undefined
    const turn = (): void => {
      const result = look(attempt)
      if (result !== undefined) {
        resume(result)
        return
      }
      const waitedMs = performance.now() - startMs
      if (waitedMs < turnsMs) {
        yieldProcessor()
        immediate = setImmediate(turn)
      } else {
        timer = setTimeout(turn, Math.min(PARK_MAX_MS, Math.max(PARK_MIN_MS, waitedMs * PARK_PART)))
      }
    }
    immediate = setImmediate(turn)
    return Effect.sync(() => {
      clearImmediate(immediate)
      clearTimeout(timer)
    })
  })
