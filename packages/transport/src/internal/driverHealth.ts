/** Puts the health report of a driver together, from what the client has mapped. */
import type { CounterRecord, CountersReader } from "@millrace/core/kernel/counters/CountersReader"
import * as ErrorLogReader from "@millrace/core/kernel/errorlog/ErrorLogReader"
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import * as FileSpace from "@millrace/core/kernel/native/FileSpace"
import * as Effect from "effect/Effect"
import type { HealthReport, HeldBack } from "../Health.ts"
import * as BacklogStat from "../inspect/BacklogStat.ts"
import * as StreamStat from "../inspect/StreamStat.ts"
import type { RecordedError } from "../Inspector.ts"
import type { TransportError } from "../TransportError.ts"
import type { ClientRuntime } from "./clientRuntime.ts"
import { attempt, fail } from "./transportError.ts"

const LOW_SPACE_BYTES = 160 * 1024 * 1024
/** Errors that were last seen longer ago do not count against the driver. */
const RECENT_ERROR_MS = 60_000

export const healthOf = (client: ClientRuntime, driverTimeoutMs: number): Effect.Effect<HealthReport, TransportError> =>
  Effect.suspend(() => {
    const end = client.end
    return end === undefined ? attempt(() => reportOf(client, driverTimeoutMs)) : fail(end)
  })

const reportOf = (client: ClientRuntime, driverTimeoutMs: number): HealthReport => {
  const { directory, connection, waitingFor } = client
  const { header } = connection
  const identity = { directory, pid: header.pid, startMs: header.startTimestampMs }
  const disk = diskOf(directory)
  if (waitingFor !== undefined) {
    return {
      status: "Down",
      findings: [waitingFor.message],
      driver: { ...identity, heartbeatAgeMs: undefined },
      errors: [],
      heldBack: [],
      disk
    }
  }
  const nowMs = Date.now()
  const heartbeatMs = connection.conductor.driverHeartbeatMs
  const heartbeatAgeMs = heartbeatMs < 0 ? undefined : nowMs - heartbeatMs
  const errors = errorsOf(connection.errorLog)
  const heldBack = heldBackOf(connection.counters)
  const findings = [
    ...(heartbeatAgeMs !== undefined && heartbeatAgeMs > driverTimeoutMs / 2
      ? [`the driver's last sign of life is ${heartbeatAgeMs} ms old, it counts as dead after ${driverTimeoutMs} ms`]
      : []),
    ...errors
      .filter(({ lastMs }) => nowMs - lastMs <= RECENT_ERROR_MS)
      .map(({ count, text }) => `the driver recorded ${count} x ${text.split("\n", 1)[0]}`),
    ...heldBack.map(
      ({ backlog, channel, sessionId, streamId }) =>
        `the publication of session ${sessionId}, stream ${streamId} on ${channel} is held back${
          backlog === undefined ? "" : `: its slowest subscriber is ${backlog} bytes behind`
        }`
    ),
    ...(disk.freeBytes < LOW_SPACE_BYTES
      ? [`${directory} has ${disk.freeBytes} bytes left, less than ${LOW_SPACE_BYTES}`]
      : [])
  ]
  return {
    status: heartbeatAgeMs === undefined ? "Down" : findings.length > 0 ? "Degraded" : "Healthy",
    findings,
    driver: { ...identity, heartbeatAgeMs },
    errors,
    heldBack,
    disk
  }
}

/** A directory that is just being made anew says nothing of its file system. */
const diskOf = (directory: string): HealthReport["disk"] => {
  try {
    return FileSpace.available(directory)
  } catch {
    return { freeBytes: 0, totalBytes: 0 }
  }
}

const errorsOf = (errorLog: AtomicBuffer): ReadonlyArray<RecordedError> => {
  const errors: Array<RecordedError> = []
  ErrorLogReader.read(errorLog, (count, firstMs, lastMs, text) => errors.push({ count, firstMs, lastMs, text }))
  return errors
}

const heldBackOf = (counters: CountersReader): ReadonlyArray<HeldBack> => {
  const records: Array<CounterRecord> = []
  counters.forEach((record) => records.push(record))
  return BacklogStat.collect(StreamStat.collect(records)).flatMap(
    ({ channel, publisher, sessionId, streamId, subscribers }): Array<HeldBack> => {
      // A publication without a subscriber has no window at all: nothing holds it back.
      if (publisher === undefined || publisher.remaining > 0n || publisher.position === 0n) {
        return []
      }
      const backlogs = subscribers.map(({ backlog }) => backlog)
      const backlog = backlogs.length === 0 ? undefined : backlogs.reduce((a, b) => (a > b ? a : b))
      return [{ channel, streamId, sessionId, position: publisher.position, backlog }]
    }
  )
}
