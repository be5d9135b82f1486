/** Runs `millrace store …` in this process, with what it read, printed and ended with. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
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

/** What a run has printed so far, and who waits for more. */
class Output {
  stdout = ""
  stderr = ""
  readonly #waiting = new Set<() => void>()

  print(text: string): void {
    this.stdout += text
    this.#waiting.forEach((wake) => wake())
  }

  /** Completes when the output contains a text. */
  readonly says = (text: string): Effect.Effect<void> =>
    Effect.callback<void>((resume) => {
      const wake = () => {
        if (this.stdout.includes(text)) {
          resume(Effect.void)
        }
      }
      this.#waiting.add(wake)
      wake()
      return Effect.sync(() => this.#waiting.delete(wake))
    })
}

const runInto = (output: Output, stdin: string | Uint8Array, args: ReadonlyArray<string>): Effect.Effect<Ended> =>
  Effect.gen(function* () {
    const input = Buffer.from(stdin)
    const stdio = Stdio.layerTest({
      stdout: () => Sink.forEach((bytes) => Effect.sync(() => output.print(Buffer.from(bytes).toString()))),
      stdin: input.length === 0 ? Stream.empty : Stream.succeed<Uint8Array>(input)
    })
    const console: Console.Console = {
      ...globalThis.console,
      log: (...values) => output.print(`${values.join(" ")}\n`),
      error: (...values) => {
        output.stderr += `${values.join(" ")}\n`
      }
    }
    const exit = yield* Command.runWith(millrace, { version: "0.0.0" })(["store", ...args]).pipe(
      Effect.provide(Layer.mergeAll(NodeServices.layer, Presenter.layer, stdio)),
      Effect.provideService(Console.Console, console),
      Effect.exit
    )
    const { stderr, stdout } = output
    if (Exit.isSuccess(exit)) {
      return { code: ExitCode.DONE, stdout, stderr }
    }
    const error = Cause.squash(exit.cause)
    const message = error instanceof Error ? error.message : String(error)
    return { code: ExitCode.ofCause(exit.cause), stdout, stderr: stderr + message }
  })

/** Runs the command with lines of standard input. */
export const runWith = (stdin: string | Uint8Array, ...args: ReadonlyArray<string>): Effect.Effect<Ended> =>
  Effect.suspend(() => runInto(new Output(), stdin, args))

/** Runs a command that does not end by itself until the scope closes. */
export const start = (
  ...args: ReadonlyArray<string>
): Effect.Effect<Pick<Output, "says" | "stdout">, never, Scope.Scope> =>
  Effect.suspend(() => {
    const output = new Output()
    return Effect.as(Effect.forkScoped(runInto(output, "", args)), output)
  })

export const run = (...args: ReadonlyArray<string>): Effect.Effect<Ended> => runWith("", ...args)

export const jsonLines = ({ stdout }: Ended) =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
