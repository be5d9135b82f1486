/** Mends a store: looks what is wrong, puts aside what it changes, writes, and opens the store, which does the rest. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import * as path from "node:path"
import type { StoreOptions } from "../engine/StoreOptions.ts"
import * as StorePaths from "../engine/StorePaths.ts"
import type { FileFaults } from "../inspect/FileSurvey.ts"
import type { Finding } from "../inspect/Finding.ts"
import type { Damage } from "../inspect/LogSurvey.ts"
import type { VerifyReport } from "../Inspect.ts"
import type { MessageStoreOptions } from "../MessageStoreConfig.ts"
import * as AbortFile from "../recovery/AbortFile.ts"
import * as RepairPlan from "../recovery/RepairPlan.ts"
import type { Choice, Plan, RepairReport } from "../Repair.ts"
import { OptionIllegal, StoreError } from "../StoreError.ts"
import { RepairBackup } from "./repairBackup.ts"
import * as storeInspection from "./storeInspection.ts"
import * as storeLayer from "./storeLayer.ts"
import * as storeOpen from "./storeOpen.ts"
import { attempt } from "./storeSteps.ts"
import * as storeVerify from "./storeVerify.ts"

/** Findings beyond these are left for another repair. */
const FINDINGS_MAX = 1_000_000

const isDamage = (finding: Finding): finding is Extract<Finding, { readonly _tag: "LogDamage" }> =>
  finding._tag === "LogDamage"

export const plan = Effect.fnUntraced(function* (
  options: MessageStoreOptions
): Effect.fn.Return<Plan, StoreError, Scope.Scope> {
  const report = yield* storeVerify.verify(options, FINDINGS_MAX)
  const { faults, files } = yield* storeInspection.openMended(options)
  const damages = report.findings.filter(isDamage)
  const obstacle = damages.map((damage) => RepairPlan.obstacleTo(files.commitLog, damage)).find(Boolean)
  return { report, damages, choices: choicesOf(report, damages, faults, obstacle) }
}, Effect.scoped)

const choicesOf = (
  report: VerifyReport,
  damages: ReadonlyArray<Damage>,
  faults: FileFaults,
  obstacle: string | undefined
): ReadonlyArray<Choice> => {
  const [first] = damages
  if (first === undefined) {
    const name = faults.lengths.length === 0 ? "rebuild" : "keep"
    return report.findings.length === 0 ? [] : [{ name, bytesLost: 0, recordsLost: 0 }]
  }
  const damaged = damages.reduce((sum, { end, position }) => sum + end - position, 0)
  const cut: Choice = {
    name: "cut",
    bytesLost: report.maxPosition - first.position,
    recordsLost: damages.reduce((sum, { recordsBehind }) => sum + recordsBehind, 0)
  }
  return obstacle === undefined ? [{ name: "keep", bytesLost: damaged, recordsLost: 0 }, cut] : [cut]
}

export const apply = Effect.fnUntraced(function* (
  options: MessageStoreOptions,
  choice: Choice["name"],
  backup: string | undefined
): Effect.fn.Return<RepairReport, StoreError> {
  const directory = path.resolve(options.directory)
  const target = backup ?? `${directory}.backup-${stampOf(yield* Clock.currentTimeMillis)}`
  const { files, lengths } = yield* Effect.scoped(change({ ...options, directory }, choice, target))
  const repaired: MessageStoreOptions = { ...options, ...lengths, directory, readOnly: false }
  const { recovery } = yield* Effect.scoped(storeLayer.make(repaired))
  const verified = yield* Effect.scoped(storeVerify.verify(repaired, FINDINGS_MAX))
  return { choice, backup: target, files, recovery, verified }
})

/** `20261130T091500`: sorts by age, and any file system takes it. */
const stampOf = (timeMs: number): string => new Date(timeMs).toISOString().replaceAll(/[-:]|\.\d+Z/g, "")

interface Changed {
  /** Files that were changed, made or put aside. */
  readonly files: ReadonlyArray<string>
  /** What the store was made with: of what is put aside nothing is left to tell it from. */
  readonly lengths: Partial<MessageStoreOptions>
}

/** Everything that is done before the store is opened, under its lock. */
const change = Effect.fnUntraced(function* (
  options: MessageStoreOptions,
  choice: Choice["name"],
  target: string
): Effect.fn.Return<Changed, StoreError, Scope.Scope> {
  const { directory } = options
  const inspection = yield* storeInspection.openMended(options)
  yield* storeOpen.acquireLock(inspection.fileSystem, directory)
  const { choices, damages, report } = yield* plan(options)
  if (!choices.some(({ name }) => name === choice)) {
    const possible = choices.map(({ name }) => name).join(", ")
    const detail = possible === "" ? "nothing is wrong with the store" : `what can be done here is: ${possible}`
    return yield* Effect.fail(
      new StoreError({ reason: new OptionIllegal({ option: "choice", value: choice, detail }) })
    )
  }
  const { faults } = inspection
  const { commitLog, queues } = inspection.files
  const [first] = damages
  const end = choice === "cut" && first !== undefined ? first.position : report.maxPosition
  const logPlan = choice === "cut" ? RepairPlan.cut(commitLog, end) : RepairPlan.keep(commitLog, damages)
  const queuePlan = RepairPlan.queues(queues, report.findings, end)
  const edits = [...logPlan.edits, ...queuePlan.edits]
  const putAside = [
    ...faults.putAside,
    ...logPlan.putAside,
    ...queuePlan.putAside,
    ...report.findings.flatMap((finding) => (finding._tag === "ConfigUnreadable" ? [finding.file] : [])),
    // Made anew from the log by the opening, all of them.
    StorePaths.index(directory),
    StorePaths.checkpoint(directory)
  ].filter((file, index, all) => fs.existsSync(file) && all.indexOf(file) === index)
  const resized = faults.lengths.filter((fault) => !logPlan.putAside.includes(fault.path))
  const files = yield* attempt(() => {
    const kept = new RepairBackup(directory, target, choice)
    const tooLong = resized.filter(({ found = 0, length }) => found > length).map((fault) => fault.path)
    kept.note(tooLong)
    kept.copy([...resized, ...edits].map((changed) => changed.path).filter((file) => !tooLong.includes(file)))
    kept.putAside(putAside)
    // From here on the store counts as one that was not closed: the opening reads all of it.
    AbortFile.create(inspection.fileSystem, directory, process.pid)
    kept.resize(resized)
    kept.write(edits)
    return kept.files
  })
  return { files, lengths: lengthsOf(inspection.options) }
})

const lengthsOf = (options: StoreOptions): Partial<MessageStoreOptions> => ({
  mappedFileSizeCommitLog: options.mappedFileSizeCommitLog,
  mappedFileSizeConsumeQueue: options.mappedFileSizeConsumeQueue,
  mapperFileSizeBatchConsumeQueue: options.mapperFileSizeBatchConsumeQueue,
  mappedFileSizeConsumeQueueExt: options.mappedFileSizeConsumeQueueExt,
  maxHashSlotNum: options.maxHashSlotNum,
  maxIndexNum: options.maxIndexNum
})
