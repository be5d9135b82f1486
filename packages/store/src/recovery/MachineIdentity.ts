/**
 * Whether the page cache that the last process wrote into has lived on. After a kill it has, and every record that was
 * written whole is there, flushed or not; after a power failure only what was flushed is, and what lies behind a torn
 * record proves nothing. The file names the boot of the machine and the place of the store, and whether the process had a
 * transient pool: what was in its buffers did not live on. RocketMQ does not know it.
 */
import * as Utf8 from "../commitlog/Utf8.ts"
import * as ConfigFile from "../config/ConfigFile.ts"
import type { FileSystem } from "../mapped/FileSystem.ts"

const NAME = "machine.json"

/** `unknown` for a store of RocketMQ, and on systems that do not name their boots. */
export type Comparison = "same" | "different" | "unknown"

interface Noted {
  readonly identity: string
  /** Only there where it is true. */
  readonly isPooled?: boolean
}

export const compare = (fileSystem: FileSystem, root: string, identity: string): Comparison => {
  const isNoted = fileSystem.exists(ConfigFile.pathOf(root, NAME))
  const noted = read(fileSystem, root)
  if (!isNoted || identity === "" || noted.identity === "") {
    return "unknown"
  }
  return noted.identity === identity ? "same" : "different"
}

/** Whether the last process had a transient pool, as far as it left word. */
const wasPooled = (fileSystem: FileSystem, root: string): boolean => read(fileSystem, root).isPooled === true

/** What of the last process there is to rely on. */
export interface Survival {
  /** Whether all that was written must be there, flushed or not: nothing says that the page cache was lost. */
  readonly isWrittenDurable: boolean
  /** Whether no file was written before all those in front of it. */
  readonly isWrittenInOrder: boolean
  /** Whether the page cache is known to have lived on. */
  readonly isCacheKept: boolean
}

export const survivalOf = (fileSystem: FileSystem, root: string, identity: string, isCleanExit: boolean): Survival => {
  const machine = compare(fileSystem, root, identity)
  return {
    isWrittenDurable: isCleanExit || machine !== "different",
    isWrittenInOrder: isCleanExit || !wasPooled(fileSystem, root),
    isCacheKept: isCleanExit || machine === "same"
  }
}

/** Must be on the device before the first record is written. */
export const write = (fileSystem: FileSystem, root: string, identity: string, isPooled: boolean): void => {
  if (identity !== "" || isPooled || wasPooled(fileSystem, root)) {
    const noted: Noted = isPooled ? { identity, isPooled } : { identity }
    fileSystem.replace(ConfigFile.pathOf(root, NAME), Utf8.encode(`${JSON.stringify(noted)}\n`))
  }
}

const read = (fileSystem: FileSystem, root: string): Readonly<Partial<Record<keyof Noted, unknown>>> =>
  Object(ConfigFile.read(fileSystem, ConfigFile.pathOf(root, NAME)))
