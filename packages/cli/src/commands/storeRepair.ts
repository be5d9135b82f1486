/** `millrace store repair DIR`: says what can be done about a damaged store, and does it. */
import type * as Inspect from "@millrace/store/Inspect"
import * as Repair from "@millrace/store/Repair"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { CommandError, StoreProblems } from "../CommandError.ts"
import { refuseNoStore } from "../internal/openStore.ts"
import * as Invocation from "../output/Invocation.ts"
import * as Lines from "../output/Lines.ts"
import { bytes, grouped, plural } from "../output/Quantity.ts"
import * as Style from "../output/Style.ts"
import * as FindingText from "../store/FindingText.ts"
import * as StoreFlags from "../store/StoreFlags.ts"
import { withProgress } from "../store/WithProgress.ts"
import { json } from "./flags.ts"

/** Findings that are listed; the others are counted. */
const LISTED_MAX = 20

const WAYS: Readonly<Record<Repair.Choice["name"], string>> = {
  keep: "put records that no reader sees in the place of the damage, files that are missing included, and keep every record that can be read",
  cut: "end the log before the first damage, as RocketMQ does",
  rebuild: "leave the log as it is, and make anew what does not agree with it"
}

const choiceLine = ({ bytesLost, name, recordsLost }: Repair.Choice): string => {
  const lost = bytesLost === 0 ? "" : `: loses ${plural(recordsLost, "record")}, ${bytes(bytesLost)} of the log`
  return `  ${name.padEnd(7)}  ${WAYS[name]}${lost}`
}

const findingLines = (findings: ReadonlyArray<Inspect.Finding>, style: Style.Style): ReadonlyArray<string> => [
  ...findings.slice(0, LISTED_MAX).map((finding) => `${style.bad("✗")} ${FindingText.of(finding)}`),
  ...(findings.length > LISTED_MAX ? [`… and ${grouped(findings.length - LISTED_MAX)} more`] : [])
]

const listed = (report: Inspect.VerifyReport) => ({ ...report, findings: report.findings.slice(0, LISTED_MAX) })

const commandFor = (directory: string, choice: string): string =>
  `${Invocation.current()} store repair ${Invocation.quoted(directory)} --choose ${choice} --yes`

/** Prints what is wrong and what can be done; nothing wrong is no problem. */
const propose = Effect.fnUntraced(function* (directory: string, plan: Repair.Plan, asJson: boolean) {
  const { choices, damages, report } = plan
  const [best] = choices
  if (asJson) {
    yield* Console.log(JSON.stringify({ choices, damages, report: listed(report) }))
  } else {
    const style = yield* Style.current
    yield* Lines.print(
      best === undefined
        ? [`${style.good("✓")} everything agrees: there is nothing to repair`]
        : [
            ...findingLines(report.findings, style),
            "What can be done:",
            ...choices.map(choiceLine),
            "All of them write queues and index anew where they do not agree with the log, and put aside what is no file of the " +
              "store. Nothing was changed."
          ]
    )
  }
  if (best !== undefined) {
    const next = commandFor(directory, best.name)
    return yield* new CommandError({ reason: new StoreProblems({ directory, count: report.findingCount, next }) })
  }
})

const report = Effect.fnUntraced(function* (directory: string, done: Repair.RepairReport, asJson: boolean) {
  const { backup, choice, files, recovery, verified } = done
  if (asJson) {
    yield* Console.log(JSON.stringify({ ...done, verified: listed(verified) }))
  } else {
    const style = yield* Style.current
    yield* Lines.print([
      `${choice}: ${plural(files.length, "file")} changed or put aside, kept in ${backup}`,
      `log from ${grouped(recovery.minPosition)} to ${grouped(recovery.maxPosition)}, ${plural(verified.records, "record")}`,
      ...findingLines(verified.findings, style),
      ...(verified.findingCount === 0 ? [`${style.good("✓")} everything agrees`] : [])
    ])
  }
  if (verified.findingCount > 0) {
    const next = `${Invocation.current()} store repair ${Invocation.quoted(directory)}`
    return yield* new CommandError({ reason: new StoreProblems({ directory, count: verified.findingCount, next }) })
  }
})

export const storeRepair = Command.make(
  "repair",
  {
    directory: StoreFlags.directory,
    choose: Flag.Literals("choose", ["keep", "cut", "rebuild"]).pipe(
      Flag.withDescription("What to do [the first of what is proposed]"),
      Flag.withMetavar("keep|cut|rebuild"),
      Flag.optional
    ),
    yes: Flag.Boolean("yes").pipe(Flag.withDescription("Do it"), Flag.withDefault(false)),
    backup: Flag.String("backup").pipe(
      Flag.withDescription("New directory for what is changed, as it was [beside the store]"),
      Flag.withMetavar("DIR"),
      Flag.optional
    ),
    config: StoreFlags.config,
    json
  },
  Effect.fnUntraced(function* ({ backup, choose, config, directory, json, yes }) {
    yield* refuseNoStore(directory)
    const options = { ...(yield* StoreFlags.settingsOf(config)), directory }
    const plan = yield* Repair.plan(options).pipe(withProgress)
    const choice = Option.getOrElse(choose, () => plan.choices[0]?.name)
    if (!yes || choice === undefined) {
      return yield* propose(directory, plan, json)
    }
    const done = Repair.apply({ ...options, choice, backup: Option.getOrUndefined(backup) })
    yield* report(directory, yield* done.pipe(withProgress), json)
  })
).pipe(
  Command.withDescription(
    "Says what is wrong with a store and what can be done about it; does it with --yes, and keeps what it changes. Exit code " +
      "1 while something is wrong. It refuses to change a store that a process has open."
  ),
  Command.withShortDescription("Mend a store, with a backup"),
  Command.withExamples([
    { command: "millrace store repair trades", description: "What is wrong, and what could be done" },
    { command: "millrace store repair trades --yes", description: "The first of what is proposed" }
  ])
)
