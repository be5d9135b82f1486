/** Starts a driver in the scope of its layer, on the threads that its options say. */
import { randomBytes } from "node:crypto"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { CoreError } from "@millrace/core/CoreError"
import { NativeError } from "@millrace/core/kernel/native/Errno"
import * as FileSpace from "@millrace/core/kernel/native/FileSpace"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { DriverInvoker, DriverLocation, MediaDriverService } from "../MediaDriver.ts"
import * as MediaDriverConfig from "../MediaDriverConfig.ts"
import {
  DriverActive,
  DriverFailed,
  InvalidOption,
  TransportError,
  type TransportErrorReason
} from "../TransportError.ts"
import * as CaptureFile from "./captureFile.ts"
import { defaultDirectory, rootDirectory } from "./defaultDirectory.ts"
import { cncLengths, startOptions } from "./driverSettings.ts"
import type { DriverActiveError, DriverStart } from "./driverStart.ts"
import { awaitDrained } from "./draining.ts"
import * as DriverThreads from "./driverThreads.ts"
import type { InvalidNaming } from "./nameResolver.ts"
import { orTakeOver } from "./orphanedDirectory.ts"
import * as ResolverInterface from "./resolverInterface.ts"
import { fail, reasonOfThrown } from "./transportError.ts"

const MIB = 1024 * 1024
const EMBEDDED_TERM_LENGTH_MAX = 4 * MIB
const TERM_LENGTH_MIN = 64 * 1024
/** An embedded driver leaves room for four streams of three terms each. */
const EMBEDDED_TERMS = 12
/** 8,192 counters: with rings, error log and the counters' descriptions a CnC file of 8 MiB, all of it reserved. */
const EMBEDDED_COUNTERS_VALUES = MIB
const EMBEDDED_ERRORS = MIB
/** The end of an embedded driver waits for its publications to be let go, which timers do: a second each is too long. */
const EMBEDDED_TIMER_INTERVAL = "100 millis"

const startOf = (
  settings: MediaDriverConfig.ConcludedSettings,
  directory: string,
  isEmbedded: boolean,
  { captureFile, media }: Pick<MediaDriverConfig.MediaDriverOptions, "captureFile" | "media">
): DriverStart => ({
  directory,
  cncLengths: cncLengths(settings),
  reserveWholeCnc: isEmbedded,
  ...startOptions(settings),
  deleteDirectoryOnShutdown: isEmbedded || settings.dirDeleteOnShutdown,
  media,
  captureFile
})

/** What was thrown while a driver started: an object of its class, or its plain fields when it came from a worker. */
const reasonOfStart = (thrown: unknown, directory: string): TransportErrorReason => {
  const fields = thrown as Partial<DriverActiveError> | Partial<InvalidNaming> | Partial<NativeError> | undefined
  if (fields?._tag === "DriverActive") {
    const { heartbeatAgeMs = 0, pid = 0, timeoutMs = 0 } = fields
    return new DriverActive({ directory, pid, heartbeatAgeMs, timeoutMs })
  }
  if (fields?._tag === "InvalidNaming") {
    const { allowed = "", option = "", value = "" } = fields
    return new InvalidOption({ option, value, allowed })
  }
  const reason = reasonOfThrown(
    fields?._tag === "NativeError" ? new NativeError({ syscall: "", errno: 0, code: "", ...fields }) : thrown
  )
  if (reason !== undefined) {
    return reason
  }
  const detail = fields?.message ?? String(thrown)
  return new DriverFailed({ directory, detail, cause: thrown })
}

const driverError = (error: CoreError, directory: string): TransportError => {
  const { reason } = error
  const cause = reason._tag === "AgentFailed" ? reason.cause : undefined
  const described =
    cause === undefined
      ? new DriverFailed({ directory, detail: error.message, cause: error })
      : reasonOfStart(cause, directory)
  return new TransportError({ reason: described })
}

const createCapture = ({ captureFile }: DriverStart): Effect.Effect<void, TransportError> =>
  captureFile === undefined
    ? Effect.void
    : Effect.try({
        try: () => CaptureFile.create(captureFile),
        catch: (error) => {
          const allowed = `a file that can be written: ${(error as Error).message}`
          return new TransportError({
            reason: new InvalidOption({ option: "captureFile", value: captureFile, allowed })
          })
        }
      })

