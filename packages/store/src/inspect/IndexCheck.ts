/**
 * Holds the index against the log, both ways: each entry is on the chain of its slot and leads to a record with its key,
 * and each key of a record has an entry. Entries stand in the order of the log, so the second is mostly a walk beside the
 * records; where an entry is not next, its chain is searched.
 */
import type { CommitLog } from "../commitlog/CommitLog.ts"
import * as MessageProperties from "../commitlog/MessageProperties.ts"
import type { RecordCheckOptions } from "../commitlog/RecordCheck.ts"
import { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as RecordReader from "../commitlog/RecordReader.ts"
import * as SysFlag from "../commitlog/SysFlag.ts"
import * as Utf8 from "../commitlog/Utf8.ts"
import * as KeyHash from "../index/KeyHash.ts"
import type { OnFinding } from "./Finding.ts"
import * as IndexWalk from "./IndexWalk.ts"
import { type Damage, isDamaged } from "./LogSurvey.ts"

const NO_CRC: RecordCheckOptions = { checkCrc: false, requireCrcProperty: false }
const UNIQ_KEY = Utf8.encode(MessageProperties.UNIQ_KEY)
const KEYS = Utf8.encode(MessageProperties.KEYS)
const TAGS = Utf8.encode(MessageProperties.TAGS)
/** RocketMQ 5.5 indexes tags too, under such keys. */
const TAG_PREFIX = "T#"
const ENTRIES_A_SLICE = 50_000

export interface IndexCheckOptions {
  readonly commitLog: CommitLog
  readonly files: ReadonlyArray<IndexWalk.IndexFileView>
  /** Whether records at the end may still lack their entries: the store is open, or was not closed. */
  readonly mayLag: boolean
  readonly onFinding: OnFinding
}

/** Keys of a record that belong into the index. */
const keysOf = (record: RecordCursor): ReadonlyArray<string> => {
  if ((record.sysFlag & SysFlag.TRANSACTION_MASK) === SysFlag.TRANSACTION_ROLLBACK) {
    return []
  }
  const uniqueKey = record.property(UNIQ_KEY)
  const keys = (record.property(KEYS) ?? "").split(" ").filter((key) => key !== "")
  return uniqueKey === undefined ? keys : [uniqueKey, ...keys]
}

export class IndexCheck {
  readonly #options: IndexCheckOptions
  readonly #walk: IndexWalk.IndexWalk
  /** Position of the last record that has an entry. */
  readonly #end: number
  keyCount: number = 0
  lagging: number = 0
  entryCount: number = 0
  /** Entries that lead behind the last record of a store that may have lost its end. */
  beyondEnd: number = 0
  #damages: ReadonlyArray<Damage> = []
  #logEnd = 0

  constructor(options: IndexCheckOptions) {
    this.#options = options
    this.#walk = new IndexWalk.IndexWalk(options.files)
    this.#end = options.files.at(-1)?.endPosition ?? -1
  }

  /** Looks whether the keys of a valid record have their entries. A store without an index has none to look for. */
  onRecord(record: RecordCursor, position: number): void {
    const { files, mayLag, onFinding } = this.#options
    if (files.length === 0) {
      return
    }
    for (const key of keysOf(record)) {
      this.keyCount++
      if (!this.#walk.has(KeyHash.of(record.topic, key), position)) {
        if (mayLag && position >= this.#end) {
          this.lagging++
        } else {
          onFinding({ _tag: "KeyMissing", topic: record.topic, key, position })
        }
      }
    }
  }

  /** Looks where the entries of all files lead to; `damages` and `end` are those of the log. Yields the number of entries looked at. */
  *entries(damages: ReadonlyArray<Damage>, end: number): Generator<number, void> {
    this.#damages = damages
    this.#logEnd = end
    for (const file of this.#options.files) {
      const heads = new Int32Array(file.slotCount)
      for (let entry = 1; entry < file.indexCount; entry++) {
        this.#checkEntry(file, entry, heads)
        this.entryCount++
        if (this.entryCount % ENTRIES_A_SLICE === 0) {
          yield this.entryCount
        }
      }
      for (let slot = 0; slot < heads.length; slot++) {
        // The entry of a key is written before its slot: a writer, or a killed one, may be between the two.
        const head = heads[slot]!
        if (head > file.slotAt(slot)) {
          this.#wrong(file, head, "its slot does not lead to it", head === file.indexCount - 1)
        }
      }
    }
  }

  #checkEntry(file: IndexWalk.IndexFileView, entry: number, heads: Int32Array): void {
    const { keyHash, position, previous } = file.entryAt(entry)
    if (keyHash < 0) {
      this.#wrong(file, entry, "its hash is negative", false)
      return
    }
    const slot = keyHash % file.slotCount
    if (previous !== heads[slot]) {
      this.#wrong(file, entry, `the entry before it is said to be ${previous} and is ${heads[slot]}`, false)
    }
    heads[slot] = entry
    const problem = this.#problemOf(keyHash, position)
    if (problem !== undefined && this.#options.mayLag && position >= this.#logEnd) {
      this.beyondEnd++
    } else if (problem !== undefined) {
      this.#wrong(file, entry, problem, false)
    }
  }

  #problemOf(keyHash: number, position: number): string | undefined {
    const { commitLog } = this.#options
    if (position < commitLog.minOffset) {
      return undefined
    }
    if (isDamaged(this.#damages, position)) {
      return `it leads to ${position}, where the log is damaged`
    }
    const file = commitLog.files.find(position)
    const record = new RecordCursor()
    if (file === undefined || RecordReader.read(file, position - file.fromOffset, record, NO_CRC) <= 0) {
      return `it leads to ${position}, where no record stands`
    }
    const { topic } = record
    const tags = record.property(TAGS)
    const keys = tags === undefined ? keysOf(record) : [...keysOf(record), TAG_PREFIX + tags]
    return keys.some((key) => KeyHash.of(topic, key) === keyHash)
      ? undefined
      : `it leads to ${position}, whose record does not have its key`
  }

  #wrong(file: IndexWalk.IndexFileView, entry: number, detail: string, mayBeGrowing: boolean): void {
    if (!(mayBeGrowing && this.#options.mayLag)) {
      this.#options.onFinding({ _tag: "IndexWrong", file: file.path, entry, detail })
    }
  }
}
