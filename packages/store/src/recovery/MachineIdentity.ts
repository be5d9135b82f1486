/**
 * Whether the page cache that the last process wrote into has lived on. After a kill it has, and every record that was
 * written whole is there, flushed or not; after a power failure only what was flushed is, and what lies behind a torn
 * record proves nothing. The file names the boot of the machine and the place of the store; RocketMQ does not know it.
 */
import * as Utf8 from "../commitlog/Utf8.ts"
import * as ConfigFile from "../config/ConfigFile.ts"
import type { FileSystem } from "../mapped/FileSystem.ts"

const NAME = "machine.json"

/** `unknown` for a store of RocketMQ, and on systems that do not name their boots. */
export type Comparison = "same" | "different" | "unknown"

export const compare = (fileSystem: FileSystem, root: string, identity: string): Comparison => {
  const bytes = fileSystem.readBytes(ConfigFile.pathOf(root, NAME))
  if (bytes === undefined || identity === "") {
    return "unknown"
  }
  return Utf8.decode(bytes, 0, bytes.length) === textOf(identity) ? "same" : "different"
}

/** Must be on the device before the first record is written. */
export const write = (fileSystem: FileSystem, root: string, identity: string): void => {
  if (identity !== "") {
    fileSystem.replace(ConfigFile.pathOf(root, NAME), Utf8.encode(textOf(identity)))
  }
}

const textOf = (identity: string): string => `${JSON.stringify({ identity })}\n`
