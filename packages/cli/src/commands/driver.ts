/** `millrace driver`: a media driver that the programs of this user share, until it is stopped. */
import * as MediaDriver from "@millrace/transport/MediaDriver"
import * as MediaDriverConfig from "@millrace/transport/MediaDriverConfig"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as DriverOptions from "../internal/driverOptions.ts"
import { exitWithSignalNumber } from "../internal/runMain.ts"
import { json } from "./flags.ts"

const directory = Flag.String("dir").pipe(
  Flag.withDescription("Directory of the media driver [AERON_DIR, or /dev/shm/aeron-<user>]"),
  Flag.withMetavar("DIR"),
  Flag.optional
)

const define = Flag.String("define").pipe(
  Flag.withAlias("D"),
  Flag.withDescription("-Dname=value: an option by Aeron's name, as in docs/configuration.md"),
  Flag.withMetavar("NAME=VALUE"),
  Flag.atLeast(0)
)

const printConfiguration = Flag.Boolean("print-configuration").pipe(
  Flag.withDescription("Print all options at start, as a properties file [AERON_PRINT_CONFIGURATION]"),
  Flag.withDefault(false)
)

const files = Argument.String("properties").pipe(
  Argument.withDescription("Properties files with options by Aeron's names"),
  Argument.variadic()
)

/** The configuration as a file that the driver reads again, and what of the given was of no use, in comments. */
const dump = Effect.fnUntraced(function* (directory: string, { ignored, options }: MediaDriverConfig.AeronOptions) {
  const concluded = yield* MediaDriverConfig.conclude(options)
  return [
    "# configuration of the media driver",
    MediaDriverConfig.toProperties({ ...options, directory }, concluded),
    ...ignored.map(({ name, reason, source, value }) => `# ignored: ${name}=${value} (${source}): it ${reason}`)
  ].join("\n")
})

const runDriver = Effect.fnUntraced(function* (isJson: boolean) {
  const { awaitTermination, directory } = yield* MediaDriver.MediaDriver
  const { pid } = process
  const ready = isJson
    ? JSON.stringify({ directory, pid })
    : `media driver with pid ${pid} is ready in ${directory}; Ctrl-C stops it`
  yield* Console.log(ready)
  const end = isJson ? Effect.void : Console.log("Shutting down driver...")
  yield* Effect.ensuring(awaitTermination, end)
})

export const driver = Command.make(
  "driver",
  { directory, define, printConfiguration, json, files },
  Effect.fnUntraced(function* ({ define, directory, files, json, printConfiguration }) {
    yield* exitWithSignalNumber
    const given = yield* DriverOptions.conclude({ environment: process.env, defines: define, files })
    yield* Effect.forEach(given.warnings, ({ message }) => Console.error(`WARNING: ${message}`))
    const options = Option.isSome(directory) ? { ...given.options, directory: directory.value } : given.options
    if ((printConfiguration || options.printConfiguration === true) && !json) {
      const place = options.directory ?? (yield* MediaDriver.CurrentDriver).directory
      yield* Console.log(yield* dump(place, { ...given, options }))
    }
    yield* Effect.provide(runDriver(json), MediaDriver.layer(options))
  })
).pipe(
  Command.withDescription(
    "Runs a media driver in its directory until it gets SIGINT, SIGTERM or the command to terminate. It takes the " +
      "environment variables of Aeron's aeronmd, and the same names as -Dname=value and in properties files; it ends " +
      "with the number of the signal, as aeronmd does, and with 0 after the command."
  ),
  Command.withShortDescription("Run a media driver that programs share"),
  Command.withExamples([
    { command: "millrace driver", description: "In the directory that all programs of this user look in" },
    {
      command: "millrace driver --dir /dev/shm/prices -Daeron.term.buffer.length=1m",
      description: "In a directory of its own, with terms of 1 MiB for network streams"
    }
  ])
)
