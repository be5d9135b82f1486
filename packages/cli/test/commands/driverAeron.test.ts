/** `millrace driver` started as scripts start Aeron's `aeronmd`. */
import { assert, describe, it } from "@effect/vitest"
import * as MediaDriver from "@millrace/transport/MediaDriver"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as Millrace from "../support/Millrace.ts"

const LONG = 120_000
const EXECUTABLE = fileURLToPath(new URL("../../bin/millrace-driver", import.meta.url))

const cncLengths = (directory: string) => {
  const file = fs.readFileSync(path.join(directory, "cnc.dat"))
  return { toDriver: file.readInt32LE(4), clientLivenessTimeoutNs: file.readBigInt64LE(24) }
}

const terminate = (directory: string, token = "") =>
  MediaDriver.requestTermination({ directory, token: new TextEncoder().encode(token) })

describe.concurrent("millrace driver as aeronmd", () => {
  it.live(
    "takes its options from the environment, over them those of the command line, over them those of files",
    () =>
      Effect.gen(function* () {
        const temporary = yield* Millrace.directory
        const file = path.join(temporary, "driver.properties")
        fs.writeFileSync(file, "# last\naeron.mtu.length = 2k\naeron.socket.so_sndbuf=0\n")
        const directory = path.join(temporary, "aeron")
        const env = {
          AERON_DIR: directory,
          AERON_CLIENT_LIVENESS_TIMEOUT: "5000000000",
          AERON_MTU_LENGTH: "8k",
          AERON_TERM_BUFFER_LENGTH: "64k",
          AERON_MAX_RESEND: "900",
          AERON_IPC_MTU_LENGTH: "long",
          AERON_PRINT_CONFIGURATION: "true",
          AERON_ENABLE_EXPERIMENTAL_FEATURES: "false",
          AERON_NOBODY_KNOWS: "this"
        }
        const args = ["driver", "-Daeron.mtu.length=4k", "-D", "aeron.term.buffer.length=128k", file]
        const driver = yield* Millrace.start(args, { temporary, env })
        const lines = (yield* driver.says("is ready in")).split("\n")
        for (const line of [
          `aeron.dir=${directory}`,
          "aeron.client.liveness.timeout=5s",
          "aeron.mtu.length=2048",
          "aeron.term.buffer.length=131072",
          "# ignored: AERON_NOBODY_KNOWS=this (environment): it is not known",
          "# ignored: AERON_ENABLE_EXPERIMENTAL_FEATURES=false (environment): it has no meaning for this driver"
        ]) {
          assert.include(lines, line)
        }
        assert.deepStrictEqual(cncLengths(directory), {
          toDriver: 1024 * 1024 + 768,
          clientLivenessTimeoutNs: 5_000_000_000n
        })
        yield* driver.kill("SIGTERM")
        const { code, stderr, stdout } = yield* driver.ended
        assert.strictEqual(code, 15)
        assert.include(stdout, "Shutting down driver...")
        assert.deepStrictEqual(stderr.split("\n").toSorted(), [
          "",
          "WARNING: AERON_IPC_MTU_LENGTH=long is not valid: allowed is bytes from 64 to 65504; the default is used",
          "WARNING: AERON_MAX_RESEND=900 is beyond its limits: allowed is a whole number from 1 to 256; 256 is used"
        ])
      }).pipe(Effect.scoped),
    LONG
  )

  it.live(
    "ends with 2 when what is typed is not known or does not fit together, naming it",
    () =>
      Effect.gen(function* () {
        const temporary = yield* Millrace.directory
        for (const [args, message] of [
          [["-Daeron.nothing=1"], "millrace: -Daeron.nothing: the option is not known"],
          [["--quickly"], "Unrecognized flag: --quickly"],
          [["-Daeron.term.buffer.length=100000"], "a power of two"]
        ] as const) {
          const { code, stderr, stdout } = yield* Millrace.run(["driver", ...args], { temporary })
          assert.strictEqual(code, 2, stderr)
          assert.include(stderr, message)
          assert.strictEqual(stdout, "")
        }
      }).pipe(Effect.scoped),
    LONG
  )

  it.live(
    "ends with 0 after the command to terminate, its standard input open, and removes its directory when told",
    () =>
      Effect.gen(function* () {
        const temporary = yield* Millrace.directory
        const directory = path.join(temporary, "aeron")
        const env = {
          AERON_DIR: directory,
          AERON_DRIVER_TERMINATION_VALIDATOR: "allow",
          AERON_DIR_DELETE_ON_SHUTDOWN: "true"
        }
        const driver = yield* Millrace.start(["driver"], { temporary, env, stdin: null })
        yield* driver.says("is ready in")
        assert.isTrue(yield* terminate(directory))
        const { code, stderr } = yield* driver.ended
        assert.deepStrictEqual([code, stderr], [0, ""])
        assert.isFalse(fs.existsSync(directory))
      }).pipe(Effect.scoped),
    LONG
  )

  it.live(
    "lives on when the command to terminate has another token",
    () =>
      Effect.gen(function* () {
        const temporary = yield* Millrace.directory
        const directory = path.join(temporary, "aeron")
        const env = { AERON_DRIVER_TERMINATION_VALIDATOR: "allow", MILLRACE_TERMINATION_TOKEN: "sesame" }
        const args = ["driver", "--dir", directory, "--print-configuration"]
        const driver = yield* Millrace.start(args, { temporary, env })
        yield* driver.says("is ready in")
        for (const token of ["", "sesam", "sesame!", "SESAME"]) {
          assert.isTrue(yield* terminate(directory, token))
        }
        assert.isTrue(yield* terminate(directory, "sesame"))
        const { code, stdout } = yield* driver.ended
        assert.strictEqual(code, 0)
        assert.include(stdout, "# millrace.termination.token is set")
        assert.notInclude(stdout, "sesame")
      }).pipe(Effect.scoped),
    LONG
  )

  it.live(
    "deletes the directory of a driver that lives without a word when told, and warns of one when told",
    () =>
      Effect.gen(function* () {
        const temporary = yield* Millrace.directory
        const directory = path.join(temporary, "aeron")
        const env = { AERON_DIR: directory, AERON_DIR_DELETE_ON_START: "true" }
        const first = yield* Millrace.start(["driver"], { temporary, env })
        yield* first.says("is ready in")
        const second = yield* Millrace.start(["driver"], { temporary, env })
        yield* second.says("is ready in")
        const third = yield* Millrace.start(["driver"], {
          temporary,
          env: { ...env, AERON_DIR_WARN_IF_EXISTS: "true" }
        })
        yield* third.says("is ready in")
        yield* second.kill("SIGTERM")
        yield* third.kill("SIGTERM")
        assert.strictEqual((yield* second.ended).stderr, "")
        assert.strictEqual((yield* third.ended).stderr, `WARNING: ${directory} exists\n`)
      }).pipe(Effect.scoped),
    LONG
  )

  it.live(
    "is one path without arguments, for scripts, by a link too and whatever Node the machine has",
    () =>
      Effect.gen(function* () {
        const temporary = yield* Millrace.directory
        const directory = path.join(temporary, "aeron")
        const link = path.join(temporary, "aeronmd")
        fs.symlinkSync(EXECUTABLE, link)
        const env = { PATH: "/usr/bin:/bin", AERON_DIR: directory, AERON_DRIVER_TERMINATION_VALIDATOR: "allow" }
        const child = spawn(link, [], { env, stdio: ["pipe", "ignore", "pipe"] })
        let stderr = ""
        child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()))
        const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
        yield* terminate(directory).pipe(
          Effect.catch(() => Effect.succeed(false)),
          Effect.tap((isAsked) => (isAsked ? Effect.void : Effect.sleep("50 millis"))),
          Effect.repeat({ until: (isAsked) => isAsked })
        )
        assert.strictEqual(yield* Effect.promise(() => ended), 0)
        assert.strictEqual(stderr, "")
      }).pipe(Effect.scoped),
    LONG
  )
})
