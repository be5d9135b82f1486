/**
 * Real processes that are killed while they store messages, recover, clean: what they acknowledged is there, once. Half of
 * the deaths are at a chosen call of the file system, half come from outside at any time. `pnpm stress` kills 1,000 times.
 */
import { describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { join } from "node:path"
import { assert } from "vitest"
import type { MessageStoreOptions } from "../src/MessageStoreConfig.ts"
import { CrashLedger } from "./fixtures/CrashLedger.ts"
import { type Life, SMALL } from "./fixtures/CrashStore.ts"
import { randomOf } from "./fixtures/SimulatedStore.ts"
import { type Death, OPERATIONS } from "./fixtures/SuddenDeath.ts"
import * as Temporary from "./fixtures/Temporary.ts"
import * as WriterProcess from "./fixtures/WriterProcess.ts"

const SHORT = 25
const KILLS_MAX = 1_000
const KILLS = Math.min(KILLS_MAX, Number(process.env["MILLRACE_COUNT"] ?? SHORT))
const SEED = Number(process.env["MILLRACE_SEED"] ?? 1)

const MESSAGES_MAX = 300
const CALLS_MAX = 100
const CALLS_IN_RECOVERY_MAX = 8
const RECOVERY_RATE = 0.4
const DELAY_MAX_MS = 25
const CLOCK_STEP_MAX_MS = 60 * 60_000
/** How often a killed store is looked at before the next process opens it. */
const CHECK_RATE = 0.6

const STORES: Readonly<Record<string, Partial<MessageStoreOptions>>> = {
  async: {},
  sync: { flushDiskType: "SYNC_FLUSH" },
  "async, transient pool": { transientStorePoolEnable: true },
  "sync, transient pool": { flushDiskType: "SYNC_FLUSH", transientStorePoolEnable: true },
  "async, by position": { writeWithoutMmap: true },
  "sync, by position": { flushDiskType: "SYNC_FLUSH", writeWithoutMmap: true }
}

interface Killing {
  /** Lines of the writer before its time begins to run; with 0 it begins when the writer opens its store. */
  readonly lines: number
  readonly delayMs: number
}

/** Lets a writer live, and resolves with whether it had opened its store when it died. */
const liveAndDie = (
  writer: WriterProcess.WriterProcess,
  life: Life,
  killing: Killing,
  onLine: (line: string) => void
) =>
  Effect.callback<boolean>((resume) => {
    const { process: child } = writer
    let lineCount = 0
    let hasOpened = false
    let failure: unknown = undefined
    const killLater = (ms: number) => setTimeout(() => child.kill("SIGKILL"), ms)
    writer.begin(life, (line) => {
      hasOpened ||= line.startsWith("open ")
      try {
        onLine(line)
      } catch (error) {
        failure ??= error
      }
      lineCount += line === "ready" ? 0 : 1
      if (line === "idle" || (life.death === undefined && lineCount === killing.lines)) {
        killLater(killing.delayMs)
      }
    })
    child.once("close", (code, signal) =>
      resume(
        failure !== undefined
          ? Effect.die(failure)
          : signal === "SIGKILL"
            ? Effect.succeed(hasOpened)
            : Effect.die(new Error(`the writer ended with ${code ?? signal}: ${writer.errors()}`))
      )
    )
    if (killing.lines === 0 && life.death === undefined) {
      child.stdout!.once("data", () => killLater(killing.delayMs))
    }
  })

/** Many of the first calls belong to recovery. */
const deathOf = (random: () => number): Death => ({
  operation: OPERATIONS[Math.floor(random() * OPERATIONS.length)]!,
  call: 1 + Math.floor(random() * (random() < RECOVERY_RATE ? CALLS_IN_RECOVERY_MAX : CALLS_MAX)),
  isBefore: random() < 0.5
})

const killingOf = (random: () => number): Killing => ({
  lines: random() < RECOVERY_RATE ? 0 : 1 + Math.floor(random() * random() * MESSAGES_MAX),
  delayMs: random() * DELAY_MAX_MS
})

interface Outcome {
  readonly ledgers: ReadonlyArray<CrashLedger>
  readonly deathsInRecovery: number
}

/** Kills so many writers of these stores, one after the other. */
const killWriters = (
  stores: Readonly<Record<string, Partial<MessageStoreOptions>>>,
  kills: number,
  seed: number,
  more: Partial<Life> = {}
): Effect.Effect<Outcome, never, Scope.Scope> =>
  Effect.gen(function* () {
    const root = yield* Temporary.directory
    const cache = join(root, "cache")
    const ledgers = Object.values(stores).map(
      (options, index) =>
        new CrashLedger({ ...SMALL, syncFlushTimeout: 60_000, ...options, directory: join(root, String(index)) })
    )
    let next = WriterProcess.start(cache)
    yield* Effect.addFinalizer(() => Effect.sync(() => next.process.kill("SIGKILL")))
    let clockAheadMs = 0
    let deathsInRecovery = 0
    for (let round = 0; round < kills; round++) {
      const random = randomOf(seed + 7919 * round)
      random()
      const index = round % ledgers.length
      const ledger = ledgers[index]!
      clockAheadMs += Math.floor((random() * CLOCK_STEP_MAX_MS) / ledgers.length)
      const life: Life = {
        options: ledger.options,
        round,
        seed: seed + round,
        clockAheadMs,
        messageCount: Math.floor(random() * MESSAGES_MAX),
        death: random() < 0.5 ? deathOf(random) : undefined,
        isLying: false,
        isForgetful: false,
        ...more
      }
      const killing = killingOf(random)
      const writer = next
      next = WriterProcess.start(cache)
      const where = `seed ${seed}, kill ${round}, ${Object.keys(stores)[index]}, ${JSON.stringify(life.death ?? killing)}`
      const step = Effect.gen(function* () {
        const hasOpened = yield* liveAndDie(writer, life, killing, (line) => ledger.onLine(line))
        deathsInRecovery += hasOpened ? 0 : 1
        if (random() < CHECK_RATE || round >= kills - ledgers.length) {
          yield* ledger.check(clockAheadMs)
        }
      })
      if (round > 0 && round % 100 === 0) {
        process.stdout.write(`${round} kills from seed ${seed}\n`)
      }
      yield* Effect.catchCause(step, (cause) => Effect.die(new Error(`${where}: ${Cause.pretty(cause)}`)))
    }
    return { ledgers, deathsInRecovery }
  })

describe("a store whose processes are killed", () => {
  it.live(
    "has everything that was acknowledged, once, and its parts agree",
    () =>
      Effect.gen(function* () {
        const { deathsInRecovery, ledgers } = yield* killWriters(STORES, KILLS, SEED)
        const sum = (count: (ledger: CrashLedger) => number) => ledgers.reduce((total, each) => total + count(each), 0)
        const acknowledged = sum((ledger) => ledger.acknowledgedCount)
        const text =
          `${KILLS} kills from seed ${SEED}, ${deathsInRecovery} of them before the store was open; messages: ` +
          `${acknowledged} acknowledged, ${sum((ledger) => ledger.expiredCount)} expired, ` +
          `${sum((ledger) => ledger.lostFromPoolCount)} lost before their commit, ` +
          `${sum((ledger) => ledger.unacknowledgedCount)} found that were not acknowledged`
        process.stdout.write(`${text}\n`)
        assert.isAbove(acknowledged, KILLS)
        assert.isAbove(deathsInRecovery, 0)
      }),
    KILLS === SHORT ? 120_000 : 0
  )

  it.live("is found out when it acknowledges what is not stored yet", () =>
    Effect.gen(function* () {
      const death: Death = { operation: "publish", call: 40, isBefore: true }
      const found = yield* Effect.sandbox(
        killWriters({ async: { writeWithoutMmap: true } }, 1, 1, { death, isLying: true, messageCount: MESSAGES_MAX })
      ).pipe(Effect.flip)
      assert.match(Cause.pretty(found), /is missing/)
    })
  )
})
