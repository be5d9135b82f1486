/** The whole of `millrace`: all its subcommands. */
import * as Command from "effect/cli/Command"
import { backlog } from "./commands/backlog.ts"
import { capture } from "./commands/capture.ts"
import { demo } from "./commands/demo.ts"
import { doctor } from "./commands/doctor.ts"
import { driver } from "./commands/driver.ts"
import { errors } from "./commands/errors.ts"
import { frames } from "./commands/frames.ts"
import { log } from "./commands/log.ts"
import { loss } from "./commands/loss.ts"
import { ping } from "./commands/ping.ts"
import { pong } from "./commands/pong.ts"
import { publish } from "./commands/publish.ts"
import { record } from "./commands/record.ts"
import { replay } from "./commands/replay.ts"
import { stat } from "./commands/stat.ts"
import { store } from "./commands/store.ts"
import { streams } from "./commands/streams.ts"
import { subscribe } from "./commands/subscribe.ts"
import { throughput } from "./commands/throughput.ts"
import { top } from "./commands/top.ts"
import { web } from "./commands/web.ts"
import { runProgram } from "./program.ts"

export const millrace = Command.make("millrace").pipe(
  Command.withDescription("Aeron's transport and RocketMQ's message store: see them at work, run them, look inside."),
  Command.withSubcommands([
    { group: "See it work", commands: [demo, top, web, doctor] },
    { group: "Move messages", commands: [driver, publish, subscribe, record, replay] },
    { group: "Look inside", commands: [store, stat, streams, backlog, errors, loss, log, frames, capture] },
    { group: "Measure", commands: [throughput, ping, pong] }
  ])
)

export const run = (args: ReadonlyArray<string>): void => runProgram(millrace, args)
