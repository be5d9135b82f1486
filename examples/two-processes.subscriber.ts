import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Client, Subscription } from "@millrace/transport"
import { Console, Effect, Stream } from "effect"

const [directory, count] = process.argv.slice(2)
const decoder = new TextDecoder()

const program = Effect.gen(function* () {
  const subscription = yield* Subscription.make({ channel: "aeron:ipc", streamId: 1001 })
  const sum = yield* subscription.stream.pipe(
    Stream.take(Number(count)),
    Stream.map((message) => Number(decoder.decode(message))),
    Stream.runSum
  )
  yield* Console.log(sum)
})

program.pipe(Effect.scoped, Effect.provide(Client.layerWith({ directory: directory! })), NodeRuntime.runMain)
