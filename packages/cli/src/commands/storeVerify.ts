/** `millrace store verify DIR`: reads everything and says what does not agree. */
import * as Inspect from "@millrace/store/Inspect"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { CommandError, StoreProblems } from "../CommandError.ts"
import * as Invocation from "../output/Invocation.ts"
import { refuseNoStore } from "../internal/openStore.ts"
import * as Lines from "../output/Lines.ts"
import { grouped, plural } from "../output/Quantity.ts"
import * as Style from "../output/Style.ts"
import * as FindingText from "../store/FindingText.ts"
import * as StoreFlags from "../store/StoreFlags.ts"
import { withProgress } from "../store/WithProgress.ts"
import { json } from "./flags.ts"

const summaryOf = (report: Inspect.VerifyReport): ReadonlyArray<string> => {
  const { beyondEnd, indexEntries, isOpen, keys, maxPosition, minPosition, queueEntries, records, undispatched } =
    report
  return [
    `log     ${plural(records, "record")} from ${grouped(minPosition)} to ${grouped(maxPosition)}: ${report.endReason}`,
    `queues  ${grouped(queueEntries)} entries`,
    `index   ${grouped(indexEntries)} entries for ${plural(keys, "key")}`,
    ...(isOpen ? ["The store is open, or was not closed."] : []),
    ...(undispatched > 0
      ? [`${plural(undispatched, "record")} have no queue entry yet: they get it, at the next opening at last.`]
      : []),
    ...(beyondEnd > 0
      ? [`${grouped(beyondEnd)} entries lead behind the end of the log: the next opening cuts them.`]
      : [])
  ]
}

export const storeVerify = Command.make(
  "verify",
  { directory: StoreFlags.directory, config: StoreFlags.config, json },
  Effect.fnUntraced(function* ({ config, directory, json }) {
    yield* refuseNoStore(directory)
    const settings = yield* StoreFlags.settingsOf(config)
    const report = yield* Inspect.verify({ ...settings, directory }).pipe(withProgress)
    const { findingCount, findings } = report
    if (json) {
      yield* Console.log(JSON.stringify(report))
    } else {
      const style = yield* Style.current
      const more = findingCount - findings.length
      yield* Lines.print([
        ...summaryOf(report),
        ...findings.map((finding) => `${style.bad("✗")} ${FindingText.of(finding)}`),
        ...(more > 0 ? [`… and ${grouped(more)} more`] : []),
        ...(findingCount === 0 ? [`${style.good("✓")} everything agrees`] : [])
      ])
    }
    if (findingCount > 0) {
      const next = `${Invocation.current()} store repair ${Invocation.quoted(directory)}`
      return yield* new CommandError({ reason: new StoreProblems({ directory, count: findingCount, next }) })
    }
  })
).pipe(
  Command.withDescription(
    "Reads everything: checks the CRC of each record, and the links between log, queues and index both ways. Changes " +
      "nothing, and works beside a process that writes. Exit code 1 when something does not agree."
  ),
  Command.withShortDescription("Check everything in a store"),
  Command.withExamples([
    { command: "millrace store verify trades", description: "What was read, and what is wrong" },
    { command: "millrace store verify trades --json", description: "The same for a script" }
  ])
)
