/**
 * What has to be written into the files of a damaged store so that the next opening makes it whole. The plan changes
 * nothing itself. Two ways lead over damage of the log: `keep` puts records in its place that say so, and keeps what is
 * behind; `cut` ends the log before it, as RocketMQ does. What is wrong in queues is written anew from the log; what
 * they lack, and the index, the opening makes.
 */
import * as BlankRecord from "../commitlog/BlankRecord.ts"
import type { CommitLog } from "../commitlog/CommitLog.ts"
import { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as RecordDescriptor from "../commitlog/RecordDescriptor.ts"
import { type ConsumeQueue, encodeEntry, isFiller, type QueueEntry } from "../consumequeue/ConsumeQueue.ts"
import * as EntryDescriptor from "../consumequeue/EntryDescriptor.ts"
import type { QueueState, QueueTable } from "../consumequeue/QueueTable.ts"
import type { Finding } from "../inspect/Finding.ts"
import type { Damage } from "../inspect/LogSurvey.ts"
import type { MappedFile } from "../mapped/MappedFile.ts"
import * as NextRecord from "./NextRecord.ts"
import * as Tombstone from "./Tombstone.ts"

/** Bytes to be written into a file; zeros where there are none. */
export interface Edit {
  readonly path: string
  readonly offset: number
  readonly length: number
  readonly bytes: Uint8Array | undefined
}

export interface RepairPlan {
  readonly edits: ReadonlyArray<Edit>
  /** Files and directories to be put aside: what the opening makes anew, or what is cut. */
  readonly putAside: ReadonlyArray<string>
}

const FILLER: QueueEntry = { position: 0, size: EntryDescriptor.FILLER_SIZE, tagsCode: 0 }

/** Why no record can stand in the place of a damage; undefined where one can. */
export const obstacleTo = (commitLog: CommitLog, damage: Damage): string | undefined => {
  const short = segmentsOf(commitLog, damage).find(({ isToEnd, length }) =>
    isToEnd ? length < RecordDescriptor.BLANK_LENGTH_MIN : length < Tombstone.LENGTH_MIN
  )
  return short === undefined ? undefined : `${short.length} bytes are too few for a record in the place of the damage`
}

/** Keeps every valid record. */
export const keep = (commitLog: CommitLog, damages: ReadonlyArray<Damage>): RepairPlan => ({
  edits: damages.flatMap((damage) => {
    const storeTimestamp = timestampAt(commitLog, damage.end)
    return segmentsOf(commitLog, damage).map((segment) => replacement(segment, storeTimestamp))
  }),
  putAside: []
})

/** Ends the log at `position`. */
export const cut = (commitLog: CommitLog, position: number): RepairPlan => {
  const file = commitLog.files.find(position)
  const later = commitLog.files.files.filter(
    ({ fromOffset }) => fromOffset >= position && fromOffset > commitLog.minOffset
  )
  const isCutInside = file !== undefined && !later.includes(file)
  const offset = isCutInside ? position - file.fromOffset : 0
  return {
    edits: isCutInside ? [{ path: file.file.path, offset, length: file.length - offset, bytes: undefined }] : [],
    putAside: later.map(({ file: { path } }) => path)
  }
}

interface Segment {
  readonly file: MappedFile
  readonly offset: number
  readonly length: number
  /** Whether it reaches to the end of its file, where a blank does. */
  readonly isToEnd: boolean
}

/** The parts of a damage by file. */
const segmentsOf = (commitLog: CommitLog, { end, position }: Damage): ReadonlyArray<Segment> =>
  commitLog.files.files
    .filter(({ fromOffset, length }) => fromOffset < end && fromOffset + length > position)
    .map((file) => {
      const offset = Math.max(0, position - file.fromOffset)
      const to = Math.min(file.length, end - file.fromOffset)
      return { file, offset, length: to - offset, isToEnd: to === file.length }
    })

/** Of a file that is damaged as a whole this much is a record: its age, and where recovery begins, are told from that. */
const HEAD_LENGTH = 256

const replacement = ({ file, isToEnd, length, offset }: Segment, storeTimestamp: number): Edit => {
  const { path } = file.file
  const hasHead = offset === 0 && length >= HEAD_LENGTH + RecordDescriptor.BLANK_LENGTH_MIN
  const tombstoneLength = !isToEnd ? length : hasHead ? HEAD_LENGTH : 0
  const bytes = new Uint8Array(tombstoneLength + (isToEnd ? RecordDescriptor.BLANK_LENGTH_MIN : 0))
  if (tombstoneLength > 0) {
    const window = file.read(offset, tombstoneLength)
    const damaged = window.bytes.subarray(offset - window.base, offset - window.base + tombstoneLength)
    bytes.set(Tombstone.encode(damaged, file.fromOffset + offset, storeTimestamp))
  }
  if (isToEnd) {
    BlankRecord.write(new DataView(bytes.buffer), tombstoneLength, length - tombstoneLength)
  }
  return { path, offset, length: bytes.length, bytes }
}

/** The record behind a damage was stored after what stood there, and not long after. */
const timestampAt = (commitLog: CommitLog, position: number): number => {
  const cursor = new RecordCursor()
  const file = commitLog.files.find(position)
  return file !== undefined && NextRecord.checkAt(file, position - file.fromOffset, cursor) > 0
    ? cursor.storeTimestamp
    : 0
}

/** Mends what the findings say of queues. Entries from `end` on are left to the opening, which cuts them. */
export const queues = (table: QueueTable, findings: ReadonlyArray<Finding>, end: number): RepairPlan => {
  const wrong = new Map<QueueState, Map<number, QueueEntry | undefined>>()
  const putAside = new Set<string>()
  for (const finding of findings) {
    if (finding._tag !== "QueueEntryWrong" && finding._tag !== "QueueEntryMissing") {
      continue
    }
    const state = table.find(finding.topic, finding.queueId)
    if (state === undefined) {
      continue
    }
    if (state.topic.isBatch && (finding._tag === "QueueEntryWrong" || finding.position < end)) {
      // Where each message stands depends on all entries before: the queue is made anew.
      putAside.add(directoryOf(state))
    } else if (finding._tag === "QueueEntryWrong") {
      const entries = wrong.get(state) ?? new Map<number, QueueEntry | undefined>()
      entries.set(finding.queueOffset, finding.expected ?? entries.get(finding.queueOffset))
      wrong.set(state, entries)
    } else if (finding.queueOffset < state.queue.maxOffset && finding.position < end) {
      // Dispatching adds at the end of a queue only: one that lacks its beginning is made anew.
      putAside.add(directoryOf(state))
    }
  }
  const edits = [...wrong].flatMap(([state, entries]) =>
    putAside.has(directoryOf(state)) ? [] : editsOf(state, entries, end)
  )
  return { edits, putAside: [...putAside] }
}

const directoryOf = ({ queue }: QueueState): string => {
  const path = queue.files.firstFile?.file.path ?? ""
  return path.slice(0, path.lastIndexOf("/"))
}

const editsOf = (
  { queue }: QueueState,
  wrong: ReadonlyMap<number, QueueEntry | undefined>,
  end: number
): ReadonlyArray<Edit> => {
  const last = lastKept(queue, wrong, end)
  const offsets = [...wrong.keys()].filter((queueOffset) => queueOffset < last)
  for (let queueOffset = last; queueOffset < queue.maxOffset; queueOffset++) {
    offsets.push(queueOffset)
  }
  return offsets.flatMap((queueOffset) => {
    const at = queueOffset * EntryDescriptor.LENGTH
    const file = queue.files.find(at)
    if (file === undefined) {
      return []
    }
    const entry = wrong.get(queueOffset)
    const bytes = queueOffset >= last ? undefined : encodeEntry(isWithin(entry, end) ? entry : FILLER)
    return [{ path: file.file.path, offset: at - file.fromOffset, length: EntryDescriptor.LENGTH, bytes }]
  })
}

/**
 * Where the queue is to end: behind the last entry that leads to a record. A filler there would make RocketMQ take the
 * queue for one that has everything up to 2 GiB of the log; slots that were never written end it instead.
 */
const lastKept = (queue: ConsumeQueue, wrong: ReadonlyMap<number, QueueEntry | undefined>, end: number): number => {
  const found: QueueEntry = { position: 0, size: 0, tagsCode: 0 }
  const first = queue.files.minOffset / EntryDescriptor.LENGTH
  let last = queue.maxOffset
  while (last > first && queue.read(last - 1, found)) {
    const entry = wrong.has(last - 1) ? wrong.get(last - 1) : found
    if (isWithin(entry, end) && !isFiller(entry)) {
      break
    }
    last--
  }
  return last
}

const isWithin = (entry: QueueEntry | undefined, end: number): entry is QueueEntry =>
  entry !== undefined && entry.position + entry.size <= end
