/** Forked by `embedded.ts`: subscribes in the driver of its parent and counts. */
import { Client, Subscription } from "@millrace/transport"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

const [directory = "", count = "0"] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const numbers = yield* Subscription.make({ channel: "aeron:ipc", streamId: 1001 })
  const messages = yield* numbers.stream.pipe(Stream.take(Number(count)), Stream.runCollect)
  const decoder = new TextDecoder()
  const inOrder = messages.filter((bytes, index) => decoder.decode(bytes) === String(index + 1))
  console.log(`received ${inOrder.length} of ${count}`)
})

await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(Client.layerWith({ directory }))))
