/** Checks a store: everything in it is read, and nothing changed. */
import * as Effect from "effect/Effect"
import type { Finding } from "../inspect/Finding.ts"
import { verify as verifySteps } from "../inspect/StoreVerify.ts"
import type { VerifyReport } from "../Inspect.ts"
import type { MessageStoreOptions } from "../MessageStoreConfig.ts"
import * as MachineIdentity from "../recovery/MachineIdentity.ts"
import { machineIdentity } from "./machineIdentity.ts"
import type { Progress } from "../Progress.ts"
import * as storeInspection from "./storeInspection.ts"
import * as storeSteps from "./storeSteps.ts"

export const verify = Effect.fnUntraced(function* (options: MessageStoreOptions, findingsMax: number) {
  const inspection = yield* storeInspection.openMended(options)
  const { faults, fileSystem, files, isOpen } = inspection
  const findings: Array<Finding> = []
  let findingCount = 0
  const onFinding = (finding: Finding): void => {
    findingCount++
    if (findings.length < findingsMax) {
      findings.push(finding)
    }
  }
  faults.findings.forEach(onFinding)
  const indexFiles = yield* storeInspection.indexViews(inspection, onFinding)
  const survival = yield* storeSteps.attempt(() =>
    MachineIdentity.survivalOf(fileSystem, options.directory, machineIdentity(options.directory), !isOpen)
  )
  const steps = verifySteps({
    fileSystem,
    root: options.directory,
    commitLog: files.commitLog,
    queues: files.queues,
    indexFiles,
    isOpen,
    checkpoint: files.checkpoint,
    survival,
    onFinding
  })
  const queueTotal = [...files.queues.all()].reduce((sum, { queue }) => sum + queue.maxOffset, 0)
  const indexTotal = indexFiles.reduce((sum, { indexCount }) => sum + indexCount, 0)
  const verified = yield* storeSteps.drive(steps, ({ done, part }): Progress => {
    switch (part) {
      case "log":
        return { task: "check of the log", noun: "bytes", done, total: files.commitLog.maxOffset }
      case "queues":
        return { task: "check of the queues", noun: "entries", done, total: queueTotal }
      case "index":
        return { task: "check of the index", noun: "entries", done, total: indexTotal }
    }
  })
  const report: VerifyReport = { ...verified, isOpen, findingCount, findings }
  return report
}, Effect.scoped)
