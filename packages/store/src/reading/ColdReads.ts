/** What a read is going to touch and may not be in memory: entries of a queue, and records of the log. */
import type { CommitLog } from "../commitlog/CommitLog.ts"
import { type ConsumeQueue, isFiller, type QueueEntry } from "../consumequeue/ConsumeQueue.ts"
import type { ByteRange, ColdPart } from "../mapped/ColdBytes.ts"
import type { FileFailure, SyncDone } from "../mapped/FileSystem.ts"
import type { MappedFile } from "../mapped/MappedFile.ts"
import type { MappedFileQueue } from "../mapped/MappedFileQueue.ts"

/** A range of a queue of files that is to be brought in. */
export interface ColdRange extends ColdPart {
  readonly files: MappedFileQueue
}

/** Entries whose records are looked for at a time. */
const ENTRIES_MAX = 64
/** A record of unknown length: its part of the file, and what follows if it is longer, comes with this. */
const RECORD_LENGTH_GUESS = 4 * 1024

const entry: QueueEntry = { position: 0, size: 0, tagsCode: 0 }

/**
 * What a read of `countMax` messages from `offset` on has to bring in next; nothing where all of it is in memory. The
 * entries come first: they say where the records are.
 */
export const ofMessages = (
  commitLog: CommitLog,
  queue: ConsumeQueue,
  offset: number,
  countMax: number,
  nowNs: number
): ReadonlyArray<ColdRange> => {
  const from = queue.slotOf(Math.max(offset, queue.minOffset))
  const to = Math.min(queue.endSlot, from + Math.min(ENTRIES_MAX, countMax))
  if (from >= to) {
    return []
  }
  const entries = rangeOf(queue.files, from * queue.entryLength, (to - from) * queue.entryLength, nowNs)
  if (entries !== undefined) {
    return [entries]
  }
  const ranges: Array<ColdRange> = []
  for (let at = from; at < to && queue.readSlot(at, entry); at++) {
    if (commitLog.files.cold.isHot(entry.position, commitLog.readableEnd)) {
      break
    }
    if (!isFiller(entry)) {
      add(ranges, commitLog, entry.position, entry.size, nowNs)
    }
  }
  return ranges
}

/** Whether all of the log is in memory. */
export const isAllHot = ({ files, minOffset, readableEnd }: CommitLog): boolean =>
  files.cold.isHot(minOffset, readableEnd)

/** What reads of the records at these positions have to bring in; nothing where all of it is in memory. */
export const ofPositions = (
  commitLog: CommitLog,
  positions: ReadonlyArray<number>,
  nowNs: number
): ReadonlyArray<ColdRange> => {
  const ranges: Array<ColdRange> = []
  for (const position of positions) {
    add(ranges, commitLog, position, RECORD_LENGTH_GUESS, nowNs)
  }
  return ranges
}

const add = (ranges: Array<ColdRange>, commitLog: CommitLog, position: number, length: number, nowNs: number): void => {
  const covering = ranges.findIndex((range) => position >= range.position && position < range.position + range.length)
  if (covering >= 0) {
    ranges[covering] = withWanted(ranges[covering]!, position, length)
    return
  }
  const range = rangeOf(commitLog.files, position, length, nowNs)
  if (range !== undefined) {
    ranges.push(range)
  }
}

const withWanted = (range: ColdRange, position: number, length: number): ColdRange => {
  const from = Math.min(range.wanted.position, position)
  const to = Math.max(range.wanted.position + range.wanted.length, position + length)
  return { ...range, wanted: { position: from, length: Math.min(to, range.position + range.length) - from } }
}

const rangeOf = (files: MappedFileQueue, position: number, length: number, nowNs: number): ColdRange | undefined => {
  const file = files.find(position)
  if (file === undefined) {
    return undefined
  }
  const end = Math.min(files.readableEnd, file.fromOffset + file.length)
  const range = files.cold.rangeOf(position, length, end, nowNs)
  return range && { ...range, files }
}

/**
 * Brings a range in, off the caller's thread, as far as it lies in one file. `done` is called on a later turn; false where
 * the file is gone, and `done` is not called. What a device cannot give fails only who wants it: the range may reach
 * beyond that.
 */
export const bringIn = (range: ColdRange, nowNs: number, done: SyncDone): boolean => {
  const { files, wanted } = range
  files.cold.onWarm(range, nowNs)
  const onFailed = (file: MappedFile, failure: FileFailure): void => {
    files.cold.onFailed(range)
    // A read that fails on a page of a mapping ends the process: only one that has come in is touched.
    if (file.file.state.isClosed || !prefetch(files, wanted, done)) {
      done(failure)
    }
  }
  return prefetch(files, range, (failure, file) => (failure === undefined ? done(failure) : onFailed(file, failure)))
}

const prefetch = (
  files: MappedFileQueue,
  { length, position }: ByteRange,
  done: (failure: FileFailure | undefined, file: MappedFile) => void
): boolean => {
  const begin = Math.max(position, files.minOffset)
  const file = files.find(begin)
  if (file === undefined) {
    return false
  }
  const offset = begin - file.fromOffset
  file.file.prefetch(offset, Math.min(file.length - offset, position + length - begin), (failure) =>
    done(failure, file)
  )
  return true
}
