/**
 * Looks at the files of a store by their names and lengths, before any is read: which are missing between others, which
 * have another length than they should, and which are none of the store's. With a store in that state nothing else can be
 * done; `MendedFiles` shows it as if it were mended. A last file without a byte, and files behind a gap that were never
 * written, are left by crashes, and every opening sees to them.
 */
import type { StoreOptions } from "../engine/StoreOptions.ts"
import * as StorePaths from "../engine/StorePaths.ts"
import * as BatchEntryDescriptor from "../consumequeue/BatchEntryDescriptor.ts"
import * as EntryDescriptor from "../consumequeue/EntryDescriptor.ts"
import * as FileNaming from "../mapped/FileNaming.ts"
import * as FileRemains from "../mapped/FileRemains.ts"
import { type DirectoryEntry, type FileSystem, type FileUse, join } from "../mapped/FileSystem.ts"
import { ForeignFile } from "../mapped/MappedFileQueue.ts"
import * as AbortFile from "../recovery/AbortFile.ts"
import * as StoreCheckpoint from "../recovery/StoreCheckpoint.ts"
import type { Finding } from "./Finding.ts"

/** A file of the log that is to have another length. */
export interface FileLengthFault {
  readonly path: string
  readonly position: number
  /** Length that it has; undefined where it is not there. */
  readonly found: number | undefined
  readonly length: number
}

export interface FileFaults {
  readonly findings: ReadonlyArray<Finding>
  /** Files of the log that have to be made, or made longer or shorter. */
  readonly lengths: ReadonlyArray<FileLengthFault>
  /** Files and directories that are none of the store's, and queues that are better made anew. */
  readonly putAside: ReadonlyArray<string>
}

export const NONE: FileFaults = { findings: [], lengths: [], putAside: [] }

/** A gap of more files than these is no loss of files, but a file of another log. */
const MISSING_MAX = 1024

/** Where files of one length should lie behind each other. */
interface Row {
  readonly directories: ReadonlyArray<string>
  readonly fileLength: number
  readonly use: FileUse
}

interface Faults {
  readonly findings: Array<Finding>
  readonly lengths: Array<FileLengthFault>
  readonly putAside: Array<string>
}

/** Throws `FileFailure`, and `ForeignFile` for a gap that nobody can fill. */
export const survey = (fileSystem: FileSystem, options: StoreOptions): FileFaults => {
  const root = options.storePathRootDir
  const faults: Faults = { findings: [], lengths: [], putAside: [] }
  const log: Row = { directories: options.storePathCommitLog, fileLength: options.mappedFileSizeCommitLog, use: "log" }
  surveyRow(fileSystem, log, faults)
  const { mappedFileSizeConsumeQueue, mapperFileSizeBatchConsumeQueue } = options
  const plain = roundUp(mappedFileSizeConsumeQueue, EntryDescriptor.LENGTH)
  const batch = roundUp(mapperFileSizeBatchConsumeQueue, BatchEntryDescriptor.LENGTH)
  surveyQueues(fileSystem, StorePaths.consumeQueues(root), plain, faults)
  surveyQueues(fileSystem, StorePaths.batchConsumeQueues(root), batch, faults)
  surveyQueues(fileSystem, StorePaths.consumeQueueExts(root), options.mappedFileSizeConsumeQueueExt, faults)
  surveyState(fileSystem, root, faults)
  return faults
}

const roundUp = (length: number, entryLength: number): number => Math.ceil(length / entryLength) * entryLength

