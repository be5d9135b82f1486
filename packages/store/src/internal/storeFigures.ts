/** How far a store has come, what it has done, and how it is, read off the engine at one moment. */
import * as DiskPressure from "../cleaning/DiskPressure.ts"
import type { Counted } from "../counters/StoreCounters.ts"
import type { StoreEngine } from "../engine/StoreEngine.ts"
import type { HealthReport } from "../Health.ts"
import type { FileSpace } from "../mapped/FileSystem.ts"
import type { StoreFigures, StoreStatus } from "../MessageStore.ts"
import type { StoreError } from "../StoreError.ts"
import { flushFailed, fromFileFailure, fromHealth } from "./storeErrors.ts"
import { FLUSH_BOUNDS_MS, type StoreTally } from "./storeTally.ts"

export const statusOf = (engine: StoreEngine): StoreStatus => {
  const { files } = engine.commitLog
  const { cleaningFailure } = engine.health
  return {
    minPosition: files.minOffset,
    maxPosition: files.maxOffset,
    committedPosition: files.readableEnd,
    flushedPosition: files.flushedWhere,
    dispatchedPosition: engine.dispatchedPosition,
    fileCount: files.files.length,
    fileLength: files.fileLength,
    isWriteable: engine.health.isWriteable,
    unmappedFileCount: engine.fileSystem.refusals.mappings,
    unlockedFileCount: engine.fileSystem.refusals.locks,
    cleaningFailure: cleaningFailure && fromFileFailure(cleaningFailure)
  }
}

export const figuresOf = (engine: StoreEngine, tally: StoreTally, waitingReaderCount: number): StoreFigures => {
  const status = statusOf(engine)
  return {
    ...status,
    dirtyBytes: Math.max(0, status.maxPosition - status.flushedPosition),
    dispatchBehindBytes: Math.max(0, status.maxPosition - status.dispatchedPosition),
    putMessageCount: tally.putMessageCount,
    putBytes: tally.putBytes,
    getMessageCount: tally.getMessageCount,
    getBytes: tally.getBytes,
    waitingReaderCount,
    refusalCounts: tally.refusalCounts,
    flushTimes: {
      boundsMs: FLUSH_BOUNDS_MS,
      counts: tally.flushCounts,
      count: tally.flushCount,
      sumMs: tally.flushSumMs,
      minMs: tally.flushMinMs,
      maxMs: tally.flushMaxMs
    },
    get disk() {
      const { options } = engine
      return spaceOf(DiskPressure.measure(engine.fileSystem, options.storePathCommitLog, options))
    }
  }
}

const NS_PER_MS = 1_000_000

/** What other processes are told. */
export const countedOf = (engine: StoreEngine, tally: StoreTally, waitingReaderCount: number): Counted => {
  const { committedPosition, dispatchedPosition, flushedPosition, isWriteable, maxPosition } = statusOf(engine)
  return {
    putMessageCount: tally.putMessageCount,
    putBytes: tally.putBytes,
    getMessageCount: tally.getMessageCount,
    getBytes: tally.getBytes,
    refusalCount: [...tally.refusalCounts.values()].reduce((sum, count) => sum + count, 0),
    maxPosition,
    committedPosition,
    flushedPosition,
    dispatchedPosition,
    syncCount: tally.flushCount,
    syncTimeNs: tally.flushSumMs * NS_PER_MS,
    waitingReaderCount,
    isWriteable
  }
}

const spaceOf = ({ space }: DiskPressure.Measurement): FileSpace => space ?? { freeBytes: 0, totalBytes: 0 }

/** Dispatch this far behind holds up puts soon: they help it along from the whole bound on. */
const BEHIND_PART = 0.5

export const healthOf = (engine: StoreEngine): HealthReport => {
  const { health, options } = engine
  const { readOnly, storePathCommitLog, storePathRootDir: directory } = options
  const refusal = health.isWriteable && !readOnly ? undefined : fromHealth(health, directory, readOnly)
  const status = statusOf(engine)
  const flushFailure = health.flushFailure && flushFailed(health.flushFailure)
  const measurement = DiskPressure.measure(engine.fileSystem, storePathCommitLog, options)
  const pressure = PRESSURES[measurement.level]!
  const disk = spaceOf(measurement)
  const dispatchBehindBytes = Math.max(0, status.maxPosition - status.dispatchedPosition)
  const findings = [
    // Who only reads is refused by its own wish.
    ...(refusal !== undefined && !health.isClosed && (!readOnly || !health.isWriteable)
      ? [`messages are refused: ${refusal.message}`]
      : []),
    ...(health.isClosed ? [fromHealth(health, directory, readOnly).message] : []),
    ...(pressure === "none" ? [] : [PRESSURE_FINDINGS[pressure](disk.freeBytes, disk.totalBytes)]),
    ...cleaningFindings(status.cleaningFailure, measurement.failure && fromFileFailure(measurement.failure)),
    ...(dispatchBehindBytes > BEHIND_PART * options.dispatchBehindBytesMax
      ? [
          `dispatch to queues and index is ${dispatchBehindBytes} bytes behind, at ${options.dispatchBehindBytesMax} (dispatchBehindBytesMax) puts wait for it`
        ]
      : []),
    ...(status.unmappedFileCount > 0
      ? [`${status.unmappedFileCount} files are read and written by position, because the system refused to map them`]
      : []),
    ...(status.unlockedFileCount > 0
      ? [`the memory of ${status.unlockedFileCount} files could not be locked (mlock): raise the limit of the process`]
      : [])
  ]
  const isDown = health.isClosed || flushFailure !== undefined || health.broken !== undefined
  return {
    status: isDown ? "Down" : findings.length > 0 ? "Degraded" : "Healthy",
    findings,
    store: { directory, isWriteable: refusal === undefined },
    refusal,
    flushFailure,
    cleaningFailure: status.cleaningFailure,
    dispatchBehindBytes,
    dirtyBytes: Math.max(0, status.maxPosition - status.flushedPosition),
    disk: { ...disk, pressure }
  }
}

const PRESSURES = ["none", "reclaim", "force", "full"] as const

const PRESSURE_FINDINGS = {
  reclaim: (free: number, total: number) =>
    `the device of the log has ${free} of ${total} bytes left: expired files are removed at any hour`,
  force: (free: number, total: number) =>
    `the device of the log has ${free} of ${total} bytes left: the oldest files are removed whatever their age`,
  full: (free: number, total: number) =>
    `the device of the log has ${free} of ${total} bytes left: it counts as full, and messages are refused`
}

const cleaningFindings = (last: StoreError | undefined, now: StoreError | undefined): ReadonlyArray<string> => {
  const failure = last ?? now
  return failure === undefined ? [] : [`cleaning has failed and is tried again: ${failure.message}`]
}
