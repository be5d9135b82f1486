/**
 * The `millrace` command: its subcommands, what they run on, and how a failure is reported.
 */
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
import { backlog } from "./commands/backlog.ts"
import { capture } from "./commands/capture.ts"
import { demo } from "./commands/demo.ts"
import { driver } from "./commands/driver.ts"
import { errors } from "./commands/errors.ts"
import { frames } from "./commands/frames.ts"
import { log } from "./commands/log.ts"
import { loss } from "./commands/loss.ts"
import { ping } from "./commands/ping.ts"
import { pong } from "./commands/pong.ts"
import { publish } from "./commands/publish.ts"
import { stat } from "./commands/stat.ts"
import { store } from "./commands/store.ts"
import { streams } from "./commands/streams.ts"
import { subscribe } from "./commands/subscribe.ts"
import { throughput } from "./commands/throughput.ts"
import { withDefines } from "./internal/driverOptions.ts"
import { isStopping, runMain } from "./internal/runMain.ts"
import * as Presenter from "./output/Presenter.ts"

const { version } = createRequire(import.meta.url)("millrace/package.json") as { readonly version: string }

const millrace = Command.make("millrace").pipe(
  Command.withDescription("Aeron's transport and RocketMQ's message store: see them at work, run them, look inside."),
  Command.withSubcommands([
    { group: "See it work", commands: [demo] },
    { group: "Move messages", commands: [driver, publish, subscribe] },
    { group: "Measure", commands: [throughput, ping, pong] },
    { group: "Look at a driver", commands: [stat, streams, backlog, errors, loss, log, capture] },
    { group: "Look into files", commands: [store, frames] }
  ])
)

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
    CliConfig.make({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions, GlobalFlag.LogLevel] })
  )
)

export const run = (): void =>
  Command.runWith(millrace, { version })(withDefines(process.argv.slice(2))).pipe(
    Effect.tapCause(report),
    Effect.provide(services),
    runMain
  )
