/**
 * Messages by key: what the index has for the hash of the key, held against the records themselves. Other keys of the
 * same hash and repetitions are left out.
 */
import type { CommitLog } from "../commitlog/CommitLog.ts"
import type { RecordCheckOptions } from "../commitlog/RecordCheck.ts"
import { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as RecordReader from "../commitlog/RecordReader.ts"
import * as Utf8 from "../commitlog/Utf8.ts"
import type { IndexService, Lookup } from "../index/IndexService.ts"

const NO_CRC: RecordCheckOptions = { checkCrc: false, requireCrcProperty: false }

const SPACE = 0x20

/** Times in the index are cut to whole seconds since its file began. */
const TIME_SLACK_MS = 1000

export type KeyKind = "any" | "unique"

const cursor = new RecordCursor()

/** Calls `onRecord` for the newest `countMax` messages with the key, newest first. The cursor is only borrowed. */
export const query = (
  index: IndexService,
  commitLog: CommitLog,
  { begin, countMax, end, key, topic }: Lookup,
  kind: KeyKind,
  onRecord: (record: RecordCursor) => void
): void => {
  let first = -1
  /** With the second message, for most keys have one. */
  let seen: Set<number> | undefined = undefined
  let count = 0
  index.visit(topic, key, begin - TIME_SLACK_MS, end, (position) => {
    const isSeen = position === first || seen?.has(position) === true
    if (!isSeen && wrap(commitLog, position) && isWithin(begin, end) && matches(topic, key, kind)) {
      if (count === 0) {
        first = position
      } else {
        seen ??= new Set()
        seen.add(position)
      }
      count++
      onRecord(cursor)
    }
    return count < countMax
  })
}

const wrap = (commitLog: CommitLog, position: number): boolean => {
  const file = position < commitLog.readableEnd ? commitLog.files.find(position) : undefined
  if (file === undefined) {
    return false
  }
  return RecordReader.read(file, position - file.fromOffset, cursor, NO_CRC) > 0
}

const isWithin = (begin: number, end: number): boolean => {
  const { storeTimestamp } = cursor
  return storeTimestamp >= begin && storeTimestamp <= end
}

/** Text is compared with bytes: to decode that of each record took longer than all else of a query. */
const matches = (topic: string, key: string, kind: KeyKind): boolean => {
  const { bytes, topicAt, topicLength } = cursor
  if (!Utf8.equalsText(topic, bytes, topicAt, topicAt + topicLength)) {
    return false
  }
  const { keysEnd, keysStart, uniqueKeyEnd, uniqueKeyStart } = cursor.places
  const isUnique = uniqueKeyEnd > uniqueKeyStart && Utf8.equalsText(key, bytes, uniqueKeyStart, uniqueKeyEnd)
  return isUnique || (kind === "any" && hasKey(key, keysStart, keysEnd))
}

/** Whether one of the keys at [start, end), which spaces separate, is this one. */
const hasKey = (key: string, start: number, end: number): boolean => {
  for (let at = start; at < end;) {
    let stop = at
    while (stop < end && cursor.bytes[stop] !== SPACE) {
      stop++
    }
    if (Utf8.equalsText(key, cursor.bytes, at, stop)) {
      return true
    }
    at = stop + 1
  }
  return false
}
