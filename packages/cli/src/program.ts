/** What all commands run on, and how a failure is reported. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { createRequire } from "node:module"
import { isStopping, runMain } from "./internal/runMain.ts"
import * as CompletionScript from "./output/CompletionScript.ts"
import * as Presenter from "./output/Presenter.ts"

const { version } = createRequire(import.meta.url)("millrace/package.json") as { readonly version: string }

/** The one place that reports. Help and usage errors are presented already, an interruption needs no words. */
const report = (cause: Cause.Cause<unknown>): Effect.Effect<void> => {
  if (isStopping() || Cause.hasInterruptsOnly(cause)) {
    return Effect.void
  }
  const error = Cause.squash(cause)
  if (CliError.isCliError(error)) {
    return Effect.void
  }
  return Cause.hasFails(cause) && error instanceof Error
    ? Console.error(`millrace: ${error.message}`)
    : Console.error(`millrace: this should not happen, please report it\n${Cause.pretty(cause)}`)
}

const services = Layer.mergeAll(
  NodeServices.layer,
  Presenter.layer,
  Layer.succeed(Logger.LogToStderr, true),
  Layer.succeed(
    CliConfig.CliConfig,
    CliConfig.make({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, CompletionScript.flag, GlobalFlag.LogLevel] })
  )
)

type Services = Layer.Success<typeof services>

export const runProgram = <Name extends string, Input, E>(
  millrace: Command.Command<Name, Input, object, E, Services>,
  args: ReadonlyArray<string>
): void => Command.runWith(millrace, { version })(args).pipe(Effect.tapCause(report), Effect.provide(services), runMain)
