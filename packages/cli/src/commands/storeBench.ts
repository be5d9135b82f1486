/** `millrace store bench [DIR]`: measures puts, reads or key queries of a store on this machine. */
import * as MessageStore from "@millrace/store/MessageStore"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as os from "node:os"
import { badInput } from "../CommandError.ts"
import * as TemporaryDirectory from "../internal/temporaryDirectory.ts"
import { bytes, grouped } from "../output/Quantity.ts"
import * as Progress from "../output/Progress.ts"
import * as Bench from "../store/Bench.ts"
import * as StoreFlags from "../store/StoreFlags.ts"
import { json, positive } from "./flags.ts"

const LENGTH_DEFAULT = 1024
const MESSAGES_DEFAULT = 100_000

type Kind = "put" | "read" | "query"

/** The store that is measured: that of the directory, or one that ends with the command. */
const directoryOf = (directory: Option.Option<string>) =>
  Option.match(directory, {
    onNone: () => TemporaryDirectory.scoped(os.tmpdir(), "millrace-bench-"),
    onSome: (name) => Effect.succeed(name)
  })

const progressOf = Effect.fnUntraced(function* (label: string, load: Bench.Load) {
  const progress = yield* Progress.make({ label, noun: "messages", total: load.messages })
  let done = 0
  let shown = 0
  const step = Math.ceil(load.messages / 100)
  return (count: number) => {
    done += count
    if (done - shown < step) {
      return Effect.void
    }
    shown = done
    return progress.update(done)
  }
})

const run = Effect.fnUntraced(function* (kind: Kind, load: Bench.Load) {
  const putting = Bench.puts(load, yield* progressOf("put", load))
  if (kind === "put") {
    return yield* putting
  }
  const store = yield* MessageStore.MessageStore
  if ((yield* store.topic(Bench.TOPIC)) === undefined) {
    yield* putting
  }
  const measure = kind === "read" ? Bench.reads : Bench.queries
  return yield* measure(load, yield* progressOf(kind, load))
})

const textOf = (kind: Kind, measured: Bench.Measured): string => {
  const { bytesPerSecond, eventLoopDelayP99Us, messagesPerSecond, p50Us, p99Us } = measured
  const rate = `${grouped(messagesPerSecond)} messages/s, ${bytes(bytesPerSecond)}/s`
  return `${kind}: ${rate}; a call takes ${p50Us} µs (p50), ${p99Us} µs (p99); the event loop waits ${eventLoopDelayP99Us} µs (p99)`
}

export const storeBench = Command.make(
  "bench",
  {
    directory: Argument.String("dir").pipe(
      Argument.withMetavar("DIR"),
      Argument.withDescription("Directory of the store [one that ends with the command]"),
      Argument.optional
    ),
    flush: StoreFlags.flush,
    length: positive("length").pipe(
      Flag.withDescription(`Length of each body [${LENGTH_DEFAULT}]`),
      Flag.withMetavar("N"),
      Flag.withDefault(LENGTH_DEFAULT)
    ),
    messages: positive("messages").pipe(
      Flag.withDescription(`How many messages [${MESSAGES_DEFAULT}]`),
      Flag.withMetavar("N"),
      Flag.withDefault(MESSAGES_DEFAULT)
    ),
    producers: positive("producers").pipe(
      Flag.withDescription("How many producers put at a time [1]"),
      Flag.withMetavar("N"),
      Flag.withDefault(1)
    ),
    batch: positive("batch").pipe(
      Flag.withDescription("Messages a put; 1 for single puts [1]"),
      Flag.withMetavar("N"),
      Flag.withDefault(1)
    ),
    read: Flag.Boolean("read").pipe(Flag.withDescription("Measure reads, 32 messages a call"), Flag.withDefault(false)),
    query: Flag.Boolean("query").pipe(Flag.withDescription("Measure queries by key"), Flag.withDefault(false)),
    config: StoreFlags.config,
    json
  },
  Effect.fnUntraced(function* ({ batch, config, directory, flush, json, length, messages, producers, query, read }) {
    if (read && query) {
      return yield* badInput("--read and --query", "measure different things: choose one")
    }
    const kind: Kind = read ? "read" : query ? "query" : "put"
    const settings = yield* StoreFlags.settingsOf(config, flush)
    const store = MessageStore.layer({ ...settings, directory: yield* directoryOf(directory) })
    const measured = yield* Effect.provide(run(kind, { length, messages, producers, batch }), store)
    yield* Console.log(json ? JSON.stringify(measured) : textOf(kind, measured))
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "Measures puts until everything is acknowledged and in queues and index; with --read or --query reads or key queries, " +
      "of what is in the store's topic bench, or was put there first. Each message has a key and a tag. A latency is that " +
      "of a call, and bytes are those of bodies."
  ),
  Command.withShortDescription("Measure puts, reads or key queries"),
  Command.withExamples([
    { command: "millrace store bench --messages 10000 --length 124", description: "Puts into a store of its own" },
    {
      command: "millrace store bench --flush sync --messages 1000 --producers 64 --json",
      description: "Each put on the device, for a script"
    }
  ])
)
