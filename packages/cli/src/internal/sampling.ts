/** Takes samples of a driver's directory, of a store, or of both. Reads only: no client, no lock. */
import * as Inspect from "@millrace/store/Inspect"
import type { MessageStoreOptions } from "@millrace/store/MessageStoreConfig"
import * as Inspector from "@millrace/transport/Inspector"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Absent, isAbsent, type Sample } from "../top/Sample.ts"
import * as DriverSample from "../top/DriverSample.ts"
import * as StoreSample from "../top/StoreSample.ts"
import { reopening } from "./reopening.ts"

export interface Targets {
  readonly driver: string | undefined
  readonly store: MessageStoreOptions | undefined
}

const CNC_FILE = "cnc.dat"
const NS_PER_MS = 1e6

/** A driver that begins anew makes its file anew. */
const identityOf = (file: string): Effect.Effect<string> =>
  Effect.sync(() => {
    const found = fs.statSync(file, { throwIfNoEntry: false })
    return found === undefined ? "" : `${found.dev} ${found.ino}`
  })

const driverReading = (inspector: Inspector.Inspector) =>
  Effect.all({
    status: inspector.status,
    counters: inspector.counters,
    streams: inspector.streams,
    backlogs: inspector.backlogs,
    errors: inspector.errors,
    losses: inspector.losses
  })

/** Remembers the sample before, to which the rates are. */
const inTurn = <Reading, Part extends object>(
  read: Effect.Effect<Reading | Absent>,
  sampleOf: (reading: Reading, timeMs: number, elapsedMs: number, previous: Part | undefined) => Part
): Effect.Effect<Part | Absent> => {
  let previous: Part | undefined
  let previousNs = 0n
  return Effect.gen(function* () {
    const reading = yield* read
    const nowNs = yield* Clock.monotonicTimeNanos
    if (isAbsent(reading as Absent)) {
      previous = undefined
      return reading as Absent
    }
    const elapsedMs = Number(nowNs - previousNs) / NS_PER_MS
    previous = sampleOf(reading as Reading, yield* Clock.currentTimeMillis, elapsedMs, previous)
    previousNs = nowNs
    return previous
  })
}

/** Opens what is to be looked at, which has to be there; each run of what it gives is a sample. */
export const make = Effect.fnUntraced(function* (targets: Targets) {
  const driver =
    targets.driver === undefined
      ? Effect.succeed(null)
      : inTurn(
          yield* reopening({
            directory: targets.driver,
            open: Inspector.open({ directory: targets.driver }),
            read: driverReading,
            identity: identityOf(path.join(targets.driver, CNC_FILE))
          }),
          DriverSample.of
        )
  const store =
    targets.store === undefined
      ? Effect.succeed(null)
      : inTurn(
          yield* reopening({
            directory: targets.store.directory,
            open: Inspect.observe(targets.store),
            read: ({ look }) => look,
            identity: identityOf(targets.store.directory)
          }),
          StoreSample.of
        )
  return Effect.gen(function* (): Effect.fn.Return<Sample> {
    return { driver: yield* driver, store: yield* store, timeMs: yield* Clock.currentTimeMillis }
  })
})
