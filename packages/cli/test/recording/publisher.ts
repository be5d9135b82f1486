/**
 * A publisher of numbered messages: `driver channel count [timeout]`. With a count of 0 it goes on until it is killed; it
 * misses its driver after the timeout. Prints `session <id>`, `flowing` after the first hundred, and `published` when
 * subscribers have read all.
 */
import * as Client from "@millrace/transport/Client"
import * as ExclusivePublication from "@millrace/transport/ExclusivePublication"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { drained } from "../../src/internal/drained.ts"
import { encode } from "./Numbered.ts"

const [directory = "", channel = "", countText, driverTimeout = "10 seconds"] = process.argv.slice(2)
const count = Number(countText) || Infinity
const BATCH = 100

const program = Effect.gen(function* () {
  const publication = yield* ExclusivePublication.make({ channel, streamId: 1001 })
  process.stdout.write(`session ${publication.sessionId}\n`)
  for (let sent = 0; sent < count; sent += BATCH) {
    const length = Math.min(BATCH, count - sent)
    yield* publication.publishMany(Array.from({ length }, (_, index) => encode(sent + index)))
    if (sent === 0) {
      process.stdout.write("flowing\n")
    }
    yield* Effect.yieldNow
  }
  yield* drained(yield* Client.Client, publication)
  process.stdout.write("published\n")
}).pipe(Effect.scoped, Effect.provide(Client.layerWith({ directory, driverTimeout: driverTimeout as Duration.Input })))

await Effect.runPromise(program)
