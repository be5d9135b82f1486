/** `millrace throughput`: how many messages a second go from one process to another. */
import * as EntryFile from "@millrace/core/EntryFile"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as ChildProcess from "../internal/childProcess.ts"
import { withDriver } from "../internal/withDriver.ts"
import * as Progress from "../output/Progress.ts"
import { bytes, duration, grouped, perSecond, plural } from "../output/Quantity.ts"
import type { ThroughputConfig } from "../traffic/TrafficConfig.ts"
import { channel, json, measuredDriver, positive, streamId } from "./flags.ts"

const MESSAGES_DEFAULT = 10_000_000
const LENGTH_DEFAULT = 32

const entry = (name: string): URL => EntryFile.resolve(import.meta.url, `../traffic/${name}`)

/** The publisher waits for the subscriber, so that the time is that of moving messages alone. */
const measure = Effect.fnUntraced(function* (config: ThroughputConfig) {
  const progress = yield* Progress.make({ label: "moving", noun: "messages", total: config.messages })
  const subscriber = yield* ChildProcess.fork("subscriber", entry("subscriber"), config)
  const publisher = yield* ChildProcess.fork("publisher", entry("publisher"), config)
  const [sent, received] = yield* Effect.all([publisher.run(() => Effect.void), subscriber.run(progress.update)], {
    concurrency: "unbounded"
  })
  const elapsedMs = received.endedMs! - sent.startedMs!
  return {
    messagesPerSecond: perSecond(received.records, elapsedMs),
    bytesPerSecond: perSecond(received.bytes, elapsedMs),
    messages: received.records,
    lost: config.messages - received.records,
    elapsedMs
  }
}, Effect.scoped)

export const throughput = Command.make(
  "throughput",
  {
    directory: measuredDriver,
    channel,
    streamId,
    messages: positive("messages").pipe(
      Flag.withDescription(`How many messages [${grouped(MESSAGES_DEFAULT)}]`),
      Flag.withMetavar("N"),
      Flag.withDefault(MESSAGES_DEFAULT)
    ),
    length: positive("length").pipe(
      Flag.withDescription(`Bytes of each message [${LENGTH_DEFAULT}]`),
      Flag.withMetavar("L"),
      Flag.withDefault(LENGTH_DEFAULT)
    ),
    json
  },
  Effect.fnUntraced(function* ({ channel, directory, json, length, messages, streamId }) {
    const { elapsedMs, ...result } = yield* withDriver(directory, (driverDirectory) =>
      measure({ driverDirectory, channel, streamId, messages, length })
    )
    if (json) {
      return yield* Console.log(JSON.stringify(result))
    }
    const lost = result.lost === 0 ? "none lost" : `${plural(result.lost, "message")} lost`
    yield* Console.log(
      `${plural(result.messages, "message")} of ${bytes(length)} on ${channel} in ${duration(elapsedMs)}: ` +
        `${grouped(result.messagesPerSecond)} messages/s, ${bytes(result.bytesPerSecond)}/s, ${lost}`
    )
  })
).pipe(
  Command.withDescription(
    "Measures how many messages a second go from a publisher process to a subscriber process, beside a driver of its own " +
      "or the running one that --dir names."
  ),
  Command.withShortDescription("Measure messages a second between two processes"),
  Command.withExamples([
    { command: "millrace throughput", description: "Ten million messages of 32 bytes over shared memory" },
    {
      command: "millrace throughput --channel aeron:udp?endpoint=localhost:20323 --messages 1000000 --json",
      description: "A million over UDP, for a script"
    }
  ])
)
