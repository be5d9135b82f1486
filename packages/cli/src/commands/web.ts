/** `millrace web`: what `top` shows, as a page for the browsers of this machine. */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Sampling from "../internal/sampling.ts"
import { json } from "./flags.ts"
import { interval, targets, targetsOf } from "./sampleFlags.ts"

const PORT_DEFAULT = 7070
const PORT_MAX = 65_535

const Port = Schema.Int.pipe(
  Schema.check(Schema.isBetween({ minimum: 0, maximum: PORT_MAX }, { message: `it must be from 0 to ${PORT_MAX}` }))
)

export const web = Command.make(
  "web",
  {
    ...targets,
    interval,
    host: Flag.Literals("host", ["127.0.0.1", "::1"]).pipe(
      Flag.withDescription("Address of this machine's loopback: no other machine can ask [127.0.0.1]"),
      Flag.withMetavar("127.0.0.1|::1"),
      Flag.withDefault("127.0.0.1")
    ),
    port: Flag.Int("port").pipe(
      Flag.withSchema(Port),
      Flag.withDescription(`Port, 0 for one that is free [${PORT_DEFAULT}]`),
      Flag.withMetavar("PORT"),
      Flag.withDefault(PORT_DEFAULT)
    ),
    json
  },
  Effect.fnUntraced(function* (flags) {
    const sample = yield* Sampling.make(yield* targetsOf(flags))
    // The server is a large part of the program, and no other command needs it.
    const MonitorServer = yield* Effect.promise(() => import("../web/MonitorServer.ts"))
    const { host, port } = flags
    const url = yield* MonitorServer.serve(sample, { host, port, intervalMs: flags.interval * 1000 })
    yield* Console.log(flags.json ? JSON.stringify({ url, pid: process.pid }) : `${url} is there; Ctrl-C stops it`)
    return yield* Effect.never
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "Serves a page that shows a driver's directory and a store as they change, for the browsers of this machine: it " +
      "listens on loopback alone, only reads, needs no network, and answers no other page. /samples has the samples as " +
      "server-sent events, /sample the one of now as JSON."
  ),
  Command.withShortDescription("The same as a page in the browser"),
  Command.withExamples([
    { command: "millrace web", description: "The driver that the user's programs share, on port 7070" },
    { command: "millrace web --store trades --port 0 --json", description: "A store, on a port that is free" }
  ])
)
