/** Millrace's driver in the interop runs: `directory`. Prints `ready`; ends by the termination command. */
import * as Effect from "effect/Effect"
import * as MediaDriver from "../../packages/transport/src/MediaDriver.ts"

const program = Effect.gen(function* () {
  const driver = yield* MediaDriver.MediaDriver
  process.stdout.write("ready\n")
  yield* driver.awaitTermination
}).pipe(
  Effect.provide(
    MediaDriver.layer({ directory: process.argv[2]!, allowTermination: true, ipcTermBufferLength: 1024 * 1024 })
  )
)

await Effect.runPromise(program)
