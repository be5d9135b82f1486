/**
 * Millrace's subscriber in the interop runs: `directory channel streamId count lengths`. Prints `subscribed`, then
 * `received <count>`.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Client from "../../packages/transport/src/Client.ts"
import * as Subscription from "../../packages/transport/src/Subscription.ts"
import * as Messages from "./messages.ts"

const [directory, channel, streamId, countText, lengthList] = process.argv.slice(2)
const count = Number(countText)
const lengths = Messages.lengthsOf(lengthList!)

const program = Effect.gen(function* () {
  const subscription = yield* Subscription.make({ channel: channel!, streamId: Number(streamId) })
  process.stdout.write("subscribed\n")
  let number = 0
  yield* subscription.borrowedBatches.pipe(
    Stream.takeUntil((batch) => {
      for (let index = 0; index < batch.count; index++) {
        Messages.check(batch.message(index), number, lengths)
        number++
      }
      return number >= count
    }),
    Stream.runDrain
  )
  process.stdout.write(`received ${number}\n`)
}).pipe(Effect.scoped, Effect.provide(Client.layerWith({ directory: directory!, clientName: "millrace-subscriber" })))

await Effect.runPromise(program)
