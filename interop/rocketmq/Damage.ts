/** What can have happened to the files of a store between two processes. */
import { closeSync, openSync, readdirSync, rmSync, statSync, writeSync } from "node:fs"
import { join } from "node:path"
import type { Config } from "./Handle.ts"
import type { History } from "./History.ts"

export type Damage =
  /** The second half of the last record never reached the device. */
  | "last record torn"
  /** Everything but the log is gone. */
  | "only the log left"
  | "queues removed"
  | "one queue removed"
  | "index removed"

const NAME_DIGITS = 20
const POSITION_NAME = /^\d{17,20}$/

export const inflict = (damage: Damage, directory: string, config: Config, history: History): void => {
  switch (damage) {
    case "last record torn":
      return tearLast(directory, Number(config["mappedFileSizeCommitLog"]), history)
    case "only the log left":
      for (const name of ["consumequeue", "batchconsumequeue", "index", "checkpoint"]) {
        remove(directory, name)
      }
      return
    case "queues removed":
      remove(directory, "batchconsumequeue")
      return remove(directory, "consumequeue")
    case "one queue removed":
      return remove(directory, "consumequeue/TopicA/0")
    case "index removed":
      return remove(directory, "index")
  }
}

/**
 * A process that is killed right after it has made a file leaves it empty. Both ours and 5.x take such a file away;
 * 4.9.8 does not open the store, not even when it left the file itself.
 */
export const removeEmptyFiles = (directory: string): void => {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && POSITION_NAME.test(entry.name) && statSync(path).size === 0) {
      rmSync(path)
    }
  }
}

const remove = (directory: string, name: string): void =>
  rmSync(join(directory, name), { recursive: true, force: true })

const tearLast = (directory: string, fileLength: number, history: History): void => {
  const { position, storeSize } = history.removeLast()
  const fileStart = Math.floor(position / fileLength) * fileLength
  const kept = Math.floor(storeSize / 2)
  const descriptor = openSync(join(directory, "commitlog", String(fileStart).padStart(NAME_DIGITS, "0")), "r+")
  writeSync(descriptor, Buffer.alloc(storeSize - kept), 0, storeSize - kept, position - fileStart + kept)
  closeSync(descriptor)
}
