/** `millrace driver`: a media driver that the programs of this user share, until it is stopped. */
import * as MediaDriver from "@millrace/transport/MediaDriver"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import { exitWithSignalNumber } from "../internal/runMain.ts"
import { driverDirectory, json } from "./flags.ts"

export const driver = Command.make(
  "driver",
  { directory: driverDirectory, json },
  Effect.fnUntraced(
    function* ({ json }) {
      yield* exitWithSignalNumber
      const { awaitTermination, directory } = yield* MediaDriver.MediaDriver
      const { pid } = process
      yield* Console.log(
        json
          ? JSON.stringify({ directory, pid })
          : `media driver with pid ${pid} is ready in ${directory}; Ctrl-C stops it`
      )
      yield* awaitTermination
    },
    (effect, { directory }) =>
      Effect.provide(effect, MediaDriver.layer(Option.isSome(directory) ? { directory: directory.value } : {}))
  )
).pipe(
  Command.withDescription(
    "Runs a media driver in its directory until it gets SIGINT, SIGTERM or the command to terminate. It ends with the " +
      "number of the signal, as aeronmd does, and with 0 after the command."
  ),
  Command.withShortDescription("Run a media driver that programs share"),
  Command.withExamples([
    { command: "millrace driver", description: "In the directory that all programs of this user look in" },
    { command: "millrace driver --dir /dev/shm/prices", description: "In a directory of its own" }
  ])
)
