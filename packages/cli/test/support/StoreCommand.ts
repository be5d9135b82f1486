/** Runs `millrace store …` in this process, with what it read, printed and ended with. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Command from "effect/cli/Command"
import { store } from "../../src/commands/store.ts"
import * as ExitCode from "../../src/internal/exitCode.ts"
import * as Presenter from "../../src/output/Presenter.ts"

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const millrace = Command.make("millrace").pipe(Command.withSubcommands([store]))

/** Runs the command with lines of standard input. */
export const runWith = (stdin: string | Uint8Array, ...args: ReadonlyArray<string>): Effect.Effect<Ended> =>
  Effect.gen(function* () {
    let stdout = ""
    let stderr = ""
    const write = (bytes: string | Uint8Array) =>
      Effect.sync(() => {
        stdout += Buffer.from(bytes).toString()
      })
    const input = Buffer.from(stdin)
    const stdio = Stdio.layerTest({
      stdout: () => Sink.forEach(write),
      stdin: input.length === 0 ? Stream.empty : Stream.succeed<Uint8Array>(input)
    })
    const console: Console.Console = {
      ...globalThis.console,
      log: (...values) => {
        stdout += `${values.join(" ")}\n`
      },
      error: (...values) => {
        stderr += `${values.join(" ")}\n`
      }
    }
    const services = Layer.mergeAll(NodeServices.layer, Presenter.layer, stdio)
    const exit = yield* Command.runWith(millrace, { version: "0.0.0" })(["store", ...args]).pipe(
      Effect.provide(Layer.provideMerge(services, stdio)),
      Effect.provideService(Console.Console, console),
      Effect.exit
    )
    if (Exit.isSuccess(exit)) {
      return { code: ExitCode.DONE, stdout, stderr }
    }
    const error = Cause.squash(exit.cause)
    return {
      code: ExitCode.ofCause(exit.cause),
      stdout,
      stderr: stderr + (error instanceof Error ? error.message : String(error))
    }
  })

export const run = (...args: ReadonlyArray<string>): Effect.Effect<Ended> => runWith("", ...args)

export const jsonLines = ({ stdout }: Ended): ReadonlyArray<any> =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
