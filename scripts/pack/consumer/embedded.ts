/** An embedded driver in a Worker, a publisher here, and a subscriber in a forked process. */
import { Client, MediaDriver, Publication } from "@millrace/transport"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type ChildProcess, fork } from "node:child_process"

const COUNT = 1000

const ended = (child: ChildProcess) =>
  Effect.callback<void, Error>((resume) => {
    child.once("exit", (code) => {
      resume(code === 0 ? Effect.void : Effect.fail(new Error(`the subscriber ended with code ${code}`)))
    })
  })

const program = Effect.gen(function* () {
  const { directory } = yield* MediaDriver.MediaDriver
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => fork(new URL("subscriber.ts", import.meta.url), [directory, String(COUNT)])),
    (process) => Effect.sync(() => process.kill("SIGKILL"))
  )
  const numbers = yield* Publication.make({ channel: "aeron:ipc", streamId: 1001 })
  const encoder = new TextEncoder()
  yield* Stream.range(1, COUNT).pipe(
    Stream.map((n) => encoder.encode(String(n))),
    Stream.run(numbers.sink)
  )
  yield* ended(child)
})

await Effect.runPromise(
  program.pipe(Effect.scoped, Effect.provide(Client.layer), Effect.provide(MediaDriver.layerEmbedded()))
)
