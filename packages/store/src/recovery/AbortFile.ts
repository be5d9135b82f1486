/**
 * The file `abort` is there while a store is open, with the process id as text. Found at a start it says that the last
 * process did not close the store. (RocketMQ 4 writes it empty.)
 */
import { type FileSystem, join } from "../mapped/FileSystem.ts"
import * as Utf8 from "../commitlog/Utf8.ts"

export const NAME = "abort"

export const exists = (fileSystem: FileSystem, directory: string): boolean =>
  fileSystem.readBytes(join(directory, NAME)) !== undefined

/** The process that wrote it, or undefined where the file is missing or names none. */
export const pidOf = (fileSystem: FileSystem, directory: string): number | undefined => {
  const bytes = fileSystem.readBytes(join(directory, NAME))
  const text = bytes === undefined ? "" : Utf8.decode(bytes, 0, bytes.length).trim()
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined
}

export const create = (fileSystem: FileSystem, directory: string, pid: number): void =>
  fileSystem.replace(join(directory, NAME), Utf8.encode(String(pid)))

export const remove = (fileSystem: FileSystem, directory: string): void => {
  fileSystem.remove(join(directory, NAME))
  fileSystem.syncDirectory(directory)
}
