/** Runs a command in this process: quick, and beside a driver that the test holds. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Command from "effect/cli/Command"

/** What it printed on standard output, by the console or in bytes. */
export const run = <Name extends string, Input, E>(
  command: Command.Command<Name, Input, object, E, NodeServices.NodeServices>,
  ...args: ReadonlyArray<string>
) =>
  Effect.gen(function* () {
    let output = ""
    const write = (bytes: string | Uint8Array) =>
      Effect.sync(() => {
        output += Buffer.from(bytes).toString()
      })
    const stdio = Stdio.layerTest({ stdout: () => Sink.forEach(write) })
    const console: Console.Console = {
      ...globalThis.console,
      log: (...values) => {
        output += `${values.join(" ")}\n`
      }
    }
    yield* Command.runWith(command, { version: "0.0.0" })(args).pipe(
      Effect.provideService(Console.Console, console),
      Effect.provide(Layer.merge(NodeServices.layer, stdio))
    )
    return output
  })
