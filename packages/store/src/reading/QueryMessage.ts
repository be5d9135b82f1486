/**
 * Messages by key: what the index has for the hash of the key, held against the records themselves. Other keys of the
 * same hash and repetitions are left out.
 */
import type { CommitLog } from "../commitlog/CommitLog.ts"
import * as MessageProperties from "../commitlog/MessageProperties.ts"
import type { RecordCheckOptions } from "../commitlog/RecordCheck.ts"
import { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as RecordReader from "../commitlog/RecordReader.ts"
import * as Utf8 from "../commitlog/Utf8.ts"
import type { IndexService, Lookup } from "../index/IndexService.ts"

const KEYS = Utf8.encode(MessageProperties.KEYS)
const UNIQ_KEY = Utf8.encode(MessageProperties.UNIQ_KEY)
const NO_CRC: RecordCheckOptions = { checkCrc: false, requireCrcProperty: false }

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
  const seen = new Set<number>()
  index.visit(topic, key, begin - TIME_SLACK_MS, end, (position) => {
    if (!seen.has(position) && wrap(commitLog, position) && matches(topic, key, kind, begin, end)) {
      seen.add(position)
      onRecord(cursor)
    }
    return seen.size < countMax
  })
}

const wrap = (commitLog: CommitLog, position: number): boolean => {
  const file = position < commitLog.readableEnd ? commitLog.files.find(position) : undefined
  if (file === undefined) {
    return false
  }
  return RecordReader.read(file, position - file.fromOffset, cursor, NO_CRC) > 0
}

const matches = (topic: string, key: string, kind: KeyKind, begin: number, end: number): boolean => {
  const { storeTimestamp } = cursor
  if (storeTimestamp < begin || storeTimestamp > end || cursor.topic !== topic) {
    return false
  }
  return (
    cursor.property(UNIQ_KEY) === key || (kind === "any" && (cursor.property(KEYS)?.split(" ").includes(key) ?? false))
  )
}
