/**
 * The file by which other processes see how an open store does. Whatever hinders it hinders nothing else: the store works
 * without.
 */
import { clock as systemClock } from "@millrace/core/AgentRunner"
import type { MappedRegion } from "@millrace/core/kernel/memory/MappedRegion"
import * as Files from "@millrace/core/kernel/native/Files"
import * as Mapping from "@millrace/core/kernel/native/Mapping"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as ConfigFile from "../config/ConfigFile.ts"
import * as CountersFileDescriptor from "../counters/CountersFileDescriptor.ts"
import { StoreCounters } from "../counters/StoreCounters.ts"
import * as StoreCountersReader from "../counters/StoreCountersReader.ts"
import type { WriterFigures } from "../Inspect.ts"
import { toFileFailure } from "./fileFailure.ts"
import { attempt } from "./storeSteps.ts"
import { countedOf } from "./storeFigures.ts"
import type { StoreRuntime } from "./storeRuntime.ts"

const NAME = "counters.dat"

/** A writer whose loop is held up by garbage or a slow system call is alive all the same. */
const HEARTBEAT_AGE_MAX_MS = 5000

const NS_PER_MS = 1_000_000

const pathOf = (directory: string): string => ConfigFile.pathOf(directory, NAME)

const makeFile = (path: string): MappedRegion => {
  try {
    // One that is there was left by a process that was killed.
    Files.remove(path)
    return Mapping.create(path, CountersFileDescriptor.FILE_LENGTH, { reserve: true })
  } catch (error) {
    throw toFileFailure(error, "map", path)
  }
}

/** Writes the counters of a store until the scope closes. */
export const share = (runtime: StoreRuntime): Effect.Effect<void, never, Scope.Scope> => {
  const { engine, polling, tally } = runtime
  const path = pathOf(engine.options.storePathRootDir)
  const make = attempt(() => {
    const region = makeFile(path)
    runtime.counters = new StoreCounters({
      region,
      pid: process.pid,
      epochMs: () => systemClock.epochMs(),
      counted: () => countedOf(engine, tally, polling.count),
      syncTimes: tally.syncTimes
    })
    return region
  })
  const made = Effect.acquireRelease(make, (region) =>
    Effect.sync(() => {
      runtime.counters = undefined
      region.close()
      Files.remove(path)
    })
  )
  return Effect.asVoid(made).pipe(
    Effect.catch((error) =>
      Effect.logWarning(`millrace: other processes do not see the figures of a store: ${error.message}`)
    )
  )
}

/** What the process that has a store open says of itself; null where none does, or none of ours. */
export const look = (directory: string): WriterFigures | null => {
  const values = readFile(pathOf(directory))
  return values === undefined ? null : figuresOf(values, systemClock.epochMs())
}

const readFile = (path: string): StoreCountersReader.CounterValues | undefined => {
  let region: MappedRegion | undefined
  try {
    region = Mapping.open(path, { readOnly: true })
    return StoreCountersReader.read(region)
  } catch {
    // It is not there, or not for us: the files of the store have to do, which all stores have.
    return undefined
  } finally {
    region?.close()
  }
}

const figuresOf = (values: StoreCountersReader.CounterValues, nowMs: number): WriterFigures => {
  const value = (typeId: number): number => values.get(typeId)!
  const writtenAt = value(CountersFileDescriptor.HEARTBEAT)
  const maxPosition = value(CountersFileDescriptor.MAX_POSITION)
  const behind = (typeId: number): number => Math.max(0, maxPosition - value(typeId))
  const lastSyncsAt = value(CountersFileDescriptor.LAST_SYNCS)
  const ms = (typeId: number): number => value(typeId) / NS_PER_MS
  return {
    pid: value(CountersFileDescriptor.PID),
    openedAt: value(CountersFileDescriptor.OPENED),
    writtenAt,
    isLive: Math.abs(nowMs - writtenAt) <= HEARTBEAT_AGE_MAX_MS,
    isWriteable: value(CountersFileDescriptor.WRITEABLE) === 1,
    putMessageCount: value(CountersFileDescriptor.PUT_MESSAGES),
    putBytes: value(CountersFileDescriptor.PUT_BYTES),
    getMessageCount: value(CountersFileDescriptor.GET_MESSAGES),
    getBytes: value(CountersFileDescriptor.GET_BYTES),
    refusalCount: value(CountersFileDescriptor.REFUSALS),
    waitingReaderCount: value(CountersFileDescriptor.WAITING_READERS),
    commitBehindBytes: behind(CountersFileDescriptor.COMMITTED_POSITION),
    dirtyBytes: behind(CountersFileDescriptor.FLUSHED_POSITION),
    dispatchBehindBytes: behind(CountersFileDescriptor.DISPATCHED_POSITION),
    syncCount: value(CountersFileDescriptor.SYNCS),
    syncTimeMs: ms(CountersFileDescriptor.SYNC_TIME_NS),
    lastSyncs:
      lastSyncsAt === 0
        ? null
        : {
            at: lastSyncsAt,
            p50Ms: ms(CountersFileDescriptor.SYNC_P50_NS),
            p99Ms: ms(CountersFileDescriptor.SYNC_P99_NS),
            maxMs: ms(CountersFileDescriptor.SYNC_MAX_NS)
          }
  }
}
