/** Measures one bench file in a process of its own, so that no file inherits the type feedback of another. */
import { loadGroups, matches } from "./BenchFiles.ts"
import { measureGroup } from "./Measure.ts"
import { parent } from "./Peer.ts"
import type { GroupResult } from "./Result.ts"

export interface FileOrder {
  readonly path: string
  readonly name: string
  readonly prefixes: ReadonlyArray<string>
  readonly smoke: boolean
}

/** What this process tells `bin.ts`: results as they come, then how it ended. */
export type FileReport =
  | { readonly _tag: "Group"; readonly result: GroupResult }
  | { readonly _tag: "Failed"; readonly reason: string }
  | { readonly _tag: "Done" }

// Every process that a bench starts is ended with this one, by a listener of its own.
process.setMaxListeners(64)

/** Nobody would hear what is measured from here on. What it has written goes with it. */
const end = (): never => process.exit(1)
process.once("disconnect", end).once("SIGINT", end).once("SIGTERM", end)

const bin = parent()
const report = (message: FileReport): void => bin.send(message)

const { name, path, prefixes, smoke } = await bin.receive<FileOrder>()
try {
  for (const group of await loadGroups({ name, path })) {
    const result = await measureGroup(group, { smoke, includes: (caseName) => matches(caseName, prefixes) })
    if (result.cases.length > 0) {
      report({ _tag: "Group", result })
    }
  }
  report({ _tag: "Done" })
} catch (cause) {
  report({ _tag: "Failed", reason: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) })
}
process.off("disconnect", end)
bin.close()
