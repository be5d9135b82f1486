/** `millrace capture FILE`: a media driver that keeps every frame that it sends or receives. */
import * as MediaDriver from "@millrace/transport/MediaDriver"
import type { TransportError } from "@millrace/transport/TransportError"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { badInput, type CommandError } from "../CommandError.ts"
import * as DriverOptions from "../internal/driverOptions.ts"
import { bytes } from "../output/Quantity.ts"
import { driverDirectory, json } from "./flags.ts"

const explained = (error: TransportError): TransportError | CommandError => {
  const { reason } = error
  switch (reason._tag) {
    case "DriverActive":
      return badInput(
        reason.directory,
        `a media driver runs there (pid ${reason.pid}), and a capture is of a driver's own frames: stop that one and let ` +
          "this command take its place, or name another directory with --dir"
      )
    case "InvalidOption":
      return reason.option === "captureFile" ? badInput(reason.value, `must be ${reason.allowed}`) : error
    default:
      return error
  }
}

const run = Effect.fnUntraced(function* (file: string, asJson: boolean) {
  const fs = yield* FileSystem.FileSystem
  const { awaitTermination, directory } = yield* MediaDriver.MediaDriver
  yield* Console.log(
    asJson
      ? JSON.stringify({ directory, pid: process.pid, file })
      : `media driver with pid ${process.pid} is ready in ${directory}; its frames go to ${file}; Ctrl-C stops both`
  )
  const size = Effect.map(fs.stat(file), ({ size }) => Number(size))
  const report = Effect.flatMap(size, (length) =>
    Console.log(asJson ? JSON.stringify({ file, bytes: length }) : `${file} has ${bytes(length)}`)
  )
  yield* Effect.ensuring(awaitTermination, Effect.ignore(report))
})

export const capture = Command.make(
  "capture",
  {
    file: Argument.String("file").pipe(
      Argument.withMetavar("FILE"),
      Argument.withDescription("The pcap file, made anew")
    ),
    directory: driverDirectory,
    json
  },
  Effect.fnUntraced(function* ({ directory, file, json }) {
    const given = yield* DriverOptions.conclude({ environment: process.env, defines: [], files: [] })
    const place = Option.isSome(directory) ? { directory: directory.value } : {}
    const driver = MediaDriver.layer({ ...given.options, ...place, captureFile: file })
    yield* run(file, json).pipe(
      Effect.provide(driver),
      Effect.catchTag("TransportError", (error) => Effect.fail(explained(error)))
    )
  })
).pipe(
  Command.withDescription(
    "Runs a media driver, as millrace driver does, and writes every datagram that it sends or receives over UDP into a " +
      "pcap file: data, set-ups, status messages, NAKs. It needs no privileges. Wireshark shows it with its Aeron " +
      "dissector, millrace frames in text. Shared memory has no frames on a wire: see millrace log."
  ),
  Command.withShortDescription("Run a driver that keeps its frames as pcap"),
  Command.withExamples([
    { command: "millrace capture aeron.pcap", description: "In place of millrace driver" },
    { command: "millrace capture prices.pcap --dir /dev/shm/prices", description: "In a directory of its own" }
  ])
)
