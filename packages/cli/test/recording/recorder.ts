/**
 * A recorder: `driver channel store [record [timeout]]`. With `record` it records over gaps; it misses its driver after
 * the timeout. Prints `ready`, and `ack <session> <position>` for what is in the store; how it failed as `failed <reason>`.
 */
import * as MessageStore from "@millrace/store/MessageStore"
import * as Recorder from "@millrace/store/Recorder"
import * as Client from "@millrace/transport/Client"
import * as Subscription from "@millrace/transport/Subscription"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

const [directory = "", channel = "", store = "", onGap = "fail", driverTimeout = "10 seconds"] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const recorder = yield* Recorder.make("recording", { onGap: onGap as Recorder.OnGap })
  const subscription = yield* Subscription.make({ channel, streamId: 1001 })
  process.stdout.write("ready\n")
  yield* subscription.borrowedMessages.pipe(
    Stream.runForEachArray((messages) =>
      Effect.map(recorder.record(messages), () => {
        const { position, sessionId } = messages.at(-1)!
        process.stdout.write(`ack ${sessionId} ${position}\n`)
      })
    )
  )
}).pipe(
  Effect.scoped,
  Effect.provide([
    Client.layerWith({ directory, driverTimeout: driverTimeout as Duration.Input }),
    MessageStore.layer({ directory: store, mappedFileSizeCommitLog: 4 * 1024 * 1024 })
  ])
)

await Effect.runPromise(program).catch((error: { readonly reason?: { readonly _tag: string } }) => {
  process.stdout.write(`failed ${error.reason?._tag ?? "for no reason"}\n`)
  process.exitCode = 1
})
