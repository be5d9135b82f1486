/**
 * Millrace's driver in the interop runs: `directory [options]`, these as JSON. Prints `ready`; ends by the termination
 * command.
 */
import * as Effect from "effect/Effect"
import * as MediaDriver from "../../packages/transport/src/MediaDriver.ts"
import type * as MediaDriverConfig from "../../packages/transport/src/MediaDriverConfig.ts"

const options = JSON.parse(process.argv[3] ?? "{}") as MediaDriverConfig.MediaDriverOptions

const program = Effect.gen(function* () {
  const driver = yield* MediaDriver.MediaDriver
  process.stdout.write("ready\n")
  yield* driver.awaitTermination
}).pipe(
  Effect.provide(
    MediaDriver.layer({
      directory: process.argv[2]!,
      allowTermination: true,
      ipcTermBufferLength: 1024 * 1024,
      ...options
    })
  )
)

await Effect.runPromise(program)
