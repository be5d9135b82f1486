/** A driver that loses some of what arrives: `directory share`. Prints `ready` when clients may come. */
import * as MediaDriver from "@millrace/transport/MediaDriver"
import * as Effect from "effect/Effect"

const [directory = "", share = "0"] = process.argv.slice(2)
const rate = Number(share)

const program = Effect.gen(function* () {
  yield* MediaDriver.MediaDriver
  process.stdout.write("ready\n")
  return yield* Effect.never
}).pipe(
  Effect.provide(
    MediaDriver.layer({
      directory,
      receiveDataLossRate: rate,
      receiveControlLossRate: rate,
      sendControlLossRate: rate,
      clientLivenessTimeout: "4 seconds",
      publicationLingerTimeout: "1 second"
    })
  )
)

await Effect.runPromise(program)
