import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { backlog } from "../../src/commands/backlog.ts"
import { capture } from "../../src/commands/capture.ts"
import { driver } from "../../src/commands/driver.ts"
import { errors } from "../../src/commands/errors.ts"
import { frames } from "../../src/commands/frames.ts"
import { log } from "../../src/commands/log.ts"
import { loss } from "../../src/commands/loss.ts"
import { ping } from "../../src/commands/ping.ts"
import { pong } from "../../src/commands/pong.ts"
import { publish } from "../../src/commands/publish.ts"
import { stat } from "../../src/commands/stat.ts"
import { streams } from "../../src/commands/streams.ts"
import { subscribe } from "../../src/commands/subscribe.ts"
import { throughput } from "../../src/commands/throughput.ts"
import * as Millrace from "../support/Millrace.ts"

const BIN = fileURLToPath(new URL("../../src/bin.ts", import.meta.url))
const CAPTURE = fileURLToPath(new URL("../../../core/test/fixtures/captures/loopback.pcapng", import.meta.url))
const PRICES = "/dev/shm/prices"
const LONG = 240_000

/** Where the examples of one test are typed: `millrace` is a command there, and its driver that of the directory. */
interface Shell {
  readonly directory: string
  readonly started: Array<ChildProcess>
}

const shell = Effect.acquireRelease(
  Effect.map(Millrace.directory, (directory): Shell => {
    fs.mkdirSync(path.join(directory, "bin"))
    const shim = `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`
    fs.writeFileSync(path.join(directory, "bin", "millrace"), shim, { mode: 0o755 })
    return { directory, started: [] }
  }),
  ({ started }) => Effect.sync(() => started.forEach(signal("SIGKILL")))
)

const signal =
  (name: NodeJS.Signals) =>
  (child: ChildProcess): void => {
    try {
      process.kill(-child.pid!, name)
    } catch {
      // It has ended.
    }
  }

interface Typed {
  readonly child: ChildProcess
  /** Resolves when the output has something like this; or when the command has ended, with all of its output. */
  readonly until: (pattern?: RegExp) => Promise<string>
}

const type = ({ directory, started }: Shell, command: string): Typed => {
  const child = spawn("sh", ["-c", command], {
    cwd: directory,
    detached: true,
    env: {
      ...process.env,
      NO_COLOR: "1",
      PATH: `${path.join(directory, "bin")}:${process.env["PATH"]}`,
      AERON_DIR: path.join(directory, "driver")
    }
  })
  started.push(child)
  let output = ""
  let check = (): void => {}
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text
      check()
    })
  }
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  const until = (pattern?: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      check = () => pattern?.test(output) === true && resolve(output)
      check()
      void ended.then((code) =>
        pattern === undefined && code === 0 ? resolve(output) : reject(new Error(`${command}: ${code}: ${output}`))
      )
    })
  return { child, until }
}

/** Runs it to its end. */
const run = (shell: Shell, command: string): Effect.Effect<string> => Effect.promise(() => type(shell, command).until())

/** Starts what goes on until Ctrl-C, and waits for its first words. */
const start = (shell: Shell, command: string, pattern: RegExp): Effect.Effect<ChildProcess> =>
  Effect.promise(async () => {
    const typed = type(shell, command)
    await typed.until(pattern)
    return typed.child
  })

const examplesOf = ({ examples }: { readonly examples: ReadonlyArray<{ readonly command: string }> }) => {
  assert.lengthOf(examples, 2)
  return examples.map(({ command }) => command) as [string, string]
}

const withDriver = Effect.gen(function* () {
  const here = yield* shell
  yield* start(here, "millrace driver", /is ready/)
  return here
})

describe("the examples in the help", { timeout: LONG }, () => {
  it.live("of driver and capture start a driver", () =>
    Effect.gen(function* () {
      const here = yield* shell
      yield* Effect.addFinalizer(() => Effect.sync(() => fs.rmSync(PRICES, { recursive: true, force: true })))
      for (const command of [...examplesOf(driver), ...examplesOf(capture)]) {
        const child = yield* start(here, command, /is ready in/)
        const ended = new Promise((resolve) => child.once("close", resolve))
        signal("SIGINT")(child)
        yield* Effect.promise(() => ended)
      }
      assert.isTrue(fs.existsSync(path.join(here.directory, "aeron.pcap")))
    }).pipe(Effect.scoped)
  )

  it.live("of publish and subscribe fit each other, and what they leave can be looked at", () =>
    Effect.gen(function* () {
      const here = yield* withDriver
      const [lines, numbered] = examplesOf(publish)
      const [some, rates] = examplesOf(subscribe)
      const [, sent] = yield* Effect.all([run(here, some), run(here, lines)], { concurrency: 2 })
      assert.match(sent, /^published 1,000 messages/)
      const following = yield* start(here, rates, /messages\/s/)
      assert.match(yield* run(here, numbered), /^published 1,000,000 messages/)
      const held = yield* start(here, "sleep 60 | millrace publish", /^/)
      for (const command of [stat, streams, backlog, errors, loss].flatMap(examplesOf)) {
        yield* / --watch /.test(command) ? start(here, command, /pid \d+/) : run(here, command)
      }
      signal("SIGKILL")(held)
      signal("SIGINT")(following)
    }).pipe(Effect.scoped)
  )

  it.live("of log and frames show files", () =>
    Effect.gen(function* () {
      const here = yield* withDriver
      const { directory } = here
      fs.copyFileSync(CAPTURE, path.join(directory, "aeron.pcapng"))
      fs.copyFileSync(CAPTURE, path.join(directory, "aeron.pcap"))
      for (const command of examplesOf(frames)) {
        yield* run(here, command)
      }
      // The client of a first command has id 1: its publication has one of the next ids.
      yield* start(here, "millrace subscribe --stats", /messages\/s/)
      yield* start(here, "(echo a; sleep 60) | millrace publish", /^/)
      const logs = path.join(directory, "driver", "publications")
      yield* Effect.sync(() => fs.readdirSync(logs)[0]).pipe(
        Effect.delay("20 millis"),
        Effect.repeat({ until: (name) => name !== undefined })
      )
      const name = fs.readdirSync(logs)[0]!
      fs.copyFileSync(path.join(logs, name), path.join(directory, "publication.logbuffer"))
      const [byId, ofFile] = examplesOf(log)
      assert.match(yield* run(here, byId.replace(/\d+$/, name.replace(".logbuffer", ""))), /concurrent publication/)
      yield* run(here, ofFile)
    }).pipe(Effect.scoped)
  )

  it.live("of throughput, ping and pong measure", () =>
    Effect.gen(function* () {
      const here = yield* withDriver
      for (const command of examplesOf(throughput)) {
        assert.match(yield* run(here, command), /messages\/s|"messagesPerSecond":\d/)
      }
      for (const command of examplesOf(pong)) {
        yield* start(here, command, /^answering stream 1002/)
      }
      here.started.forEach(signal("SIGINT"))
      for (const command of examplesOf(ping)) {
        assert.match(yield* run(here, command), /half within|"p50Us":\d/)
      }
    }).pipe(Effect.scoped)
  )
})
