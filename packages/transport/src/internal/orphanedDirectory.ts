/**
 * The directory of a driver that was killed a moment ago. Its heartbeat is young, so by age alone it counts as alive for
 * as long as `driverTimeout`, ten seconds by default. Where its process is gone we wait for three of the heartbeats that
 * a living driver would write, then start again. The process alone proves nothing: a driver in another container shares
 * the directory but not our process ids, and goes on writing heartbeats.
 */
import * as Effect from "effect/Effect"
import { DriverActive, type TransportError } from "../TransportError.ts"
import type { DriverStart } from "./driverStart.ts"

const HEARTBEATS = 3
const NS_PER_MS = 1e6

const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    // EPERM is the answer for a process of another user: it is there.
    return (error as NodeJS.ErrnoException).code === "ESRCH"
  }
}

/** Runs `starting`, and once more with less patience where the directory's driver is gone from this machine. */
export const orTakeOver = <A, R>(
  start: DriverStart,
  starting: (start: DriverStart) => Effect.Effect<A, TransportError, R>
): Effect.Effect<A, TransportError, R> =>
  starting(start).pipe(
    Effect.catch((error) => {
      const { reason } = error
      if (!(reason instanceof DriverActive) || reason.pid === 0 || !isGone(reason.pid)) {
        return Effect.fail(error)
      }
      const driverTimeoutMs = Math.min(start.driverTimeoutMs, (HEARTBEATS * start.settings.timerIntervalNs) / NS_PER_MS)
      const waitMs = Math.max(0, driverTimeoutMs - reason.heartbeatAgeMs) + 1
      return Effect.andThen(Effect.sleep(waitMs), starting({ ...start, driverTimeoutMs }))
    })
  )
