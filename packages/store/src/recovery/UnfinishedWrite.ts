/**
 * Where a write of the log has failed half way and what it left could not be made zeros again. Whole records among that
 * were refused, and must not count as stored at the next opening: it ends the log at this place. The file is there only
 * while there is something to cut; RocketMQ does not know it.
 */
import type { Remains, RemainsNote } from "../commitlog/CommitLog.ts"
import * as ConfigFile from "../config/ConfigFile.ts"
import * as StorePaths from "../engine/StorePaths.ts"
import { FileFailure, type FileSystem } from "../mapped/FileSystem.ts"
import * as Utf8 from "../commitlog/Utf8.ts"

const NAME = "unfinished.json"

export const noteOf = (fileSystem: FileSystem, root: string): RemainsNote => {
  const path = ConfigFile.pathOf(root, NAME)
  let noted: Remains | undefined = undefined
  return {
    read: () => {
      noted = parse(ConfigFile.read(fileSystem, path))
      return noted
    },
    write: (remains) => {
      if (remains?.position === noted?.position && remains?.storeTimestamp === noted?.storeTimestamp) {
        return
      }
      try {
        if (remains === undefined) {
          fileSystem.remove(path)
          fileSystem.syncDirectory(StorePaths.config(root))
        } else {
          fileSystem.replace(path, Utf8.encode(`${JSON.stringify(remains)}\n`))
        }
        noted = remains
      } catch (error) {
        // A device that takes neither zeros nor this note cannot be told anything; it is tried again with the next put.
        if (!(error instanceof FileFailure)) {
          throw error
        }
      }
    }
  }
}

const parse = (content: unknown): Remains | undefined => {
  const { position, storeTimestamp } = Object(content) as Readonly<Record<keyof Remains, unknown>>
  return typeof position === "number" && typeof storeTimestamp === "number" && position >= 0
    ? { position, storeTimestamp }
    : undefined
}
