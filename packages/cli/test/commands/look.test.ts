import { assert, describe, it } from "@effect/vitest"
import * as MessageStore from "@millrace/store/MessageStore"
import * as MediaDriver from "@millrace/transport/MediaDriver"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { doctor } from "../../src/commands/doctor.ts"
import { top } from "../../src/commands/top.ts"
import { web } from "../../src/commands/web.ts"
import * as ExitCode from "../../src/internal/exitCode.ts"
import * as InProcess from "../support/InProcess.ts"
import * as Millrace from "../support/Millrace.ts"

const withDriver = <A, E, R>(use: (directory: string) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(MediaDriver.MediaDriver, ({ directory }) => use(directory)).pipe(
    Effect.scoped,
    Effect.provide(MediaDriver.layerEmbedded({ threading: "invoker" }))
  )

const storeDirectory = Effect.gen(function* () {
  const directory = path.join(yield* Millrace.directory, "store")
  yield* Effect.gen(function* () {
    const store = yield* MessageStore.MessageStore
    yield* store.putMany([1, 2, 3].map((n) => ({ topic: "trades", body: Buffer.from(`${n}`) })))
  }).pipe(Effect.provide(MessageStore.layer({ directory, mappedFileSizeCommitLog: 1 << 16 })))
  return directory
})

const QUICK = ["--interval", "0.1"]

/** The exit code of a command that fails, and what it says. */
const failed = (effect: Effect.Effect<string, unknown>) =>
  Effect.map(Effect.sandbox(effect).pipe(Effect.flip), (cause) => ({
    code: ExitCode.ofCause(cause),
    message: (Cause.squash(cause) as Error).message
  }))

describe("millrace top", () => {
  it.live("shows a driver and a store in one picture, whole", () =>
    withDriver((directory) =>
      Effect.gen(function* () {
        const store = yield* storeDirectory
        const text = yield* InProcess.run(top, "--dir", directory, "--store", store, "--once", ...QUICK)
        assert.match(text, new RegExp(`^driver ${directory} {2}pid ${process.pid} {2}heartbeat`, "m"))
        assert.match(text, /^ {2}No stream is there\.$/m)
        assert.match(text, new RegExp(`^store ${store} {2}closed {2}3 messages in 1 topic$`, "m"))
        assert.match(text, /^trades +\d+ +0\/s +▁ +3 +–$/m)
        assert.notInclude(text, "\u001b")
      }).pipe(Effect.scoped)
    )
  )

  it.live("prints a sample a line for scripts, with rates from the second on", () =>
    Effect.gen(function* () {
      const store = yield* storeDirectory
      const sample = JSON.parse(yield* InProcess.run(top, "--store", store, "--once", "--json", ...QUICK))
      assert.isNull(sample.driver)
      assert.deepInclude(sample.store, { directory: store, messages: 3, messagesPerSecond: 0 })
    }).pipe(Effect.scoped)
  )

  it.live("says what to do where nothing is to be seen", () =>
    Effect.gen(function* () {
      const noDriver = yield* failed(InProcess.run(top, "--dir", "/no/such", "--once"))
      assert.strictEqual(noDriver.code, 1)
      assert.match(noDriver.message, /^no media driver in \/no\/such: .* Start one/)
      const noStore = yield* failed(InProcess.run(top, "--store", "/no/such", "--once"))
      assert.strictEqual(noStore.code, 2)
      assert.match(noStore.message, /^\/no\/such: no such directory\. .*millrace store put$/)
    })
  )
})

describe("millrace doctor", () => {
  it.live("tries this machine, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const directory = yield* Millrace.directory
      const { checks, status } = JSON.parse(yield* InProcess.run(doctor, "--store", directory, "--json"))
      assert.include(["ok", "warn"], status)
      const names = checks.map(({ name }: { readonly name: string }) => name)
      assert.includeMembers(names, ["Node", "koffi", "shared memory", "file system", "disk space", "clock steps"])
      for (const check of checks) {
        assert.strictEqual("mend" in check, check.status !== "ok", check.name)
      }
      assert.deepStrictEqual(fs.readdirSync(directory), [])
      assert.match(yield* InProcess.run(doctor, "--store", directory), /^✓ Node +v\d+[^]*\n\d+ ok, /)
    }).pipe(Effect.scoped)
  )

  it.live("has exit code 1 where something must be mended, and says where the command is", () =>
    Effect.gen(function* () {
      const { code, message } = yield* failed(InProcess.run(doctor, "--dir", "/no/such/driver", "--store", "/proc"))
      assert.strictEqual(code, 1)
      assert.match(message, /^this machine has to be mended: .*shared memory.*"mend" of --json$/)
    })
  )
})

describe("millrace web", () => {
  it.live("listens on loopback alone", () =>
    Effect.gen(function* () {
      for (const host of ["0.0.0.0", "::", "192.168.1.1", "localhost"]) {
        const { code } = yield* failed(InProcess.run(web, "--host", host))
        assert.strictEqual(code, 2, host)
      }
    })
  )
})