const surveyRow = (fileSystem: FileSystem, row: Row, faults: Faults): void => {
  const { directories, fileLength } = row
  const found: Array<FileRemains.FoundFile> = []
  const foreign: Array<Extract<Finding, { readonly _tag: "FileForeign" }>> = []
  for (const directory of directories) {
    for (const entry of fileSystem.entries(directory) ?? []) {
      const path = join(directory, entry.name)
      const position = FileNaming.parse(entry.name)
      const detail = foreignness(entry, position, fileLength, found)
      if (detail === undefined) {
        found.push({ path, position, length: entry.length })
      } else if (!entry.isDirectory || position >= 0) {
        foreign.push({ _tag: "FileForeign", file: path, detail })
      }
    }
  }
  if (row.use === "log" && found.length === 0) {
    // Nothing says that it is a log at all.
    return
  }
  faults.findings.push(...foreign)
  faults.putAside.push(...foreign.map(({ file }) => file))
  found.sort((a, b) => a.position - b.position)
  while (found.at(-1)?.length === 0) {
    found.pop()
  }
  const gap = FileRemains.firstBehindGap(found, fileLength)
  const isRemains = gap >= 0 && FileRemains.areUnwritten(fileSystem, row.use, found.slice(gap), fileLength)
  surveyLengths(isRemains ? found.slice(0, gap) : found, row, faults)
}

/** Why an entry of a directory is no file of its row; undefined where it is one. */
const foreignness = (
  { isDirectory }: DirectoryEntry,
  position: number,
  fileLength: number,
  found: ReadonlyArray<FileRemains.FoundFile>
): string | undefined => {
  if (position < 0) {
    return "its name is not a position of 20 digits"
  }
  if (isDirectory) {
    return "it is a directory"
  }
  if (position % fileLength !== 0) {
    return `no file of ${fileLength} bytes begins at ${position}`
  }
  return found.some((other) => other.position === position) ? "another directory has a file of its name" : undefined
}

const surveyLengths = (found: ReadonlyArray<FileRemains.FoundFile>, row: Row, faults: Faults): void => {
  const { directories, fileLength } = row
  let next = found[0]?.position ?? 0
  for (const { length, path, position } of found) {
    if (position - next > MISSING_MAX * fileLength) {
      throw new ForeignFile(path, `the file before it ends at ${next}: more than ${MISSING_MAX} files are missing`)
    }
    for (; next < position; next += fileLength) {
      const directory = directories[(next / fileLength) % directories.length]!
      const missing = join(directory, FileNaming.format(next))
      faults.findings.push({ _tag: "FileMissing", file: missing, position: next, length: fileLength })
      faults.lengths.push({ path: missing, position: next, found: undefined, length: fileLength })
    }
    if (length !== fileLength) {
      faults.findings.push({ _tag: "FileLengthWrong", file: path, length, expected: fileLength })
      faults.lengths.push({ path, position, found: length, length: fileLength })
    }
    next = position + fileLength
  }
}

/** A queue that is not as it should be is put aside as a whole: the log has all that it says, or its entries can do without. */
const surveyQueues = (fileSystem: FileSystem, root: string, fileLength: number, faults: Faults): void => {
  for (const topic of fileSystem.entries(root) ?? []) {
    for (const entry of topic.isDirectory ? (fileSystem.entries(join(root, topic.name)) ?? []) : []) {
      const path = join(join(root, topic.name), entry.name)
      if (!entry.isDirectory || !/^\d{1,10}$/.test(entry.name)) {
        const detail = "a topic holds only directories named by queue id"
        faults.findings.push({ _tag: "FileForeign", file: path, detail })
        faults.putAside.push(path)
        continue
      }
      const ofQueue: Faults = { findings: [], lengths: [], putAside: [] }
      surveyRow(fileSystem, { directories: [path], fileLength, use: "queue" }, ofQueue)
      if (ofQueue.findings.length > 0) {
        faults.findings.push(...ofQueue.findings)
        faults.putAside.push(path)
      }
    }
  }
}

/** The small files that an opening reads before anything else. */
const surveyState = (fileSystem: FileSystem, root: string, faults: Faults): void => {
  for (const { isDirectory, length, name } of fileSystem.entries(root) ?? []) {
    const file = join(root, name)
    if (isDirectory && (name === AbortFile.NAME || file === StorePaths.checkpoint(root))) {
      faults.findings.push({ _tag: "FileForeign", file, detail: "it is a directory" })
      faults.putAside.push(file)
    } else if (file === StorePaths.checkpoint(root) && length < StoreCheckpoint.FILE_LENGTH) {
      faults.findings.push({ _tag: "FileLengthWrong", file, length, expected: StoreCheckpoint.FILE_LENGTH })
      faults.putAside.push(file)
    }
  }
}
