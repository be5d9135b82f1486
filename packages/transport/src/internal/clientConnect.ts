/** Connects a client to the driver in a directory, waiting for one that is just starting. */
import * as AgentRunner from "@millrace/core/AgentRunner"
import type { IdleStrategy } from "@millrace/core/IdleStrategy"
import * as Mapping from "@millrace/core/kernel/native/Mapping"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ClientListener } from "../client/ClientListener.ts"
import * as CncDescriptor from "../command/CncDescriptor.ts"
import type { DriverLocation } from "../MediaDriver.ts"
import { DriverNotFound, IncompatibleDriver, type TransportError } from "../TransportError.ts"
import { assemble, type ClientTimes } from "./clientAssembly.ts"
import type { ClientConnection } from "./clientRuntime.ts"
import * as CncFile from "./cncFile.ts"
import { attempt, fail } from "./transportError.ts"

/** Each look maps the file: the longer none comes, the rarer they are. */
const LOOK_INTERVAL_MS_MIN = 10
const LOOK_INTERVAL_MS_MAX = 250
const LOOK_INTERVAL_PART = 1 / 16

export interface ConnectOptions extends ClientTimes {
  readonly driver: DriverLocation
  readonly idle: IdleStrategy | undefined
  /** How long to look for a driver; as long as one may be silent, when nothing is said. */
  readonly patienceMs?: number
}

/** What was found instead of a driver that lives, in words; undefined = it lives. */
const absenceOf = (file: CncFile.CncFile | CncFile.CncAbsence, timeoutMs: number): string | undefined => {
  if (!CncFile.isAbsence(file)) {
    const heartbeatMs = CncFile.heartbeatMs(file)
    if (heartbeatMs === 0) {
      return "its CnC file is there, but the driver has not begun to work"
    }
    const ageMs = Date.now() - heartbeatMs
    return heartbeatMs > 0 && ageMs <= timeoutMs
      ? undefined
      : `a driver was there (pid ${file.header.pid}), but ${heartbeatMs < 0 ? "it has shut down" : `its last heartbeat is ${ageMs} ms old`}`
  }
  switch (file._tag) {
    case "Missing":
      return "there is no CnC file"
    case "NotReady":
      return "its CnC file is not ready"
    case "Truncated":
      return "its CnC file is shorter than its header says"
    case "Incompatible":
      return "its CnC file is of another version"
  }
}

const lookIntervalMs = (waitedMs: number): number =>
  Math.min(LOOK_INTERVAL_MS_MAX, Math.max(LOOK_INTERVAL_MS_MIN, waitedMs * LOOK_INTERVAL_PART))

const openCnc = (options: ConnectOptions): Effect.Effect<CncFile.CncFile, TransportError> => {
  const { directory } = options.driver
  const startMs = performance.now()
  const look: Effect.Effect<CncFile.CncFile, TransportError> = attempt(() => CncFile.open(directory)).pipe(
    Effect.flatMap((file) => {
      if (CncFile.isAbsence(file) && file._tag === "Incompatible") {
        const version = CncDescriptor.formatVersion(file.version)
        const supported = CncDescriptor.formatVersion(CncDescriptor.VERSION)
        return fail(new IncompatibleDriver({ directory, version, supported }))
      }
      const found = absenceOf(file, options.driverTimeoutMs)
      if (found === undefined) {
        return Effect.succeed(file as CncFile.CncFile)
      }
      if (!CncFile.isAbsence(file)) {
        file.region.close()
      }
      const waitedMs = performance.now() - startMs
      return waitedMs >= (options.patienceMs ?? options.driverTimeoutMs)
        ? fail(new DriverNotFound({ directory, found, waitedMs }))
        : Effect.sleep(lookIntervalMs(waitedMs)).pipe(Effect.andThen(look))
    })
  )
  return look
}

/** Fails after the driver timeout when no living driver was found. The client is closed with the scope. */
export const connect = Effect.fnUntraced(function* (
  options: ConnectOptions,
  listener: ClientListener
): Effect.fn.Return<ClientConnection, TransportError, Scope.Scope> {
  const { directory, simulated } = options.driver
  if (simulated !== undefined) {
    return yield* simulated.connect(options, listener)
  }
  const file = yield* Effect.acquireRelease(openCnc(options), ({ region }) => Effect.sync(() => region.close()), {
    interruptible: true
  })
  const { conductor, counters } = assemble(file, options, listener, {
    clock: AgentRunner.clock,
    map: (fileName) => Mapping.open(fileName),
    isDriverReplaced: () => CncFile.isReplaced(directory, file.header)
  })
  const runner = yield* AgentRunner.run(conductor, options.idle === undefined ? {} : { idle: options.idle }).pipe(
    Effect.orDie
  )
  return { conductor, counters, errorLog: file.buffers.errorLog, header: file.header, runner }
})
