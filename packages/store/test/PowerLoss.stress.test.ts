/**
 * Failures of power: the device under a real store that flushes synchronously is copied while processes write it, and
 * each copy is opened. What was acknowledged before the copy was made is there. It takes root and loop devices. `pnpm
 * stress` makes 200 copies.
 */
import { describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import { join } from "node:path"
import { assert } from "vitest"
import type { MessageStoreOptions } from "../src/MessageStoreConfig.ts"
import { CrashLedger } from "./fixtures/CrashLedger.ts"
import { type Life, SMALL } from "./fixtures/CrashStore.ts"
import * as LoopDevice from "./fixtures/LoopDevice.ts"
import { randomOf } from "./fixtures/SimulatedStore.ts"
import * as Temporary from "./fixtures/Temporary.ts"
import * as WriterProcess from "./fixtures/WriterProcess.ts"

const SHORT = 2
const COPIES_MAX = 200
const COPIES = Math.min(COPIES_MAX, Number(process.env["MILLRACE_COUNT"] ?? SHORT))
const SEED = Number(process.env["MILLRACE_SEED"] ?? 1)

const DEVICE_LENGTH = 16 * 1024 * 1024
const COPIES_A_LIFE = 4
/** Lives that one device sees: all but the first begin with a recovery. */
const LIVES = 3
const MESSAGES = 400
const PAUSE_MAX_MS = 40

/** One device after the other has a store of each kind. */
const KINDS: ReadonlyArray<Partial<MessageStoreOptions>> = [
  {},
  { transientStorePoolEnable: true },
  { writeWithoutMmap: true }
]

interface Copy {
  readonly content: Uint8Array
  /** What the store owes at this moment. */
  readonly owed: CrashLedger
}

/** Lets a writer live on a device, and copies that at random moments before the writer has nothing more to do. */
const copiesOf = (
  writer: WriterProcess.WriterProcess,
  life: Life,
  ledger: CrashLedger,
  copyNow: () => Uint8Array | undefined,
  random: () => number
) =>
  Effect.callback<ReadonlyArray<Copy>>((resume) => {
    const copies: Array<Copy> = []
    let failure: unknown = undefined
    const copyLater = (): void =>
      void setTimeout(() => {
        const owed = ledger.ofCopy("")
        const content = copyNow()
        if (content !== undefined) {
          copies.push({ content, owed })
        }
        if (copies.length < COPIES_A_LIFE && writer.process.signalCode === null) {
          copyLater()
        } else {
          writer.process.kill("SIGKILL")
        }
      }, random() * PAUSE_MAX_MS)
    writer.begin(life, (line) => {
      try {
        ledger.onLine(line)
      } catch (error) {
        failure ??= error
      }
      if (line.startsWith("open ")) {
        copyLater()
      } else if (line === "idle") {
        writer.process.kill("SIGKILL")
      }
    })
    writer.process.once("close", (code, signal) =>
      resume(
        failure !== undefined
          ? Effect.die(failure)
          : signal === "SIGKILL"
            ? Effect.succeed(copies)
            : Effect.die(new Error(`the writer ended with ${code ?? signal}: ${writer.errors()}`))
      )
    )
  })

/** Opens a copy as the machine would after the failure, and holds it against what was acknowledged. */
const checkCopy = (root: string, { content, owed }: Copy) =>
  Effect.gen(function* () {
    const [image, mounted] = [join(root, "copy.img"), join(root, "copy")]
    fs.writeFileSync(image, content)
    yield* LoopDevice.mount(image, mounted)
    yield* owed.ofCopy(join(mounted, "store")).check(0)
  }).pipe(Effect.scoped)

/** Makes so many copies and opens them. Gives the number of acknowledged messages. */
const losePower = (count: number, seed: number, more: Partial<Life> = {}): Effect.Effect<number, never, Scope.Scope> =>
  Effect.gen(function* () {
    const root = yield* Temporary.directory
    let acknowledged = 0
    for (let made = 0, device = 0; made < count; device++) {
      const onDevice = Effect.gen(function* () {
        const [image, mounted] = [join(root, "device.img"), join(root, "device")]
        LoopDevice.format(image, DEVICE_LENGTH)
        const name = yield* LoopDevice.mount(image, mounted)
        const directory = join(mounted, "store")
        const options: MessageStoreOptions = {
          ...SMALL,
          flushDiskType: "SYNC_FLUSH",
          syncFlushTimeout: 60_000,
          ...KINDS[device % KINDS.length],
          directory
        }
        const ledger = new CrashLedger(options)
        const madeBefore = made
        for (let turn = 0; turn < LIVES && made < count; turn++) {
          const round = device * LIVES + turn
          const random = randomOf(seed + 7919 * round)
          const writer = WriterProcess.start(join(root, "cache"))
          const life: Life = {
            options,
            round,
            seed: seed + round,
            clockAheadMs: 0,
            messageCount: MESSAGES,
            death: undefined,
            isLying: false,
            isForgetful: false,
            ...more
          }
          const copyNow = () => LoopDevice.contentAtOnce(name, image)
          for (const copy of yield* copiesOf(writer, life, ledger, copyNow, random)) {
            yield* checkCopy(root, copy)
            made++
          }
        }
        assert.isAbove(made, madeBefore, "no moment was found in which the device was not written")
        acknowledged += ledger.acknowledgedCount
      })
      yield* Effect.scoped(onDevice)
    }
    return acknowledged
  })

describe.skipIf(LoopDevice.noLoopReason !== undefined)("a store on a device that loses its power", () => {
  it.live(
    "has everything that was acknowledged as on the device, once, and its parts agree",
    () =>
      Effect.gen(function* () {
        const acknowledged = yield* losePower(COPIES, SEED)
        process.stdout.write(`${COPIES} copies of a device from seed ${SEED}, ${acknowledged} messages acknowledged\n`)
        assert.isAbove(acknowledged, COPIES)
      }),
    COPIES === SHORT ? 60_000 : 0
  )

  it.live(
    "is found out when its syncs do nothing",
    () =>
      Effect.gen(function* () {
        const found = yield* losePower(COPIES_A_LIFE, SEED, { isForgetful: true }).pipe(Effect.sandbox, Effect.flip)
        assert.match(Cause.pretty(found), /is missing/)
      }),
    60_000
  )
})
