/**
 * The files that the index had when the store was closed, so that one that is gone is missed: the part of the log that is
 * read after a clean end may hold no key that says so. RocketMQ keeps no such list.
 */
import * as ConfigFile from "../config/ConfigFile.ts"
import type { IndexService } from "../index/IndexService.ts"
import type { FileSystem } from "../mapped/FileSystem.ts"

const NAME = "index.json"

/** Keeps the list; does nothing where it is what is kept already. */
export const write = (fileSystem: FileSystem, root: string, index: IndexService): void => {
  const path = ConfigFile.pathOf(root, NAME)
  const names = index.files.map(({ name }) => name)
  if (JSON.stringify(ConfigFile.read(fileSystem, path) ?? []) !== JSON.stringify(names)) {
    ConfigFile.write(fileSystem, path, names)
  }
}

/** Empty where nobody has kept one. */
export const read = (fileSystem: FileSystem, root: string): ReadonlyArray<string> => {
  const content = ConfigFile.read(fileSystem, ConfigFile.pathOf(root, NAME))
  return Array.isArray(content) ? content.filter((name) => typeof name === "string") : []
}
