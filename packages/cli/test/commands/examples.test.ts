import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Inspector from "@millrace/transport/Inspector"
import * as MediaDriver from "@millrace/transport/MediaDriver"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { backlog } from "../../src/commands/backlog.ts"
import { capture } from "../../src/commands/capture.ts"
import { errors } from "../../src/commands/errors.ts"
import { log } from "../../src/commands/log.ts"
import { loss } from "../../src/commands/loss.ts"
import { ping } from "../../src/commands/ping.ts"
import { pong } from "../../src/commands/pong.ts"
import { publish } from "../../src/commands/publish.ts"
import { stat } from "../../src/commands/stat.ts"
import { streams } from "../../src/commands/streams.ts"
import { subscribe } from "../../src/commands/subscribe.ts"
import { throughput } from "../../src/commands/throughput.ts"
import * as InProcess from "../support/InProcess.ts"
import * as Millrace from "../support/Millrace.ts"

const BIN = fileURLToPath(new URL("../../src/bin.ts", import.meta.url))
const LONG = 120_000

const examplesOf = ({ examples }: { readonly examples: ReadonlyArray<{ readonly command: string }> }) => {
  assert.lengthOf(examples, 2)
  return examples.map(({ command }) => command) as [string, string]
}

/** The words behind `millrace` and the command's name. */
const argumentsOf = (example: string): ReadonlyArray<string> => Millrace.wordsOf(example).slice(2)

/** Types it into a shell in which `millrace` is a command; gives what it printed when it has ended in order. */
const typed = (directory: string, command: string): Effect.Effect<string> =>
  Effect.promise(async () => {
    const bin = path.join(directory, "bin")
    const env = {
      ...process.env,
      NO_COLOR: "1",
      PATH: `${bin}:${process.env["PATH"]}`,
      AERON_DIR: `${directory}/driver`
    }
    const child = spawn("sh", ["-c", command], { cwd: directory, env, stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text
      })
    }
    const [code] = await once(child, "close")
    assert.strictEqual(code, 0, `${command}: ${output}`)
    return output
  })

const shell = Effect.map(Millrace.directory, (directory) => {
  fs.mkdirSync(path.join(directory, "bin"))
  const shim = `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`
  fs.writeFileSync(path.join(directory, "bin", "millrace"), shim, { mode: 0o755 })
  return directory
})

/** The registration id of the publication of a stream, once its log is there. */
const publicationOf = Effect.fnUntraced(function* (directory: string, streamId: number) {
  const { streams } = yield* Inspector.open({ directory })
  const found = yield* Effect.map(streams, (rows) => rows.find((row) => row.streamId === streamId)).pipe(
    Effect.delay("20 millis"),
    Effect.repeat({ until: (row) => row !== undefined })
  )
  return found.counters[0]!.registrationId
})

describe("the examples in the help", { timeout: LONG }, () => {
  it.live("of what looks at a driver show something of it, again and again where they say so", () =>
    Effect.gen(function* () {
      const { directory } = yield* MediaDriver.MediaDriver
      for (const command of [stat, streams, backlog, errors, loss]) {
        for (const example of examplesOf(command)) {
          // In the test's process the directory is not that of the environment.
          const args = [...argumentsOf(example), "--dir", directory]
          const shown = yield* InProcess.run<string, unknown, unknown>(command as never, ...args).pipe(
            Effect.timeoutOption("50 millis")
          )
          assert.strictEqual(Option.isNone(shown), example.includes("--watch"), example)
          assert.match(
            Option.getOrElse(shown, () => directory),
            new RegExp(directory)
          )
        }
      }
    }).pipe(
      Effect.scoped,
      Effect.provide(MediaDriver.layerEmbedded({ threading: "invoker", publicationLingerTimeout: 1 }))
    )
  )

  it.live("of publish, subscribe and log fit each other, as they are typed", () =>
    Effect.gen(function* () {
      const directory = yield* shell
      const home = path.join(directory, "driver")
      const driver = yield* Millrace.start(["driver", "--dir", home], { temporary: directory })
      yield* driver.says("is ready")
      const [lines] = examplesOf(publish)
      const [some] = examplesOf(subscribe)
      const [received, sent] = yield* Effect.all([typed(directory, some), typed(directory, lines)], { concurrency: 2 })
      assert.strictEqual(received.split("\n").length, 1001)
      assert.match(sent, /^published 1,000 messages/)
      // A publisher whose input goes on keeps its log.
      const temporary = directory
      yield* Millrace.start(["publish", "--dir", home, "--stream", "8"], { temporary, stdin: null })
      const id = yield* publicationOf(home, 8)
      fs.copyFileSync(path.join(home, "publications", `${id}.logbuffer`), path.join(directory, "publication.logbuffer"))
      const [byId, ofFile] = examplesOf(log)
      assert.match(yield* typed(directory, byId.replace(/\d+$/, `${id}`)), /^stream +8$/m)
      assert.strictEqual(JSON.parse(yield* typed(directory, ofFile)).streamId, 8)
    }).pipe(Effect.scoped)
  )

  it.effect("of what measures, goes on, or needs a machine of its own are understood", () =>
    Effect.gen(function* () {
      const commands: ReadonlyArray<Command.Command<string, unknown, object, unknown, never>> = [
        throughput,
        ping,
        pong,
        capture,
        publish,
        subscribe
      ] as never
      for (const command of commands) {
        for (const example of examplesOf(command)) {
          const args = argumentsOf(example.replace(/^.*\| /, ""))
          let isUnderstood = false
          const handled = Command.withHandler(command, () =>
            Effect.sync(() => {
              isUnderstood = true
            })
          )
          yield* Command.runWith(handled, { version: "0.0.0" })(args).pipe(Effect.provide(NodeServices.layer))
          assert.isTrue(isUnderstood, example)
        }
      }
    })
  )
})
