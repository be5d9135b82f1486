/**
 * A small JSON file of a store, replaced as a whole, with the content before it kept beside it as `.bak`. Files of
 * RocketMQ up to 5.4 have map keys without quotes, which is not JSON: they are read all the same.
 */
import * as Utf8 from "../commitlog/Utf8.ts"
import { type FileSystem, join } from "../mapped/FileSystem.ts"

const BACKUP_SUFFIX = ".bak"

/** The content of the file, of its backup where it is missing, empty or broken, or undefined where there is neither. */
export const read = (fileSystem: FileSystem, path: string): unknown =>
  parseFile(fileSystem, path) ?? parseFile(fileSystem, path + BACKUP_SUFFIX)

export const write = (fileSystem: FileSystem, path: string, content: unknown): void => {
  const before = fileSystem.readBytes(path)
  if (before !== undefined && before.length > 0) {
    fileSystem.replace(path + BACKUP_SUFFIX, before)
  }
  fileSystem.replace(path, Utf8.encode(`${JSON.stringify(content, undefined, 2)}\n`))
}

export const pathOf = (root: string, name: string): string => join(join(root, "config"), name)

const parseFile = (fileSystem: FileSystem, path: string): unknown => {
  const bytes = fileSystem.readBytes(path)
  if (bytes === undefined || bytes.length === 0) {
    return undefined
  }
  try {
    return JSON.parse(quoteKeys(Utf8.decode(bytes, 0, bytes.length)))
  } catch {
    // A broken file is the same as none: the backup holds what stood in it before.
    return undefined
  }
}

/** Puts quotes around map keys that are bare numbers, outside of strings. */
const quoteKeys = (text: string): string =>
  text.replaceAll(/"(?:[^"\\]|\\.)*"|([{,]\s*)(-?\d+)(\s*:)/g, (match, before: string | undefined, key, after) =>
    before === undefined ? match : `${before}"${key}"${after}`
  )
