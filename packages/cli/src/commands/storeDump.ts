/** `millrace store dump FILE`: what stands in a file of a store. */
import * as Inspect from "@millrace/store/Inspect"
import type { StoreError } from "@millrace/store/StoreError"
import * as Stream from "effect/Stream"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as path from "node:path"
import { badInput, type CommandError } from "../CommandError.ts"
import * as Lines from "../output/Lines.ts"
import * as Text from "../output/Text.ts"
import { json } from "./flags.ts"

/** Long or nested fields that a reader of records rarely asks for; `--json` has them. */
const LEFT_OUT: ReadonlySet<string> = new Set(["propertiesRaw", "recordPhysicalOffset", "body"])

const valueText = (value: unknown): string =>
  typeof value === "string" ? Text.printable(value) : JSON.stringify(value)

const textOf = ({ kind, ...fields }: Inspect.DumpLine): string => {
  if (kind === "json" || kind === "text") {
    return String(fields["text"])
  }
  const shown = Object.entries(fields)
    .filter(([name, value]) => value !== null && !LEFT_OUT.has(name))
    .map(([name, value]) => `${name}=${valueText(value)}`)
  const body = typeof fields["body"] === "string" ? [`body=${Text.body(Buffer.from(fields["body"], "base64"))}`] : []
  return [kind, ...shown, ...body].join("  ")
}

/** A file that is missing, or none of a store, is bad input. */
const blame =
  (file: string) =>
  (error: StoreError): StoreError | CommandError => {
    const { reason } = error
    if (reason._tag === "ForeignFile") {
      return badInput(file, `is no file of a store that can be read: ${reason.detail}`)
    }
    return reason._tag === "FileFailed" && reason.code === "ENOENT" ? badInput(file, "no such file") : error
  }

export const storeDump = Command.make(
  "dump",
  {
    file: Argument.String("file").pipe(
      Argument.withMetavar("FILE"),
      Argument.withDescription(
        "A file of a store: of commitlog, consumequeue, consumequeue_ext, index or config, checkpoint, abort, lock"
      )
    ),
    json
  },
  ({ file, json }) => {
    const lines = Stream.mapError(Inspect.dump(path.resolve(file)), blame(file))
    return Lines.printAll(Stream.map(lines, (line) => (json ? JSON.stringify(line) : textOf(line))))
  }
).pipe(
  Command.withDescription(
    "Prints what stands in a file of a store, part by part, whatever state it is in: records, blanks and damage of the log, " +
      "entries of a queue, units of an extended one, header and entries of the index, the times of the checkpoint."
  ),
  Command.withShortDescription("Print what stands in a file of a store"),
  Command.withExamples([
    { command: "millrace store dump trades/checkpoint", description: "Up to when it was flushed" },
    {
      command: "millrace store dump trades/commitlog/00000000000000000000 --json",
      description: "All records of a file of the log"
    }
  ])
)
