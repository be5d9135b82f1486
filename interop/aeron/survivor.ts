/**
 * Millrace's publisher that goes on behind a dead one: `directory channel streamIds firstNumber count length`. Prints
 * `added`; at the line `publish` it publishes `count` messages on each stream and prints `published`. It holds the
 * streams open until its input ends.
 */
import { createInterface } from "node:readline"
import * as Effect from "effect/Effect"
import * as Client from "../../packages/transport/src/Client.ts"
import * as Publication from "../../packages/transport/src/Publication.ts"
import * as Messages from "./messages.ts"

const [directory, channel, streamIds, firstNumber, count, length] = process.argv.slice(2)
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()

const program = Effect.gen(function* () {
  const publications = yield* Effect.forEach(streamIds!.split(","), (streamId) =>
    Publication.make({ channel: channel!, streamId: Number(streamId) })
  )
  process.stdout.write("added\n")
  yield* Effect.promise(() => lines.next())
  for (const publication of publications) {
    for (let index = 0; index < Number(count); index++) {
      yield* publication.publish(Messages.make(Number(firstNumber) + index, Number(length)))
    }
  }
  process.stdout.write("published\n")
  yield* Effect.promise(() => lines.next())
}).pipe(Effect.scoped, Effect.provide(Client.layerWith({ directory: directory!, clientName: "millrace-survivor" })))

await Effect.runPromise(program)
