/** `millrace store open DIR`: recovers a store like a process that starts, and closes it again. */
import * as MessageStore from "@millrace/store/MessageStore"
import type * as RecoveryReport from "@millrace/store/RecoveryReport"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { refuseNoStore } from "../internal/openStore.ts"
import * as Lines from "../output/Lines.ts"
import { grouped } from "../output/Quantity.ts"
import * as StoreFlags from "../store/StoreFlags.ts"
import { withProgress } from "../store/WithProgress.ts"
import { json } from "./flags.ts"

/** The report as one line a fact: `maxPosition` reads as `max position`. */
const linesOf = (report: RecoveryReport.RecoveryReport): ReadonlyArray<string> => {
  const facts = Object.entries(report).map(
    ([name, value]) =>
      [name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`), value] as readonly [string, unknown]
  )
  const width = Math.max(...facts.map(([name]) => name.length))
  return facts.map(
    ([name, value]) => `${name.padEnd(width)}  ${typeof value === "number" ? grouped(value) : String(value)}`
  )
}

export const storeOpen = Command.make(
  "open",
  { directory: StoreFlags.directory, config: StoreFlags.config, json },
  Effect.fnUntraced(function* ({ config, directory, json }) {
    yield* refuseNoStore(directory)
    const settings = yield* StoreFlags.settingsOf(config)
    const report = yield* MessageStore.MessageStore.pipe(
      Effect.map(({ recovery }) => recovery),
      Effect.provide(MessageStore.layer({ ...settings, directory })),
      withProgress
    )
    yield* json ? Console.log(JSON.stringify(report)) : Lines.print(linesOf(report))
  })
).pipe(
  Command.withDescription(
    "Opens a store as a process that starts does: finds the end of the log, cuts a torn tail, makes queues and index whole. " +
      "Says what it did, and closes the store. It refuses a store that another process has open, and one that is damaged."
  ),
  Command.withShortDescription("Recover a store, and say what was done"),
  Command.withExamples([
    { command: "millrace store open trades", description: "What an opening finds and does" },
    { command: "millrace store open trades --json", description: "The same for a script" }
  ])
)
