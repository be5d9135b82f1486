/** `millrace store offset-by-time DIR`: the offset in a queue for a store time. */
import * as MessageStore from "@millrace/store/MessageStore"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { badInput } from "../CommandError.ts"
import * as OpenStore from "../internal/openStore.ts"
import * as StoreFlags from "../store/StoreFlags.ts"
import { json } from "./flags.ts"

export const storeOffsetByTime = Command.make(
  "offset-by-time",
  {
    directory: StoreFlags.directory,
    topic: StoreFlags.topic,
    queue: StoreFlags.queue,
    time: StoreFlags.time("time", "The store time"),
    boundary: Flag.Literals("boundary", ["lower", "upper"]).pipe(
      Flag.withDescription("The first message stored at or after the time, or the last one at or before it [lower]"),
      Flag.withMetavar("lower|upper"),
      Flag.withDefault("lower" as const)
    ),
    config: StoreFlags.config,
    json
  },
  ({ boundary, config, directory, json, queue, time, topic }) =>
    Effect.gen(function* () {
      const store = yield* MessageStore.MessageStore
      const offset = yield* store.offsetByTime({ topic, queueId: queue, timeMs: time, boundary })
      if (offset === undefined) {
        const queues = (yield* store.topic(topic))?.queues.map(({ queueId }) => queueId) ?? []
        const there = queues.length === 0 ? "there is no such topic" : `it has the queues ${queues.join(", ")}`
        return yield* badInput(directory, `has no queue ${queue} of topic ${topic}: ${there}`)
      }
      yield* Console.log(json ? JSON.stringify({ offset }) : String(offset))
    }).pipe(Effect.provide(OpenStore.readOnly(directory, config)))
).pipe(
  Command.withDescription("Says which offset of a queue a store time means. Works beside a process that writes."),
  Command.withShortDescription("Find the offset of a queue for a time"),
  Command.withExamples([
    {
      command: "millrace store offset-by-time trades --topic trades --queue 0 --time 2026-11-30T09:00:00Z",
      description: "Where to begin to read what came from nine o'clock on"
    },
    {
      command: "millrace store offset-by-time trades --topic trades --queue 0 --time 0 --boundary upper --json",
      description: "The same for a script, with milliseconds"
    }
  ])
)
