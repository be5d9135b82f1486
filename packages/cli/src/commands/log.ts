/** `millrace log FILE`: what lies in a log buffer. */
import * as Inspector from "@millrace/transport/Inspector"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { badInput } from "../CommandError.ts"
import * as LogText from "../output/LogText.ts"
import * as Style from "../output/Style.ts"
import { driverDirectory, json, positive } from "./flags.ts"

const PAYLOAD_LENGTH_DEFAULT = 32
const REGISTRATION_ID = /^\d+$/
const KINDS = ["publications", "images"]

/** A file, or the log of a publication or image of the driver by its registration id, as `millrace streams` shows it. */
const fileOf = Effect.fnUntraced(function* (name: string, directory: Option.Option<string>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  if (yield* fs.exists(name)) {
    return name
  }
  if (!REGISTRATION_ID.test(name)) {
    return yield* badInput(name, "no such file")
  }
  const home = Option.getOrElse(directory, () => Inspector.defaultDirectory())
  for (const kind of KINDS) {
    const file = path.join(home, kind, `${name}.logbuffer`)
    if (yield* fs.exists(file)) {
      return file
    }
  }
  return yield* badInput(name, `no such file, and no publication or image with this registration id in ${home}`)
})

const lines = Effect.fnUntraced(function* (
  log: Inspector.LogInspector,
  options: { readonly json: boolean; readonly payloadLength: number; readonly count: number }
) {
  const metadata = yield* log.metadata
  const style = yield* Style.current
  const frames = Stream.take(log.frames({ payloadLengthMax: options.payloadLength }), options.count)
  const head = options.json ? [JSON.stringify(LogText.metadataJson(metadata))] : LogText.metadataLines(metadata, style)
  const lineOf = (frame: Inspector.Frame): string =>
    options.json ? JSON.stringify(LogText.frameJson(frame)) : LogText.frameLine(frame, style)
  return Stream.fromIterable(head).pipe(
    Stream.concat(Stream.map(frames, lineOf)),
    Stream.mapArray((lines) => [`${lines.join("\n")}\n`] as const)
  )
})

export const log = Command.make(
  "log",
  {
    file: Argument.String("file").pipe(
      Argument.withMetavar("FILE"),
      Argument.withDescription("A .logbuffer file, or the registration id of a publication or image of the driver")
    ),
    directory: driverDirectory,
    count: positive("count").pipe(Flag.withDescription("At most N frames [all]"), Flag.withMetavar("N"), Flag.optional),
    length: positive("length").pipe(
      Flag.withDescription(`How many bytes of each payload [${PAYLOAD_LENGTH_DEFAULT}]`),
      Flag.withMetavar("L"),
      Flag.withDefault(PAYLOAD_LENGTH_DEFAULT)
    ),
    json
  },
  Effect.fnUntraced(function* ({ count, directory, file, json, length }) {
    const stdio = yield* Stdio.Stdio
    const inspector = yield* Inspector.openLog(yield* fileOf(file, directory))
    const options = { json, payloadLength: length, count: Option.getOrElse(count, () => Infinity) }
    yield* Stream.run(yield* lines(inspector, options), stdio.stdout())
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "Shows what a log buffer says of itself, and its frames from the oldest term on: position, term and offset, length, " +
      "flags (B begins a message, E ends one), and the payload. Works on a log in use, and on one that was left behind."
  ),
  Command.withShortDescription("Show the frames of a log buffer"),
  Command.withExamples([
    { command: "millrace log 4", description: "Of the publication or image with registration id 4" },
    { command: "millrace log publication.logbuffer --count 10 --json", description: "The first ten of a file" }
  ])
)
