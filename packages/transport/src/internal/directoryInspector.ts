/** Opens a driver's files for reading alone, and reads them when asked. */
import * as fs from "node:fs"
import { join } from "node:path"
import { CountersReader } from "@millrace/core/kernel/counters/CountersReader"
import * as ErrorLogReader from "@millrace/core/kernel/errorlog/ErrorLogReader"
import { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import * as LogBufferMetadata from "@millrace/core/kernel/logbuffer/LogBufferMetadata"
import * as LossReportReader from "@millrace/core/kernel/lossreport/LossReportReader"
import * as Mapping from "@millrace/core/kernel/native/Mapping"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as CncDescriptor from "../command/CncDescriptor.ts"
import type {
  Counter,
  DriverStatus,
  Inspector,
  LogInspector as LogInspection,
  Loss,
  RecordedError
} from "../Inspector.ts"
import * as BacklogStat from "../inspect/BacklogStat.ts"
import * as LogInspector from "../inspect/LogInspector.ts"
import * as StreamStat from "../inspect/StreamStat.ts"
import { DriverNotFound, IncompatibleDriver, type TransportError } from "../TransportError.ts"
import * as CncFile from "./cncFile.ts"
import { defaultDirectory } from "./defaultDirectory.ts"
import { attempt, fail } from "./transportError.ts"

const LOSS_REPORT_FILE = "loss-report.dat"

export const open = Effect.fnUntraced(function* (
  options: { readonly directory?: string } = {}
): Effect.fn.Return<Inspector, TransportError, Scope.Scope> {
  const directory = options.directory ?? defaultDirectory()
  const file = yield* Effect.acquireRelease(openCnc(directory), ({ region }) => Effect.sync(() => region.close()))
  const reader = new CountersReader(file.buffers.countersMetadata, file.buffers.countersValues)
  const counters = attempt(() => countersOf(reader))
  const streams = Effect.map(counters, StreamStat.collect)
  return {
    status: attempt(() => statusOf(directory, file)),
    counters,
    streams,
    backlogs: Effect.map(streams, BacklogStat.collect),
    errors: attempt(() => errorsOf(file)),
    losses: attempt(() => lossesOf(join(directory, LOSS_REPORT_FILE)))
  }
})

const openCnc = (directory: string): Effect.Effect<CncFile.CncFile, TransportError> =>
  Effect.flatMap(
    attempt(() => CncFile.open(directory, { readOnly: true })),
    (file) => (CncFile.isAbsence(file) ? fail(absenceReason(directory, file)) : Effect.succeed(file))
  )

const absenceReason = (directory: string, absence: CncFile.CncAbsence): DriverNotFound | IncompatibleDriver => {
  if (absence._tag === "Incompatible") {
    const version = CncDescriptor.formatVersion(absence.version)
    return new IncompatibleDriver({
      directory,
      version,
      supported: CncDescriptor.formatVersion(CncDescriptor.VERSION)
    })
  }
  const found = {
    Missing: "there is no CnC file",
    NotReady: "its CnC file is not ready",
    Truncated: "its CnC file is shorter than its header says"
  }[absence._tag]
  return new DriverNotFound({ directory, found, waitedMs: 0 })
}

const statusOf = (directory: string, file: CncFile.CncFile): DriverStatus => {
  const { buffers, header } = file
  const heartbeatMs = CncFile.heartbeatMs(file)
  return {
    directory,
    pid: header.pid,
    cncVersion: CncDescriptor.formatVersion(CncDescriptor.versionVolatile(buffers.header)),
    startMs: header.startTimestampMs,
    heartbeatAgeMs: heartbeatMs > 0 ? Date.now() - heartbeatMs : undefined
  }
}

const countersOf = (reader: CountersReader): ReadonlyArray<Counter> => {
  const counters: Array<Counter> = []
  reader.forEach((counter) => counters.push(counter))
  return counters
}

const errorsOf = ({ buffers }: CncFile.CncFile): ReadonlyArray<RecordedError> => {
  const errors: Array<RecordedError> = []
  ErrorLogReader.read(buffers.errorLog, (count, firstMs, lastMs, text) => errors.push({ count, firstMs, lastMs, text }))
  return errors
}

/** The C driver makes the file with the first loss. */
const lossesOf = (path: string): ReadonlyArray<Loss> => {
  if (!fs.existsSync(path)) {
    return []
  }
  const losses: Array<Loss> = []
  const region = Mapping.open(path, { readOnly: true })
  try {
    LossReportReader.read(region.buffer(), (entry) => losses.push(entry))
  } finally {
    region.close()
  }
  return losses
}

export const openLog = Effect.fnUntraced(function* (
  file: string
): Effect.fn.Return<LogInspection, TransportError, Scope.Scope> {
  const region = yield* Effect.acquireRelease(
    attempt(() => Mapping.open(file, { readOnly: true })),
    (region) => Effect.sync(() => region.close())
  )
  const log = yield* attempt(() => new LogBuffers(region))
  return {
    metadata: attempt(() => LogBufferMetadata.read(log.metadata)),
    frames: (options) =>
      Stream.fromIterable({
        [Symbol.iterator]: () =>
          LogInspector.frames(log, { payloadLengthMax: options?.payloadLengthMax ?? log.mtuLength })
      })
  }
})
