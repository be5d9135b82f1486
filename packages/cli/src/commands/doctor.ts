/** `millrace doctor`: whether this machine has what a driver and a store need, and how to mend what it has not. */
import * as Inspector from "@millrace/transport/Inspector"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as path from "node:path"
import { CommandError, MachineUnfit } from "../CommandError.ts"
import * as Check from "../doctor/Check.ts"
import * as Checks from "../doctor/Checks.ts"
import { machineFacts } from "../internal/machineFacts.ts"
import * as Lines from "../output/Lines.ts"
import * as Style from "../output/Style.ts"
import { driverDirectory, json } from "./flags.ts"

const MARKS: Readonly<Record<Check.Status, string>> = { ok: "✓", warn: "!", fail: "✗" }

const linesOf = (checks: ReadonlyArray<Check.Check>, style: Style.Style): ReadonlyArray<string> => {
  const width = Math.max(...checks.map(({ name }) => name.length))
  const indent = " ".repeat(width + 4)
  const styles = { ok: style.good, warn: style.accent, fail: style.bad }
  return checks.flatMap(({ limit, mend, name, status, value, why }) => [
    `${styles[status](MARKS[status])} ${style.strong(name.padEnd(width))}  ${value}`,
    ...(mend === undefined ? [] : [`${indent}wanted: ${limit}; ${why}`, `${indent}${style.strong(mend)}`])
  ])
}

const summary = (checks: ReadonlyArray<Check.Check>): string => {
  const count = (wanted: Check.Status) => checks.filter(({ status }) => status === wanted).length
  return `${count("ok")} ok, ${count("warn")} could be better, ${count("fail")} must be mended`
}

export const doctor = Command.make(
  "doctor",
  {
    directory: driverDirectory,
    store: Flag.String("store").pipe(
      Flag.withDescription("Where a store lies or is to lie [the current directory]"),
      Flag.withMetavar("DIR"),
      Flag.withDefault(".")
    ),
    json
  },
  Effect.fnUntraced(function* ({ directory, json, store }) {
    const driver = Option.getOrElse(directory, () => Inspector.defaultDirectory())
    const checks = Checks.of(yield* machineFacts({ drivers: path.dirname(path.resolve(driver)), store }))
    const status = Check.worst(checks)
    if (json) {
      yield* Console.log(JSON.stringify({ status, checks }))
    } else {
      yield* Lines.print([...linesOf(checks, yield* Style.current), "", summary(checks)])
    }
    if (status === "fail") {
      const failed = checks.filter((check) => check.status === "fail").map(({ name }) => name)
      return yield* new CommandError({ reason: new MachineUnfit({ failed }) })
    }
  })
).pipe(
  Command.withDescription(
    "Checks what a driver and a store depend on: Node, koffi, shared memory, socket buffers, mappings, the clock, the disk, " +
      "open files, locked memory. Says of each what was found, and what to type where it is not enough. Writes nothing but " +
      "a file for its trials, which it removes. Exit code 1 where something must be mended."
  ),
  Command.withShortDescription("Check this machine, and say how to mend it"),
  Command.withExamples([
    { command: "millrace doctor", description: "This machine and the current directory" },
    { command: "millrace doctor --store trades --json", description: "The disk of a store, for a script" }
  ])
)
