/** Tells by name and directory what a file of a store is. */
import * as FileNaming from "../mapped/FileNaming.ts"

export type FileKind = "log" | "queue" | "batch queue" | "extended queue" | "index" | "checkpoint" | "json" | "text"

const INDEX_NAME = /^\d{17}$/
const SMALL_FILES: ReadonlyMap<string, FileKind> = new Map([
  ["abort", "text"],
  ["abort.bak", "text"],
  ["checkpoint", "checkpoint"],
  ["lock", "text"],
  ["position-checkpoint", "text"]
])

const QUEUE_ROOTS: ReadonlyMap<string, FileKind> = new Map([
  ["consumequeue", "queue"],
  ["batchconsumequeue", "batch queue"],
  ["consumequeue_ext", "extended queue"]
])

/** Undefined for a file that no store has. `path` is absolute, with slashes. */
export const of = (path: string): FileKind | undefined => {
  const parts = path.split("/")
  const name = parts.at(-1) ?? ""
  const small = SMALL_FILES.get(name)
  if (small !== undefined) {
    return small
  }
  if (/\.json(\.bak)?$/.test(name)) {
    return "json"
  }
  if (FileNaming.parse(name) >= 0) {
    // consumequeue/<topic>/<queue id>/<position>
    return QUEUE_ROOTS.get(parts.at(-4) ?? "") ?? "log"
  }
  return INDEX_NAME.test(name) ? "index" : undefined
}
