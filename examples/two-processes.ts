/**
 * One driver, two processes: this one starts the driver and publishes, its child subscribes. The child is told where the
 * driver is; everything else is the same as within one process.
 */
import { strictEqual } from "node:assert/strict"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Client, MediaDriver, Publication } from "@millrace/transport"
import { Console, Effect, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"

const MESSAGE_COUNT = 100_000

const program = Effect.gen(function* () {
  const { directory } = yield* MediaDriver.MediaDriver
  const publication = yield* Publication.make({ channel: "aeron:ipc", streamId: 1001 })
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const child = ChildProcess.make(process.execPath, [
    new URL("./two-processes.subscriber.ts", import.meta.url).pathname,
    directory,
    String(MESSAGE_COUNT)
  ])

  const encoder = new TextEncoder()
  const publishing = Stream.range(1, MESSAGE_COUNT).pipe(
    Stream.map((n) => encoder.encode(String(n))),
    // Waits for the subscriber, then for room whenever the subscriber is slower.
    Stream.run(publication.sink)
  )
  const [, answer] = yield* Effect.all([publishing, spawner.string(child)], { concurrency: "unbounded" })
  yield* Console.log(`the child added up ${answer}`)
  strictEqual(Number(answer), (MESSAGE_COUNT * (MESSAGE_COUNT + 1)) / 2)
})

program.pipe(
  Effect.scoped,
  Effect.provide(Client.layer),
  Effect.provide([MediaDriver.layerEmbedded(), NodeServices.layer]),
  NodeRuntime.runMain
)