const run = Effect.fnUntraced(function* (
  concluded: DriverStart,
  options: MediaDriverConfig.MediaDriverOptions
): Effect.fn.Return<MediaDriverService, TransportError, Scope.Scope> {
  const given = yield* ResolverInterface.resolve(concluded)
  const threading = options.threading ?? "shared"
  if (!DriverThreads.isThreading(threading) || !DriverThreads.isPossible(threading, given)) {
    const allowed = `${DriverThreads.NAMES.join(", ")}; with portable sockets, which belong to one thread, shared or invoker`
    return yield* fail(new InvalidOption({ option: "threading", value: threading, allowed }))
  }
  yield* createCapture(given)
  const start = { ...given, identity: { ...given.identity, threadingMode: DriverThreads.LABELS[threading] } }
  const toTransportError = (error: unknown): TransportError =>
    error instanceof CoreError
      ? driverError(error, start.directory)
      : new TransportError({ reason: reasonOfStart(error, start.directory) })
  const runner = yield* orTakeOver(start, (attempt) =>
    DriverThreads.run(attempt, threading, options).pipe(Effect.mapError(toTransportError))
  )
  return {
    directory: start.directory,
    wakeUnsafe: runner.wakeUnsafe,
    awaitTermination: runner.await.pipe(Effect.mapError(toTransportError))
  }
})

/** A driver whose duty cycles are the caller's. */
export const makeInvoker = Effect.fnUntraced(function* (
  options: Omit<MediaDriverConfig.MediaDriverOptions, "threading" | keyof MediaDriverConfig.IdleOptions>
): Effect.fn.Return<DriverInvoker, TransportError, Scope.Scope> {
  const settings = yield* MediaDriverConfig.conclude(options)
  const directory = options.directory ?? defaultDirectory()
  const given = yield* ResolverInterface.resolve(startOf(settings, directory, false, options))
  yield* createCapture(given)
  const start = { ...given, identity: { ...given.identity, threadingMode: DriverThreads.LABELS.invoker } }
  return yield* orTakeOver(start, (attempt) =>
    DriverThreads.makeInvoker(attempt).pipe(
      Effect.mapError((error) => new TransportError({ reason: reasonOfStart(error, directory) }))
    )
  )
})

/** A driver in its public directory. It goes on until its scope ends or a client terminates it. */
export const makeStandalone = Effect.fnUntraced(function* (options: MediaDriverConfig.MediaDriverOptions) {
  const settings = yield* MediaDriverConfig.conclude(options)
  return yield* run(startOf(settings, options.directory ?? defaultDirectory(), false, options), options)
})

/** A driver for this program and its children, in a directory of its own that goes with it. */
export const makeEmbedded = Effect.fnUntraced(function* (options: MediaDriverConfig.MediaDriverOptions) {
  const root = rootDirectory()
  const directory = options.directory ?? join(root, `millrace-${process.pid}-${randomBytes(4).toString("hex")}`)
  const termLength = yield* embeddedTermLength(options.directory === undefined ? root : join(directory, ".."))
  const settings = yield* MediaDriverConfig.conclude({
    ipcTermBufferLength: termLength,
    termBufferLength: termLength,
    countersValuesBufferLength: EMBEDDED_COUNTERS_VALUES,
    errorBufferLength: EMBEDDED_ERRORS,
    // A given liveness timeout brings its own interval.
    ...(options.clientLivenessTimeout === undefined ? { timerInterval: EMBEDDED_TIMER_INTERVAL } : {}),
    ...options
  })
  yield* removeAtExit(directory)
  const driver = yield* run(startOf(settings, directory, true, options), options)
  yield* Effect.addFinalizer(() => awaitDrained(directory, Duration.nanos(BigInt(settings.publicationLingerTimeout))))
  return driver
})

/** Half of what is free would be too much for a second stream: see `EMBEDDED_TERMS`. */
const embeddedTermLength = (root: string): Effect.Effect<number> =>
  Effect.sync(() => {
    const share = Math.floor(freeBytes(root) / EMBEDDED_TERMS)
    const powerOfTwo = 2 ** Math.floor(Math.log2(Math.max(share, 1)))
    return Math.min(EMBEDDED_TERM_LENGTH_MAX, Math.max(TERM_LENGTH_MIN, powerOfTwo))
  })

/** Where nothing can be said of the file system the directory's own error comes first, when it is made. */
const freeBytes = (path: string): number => {
  try {
    return FileSpace.available(path).freeBytes
  } catch {
    return Infinity
  }
}

/** `process.exit` runs no finalizers: the directory goes at least with the process that ends in order. */
const removeAtExit = (directory: string): Effect.Effect<unknown, never, Scope.Scope> => {
  const onExit = (): void => rmSync(directory, { recursive: true, force: true })
  return Effect.acquireRelease(
    Effect.sync(() => process.on("exit", onExit)),
    () => Effect.sync(() => process.off("exit", onExit))
  )
}

export const locationOf = (driver: MediaDriverService): DriverLocation => ({
  directory: driver.directory,
  wakeUnsafe: driver.wakeUnsafe
})
