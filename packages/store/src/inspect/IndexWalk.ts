/** Reads index files entry by entry, in the order in which they were written. */
import * as IndexDescriptor from "../index/IndexDescriptor.ts"
import { getInt64 } from "../mapped/BigEndian.ts"
import type { StoreFile } from "../mapped/FileSystem.ts"

const MS_PER_SECOND = 1000

export interface IndexEntry {
  readonly keyHash: number
  readonly position: number
  /** Store time of the record, to the second. */
  readonly timestamp: number
  /** Number of the entry before it on its chain, 0 for none. */
  readonly previous: number
}

/** An index file as it stands: a growing one is seen as long as it was when the view was made. */
export class IndexFileView {
  readonly path: string
  readonly slotCount: number
  readonly entryCount: number
  readonly beginTimestamp: number
  readonly endTimestamp: number
  readonly beginPosition: number
  readonly endPosition: number
  readonly usedSlots: number
  /** Number behind the last entry. */
  readonly indexCount: number
  readonly #file: StoreFile

  constructor(file: StoreFile, slotCount: number, entryCount: number) {
    const { base, view } = file.read(0, IndexDescriptor.HEADER_LENGTH)
    this.#file = file
    this.path = file.path
    this.slotCount = slotCount
    this.entryCount = entryCount
    this.beginTimestamp = getInt64(view, IndexDescriptor.BEGIN_TIMESTAMP_OFFSET - base)
    this.endTimestamp = getInt64(view, IndexDescriptor.END_TIMESTAMP_OFFSET - base)
    this.beginPosition = getInt64(view, IndexDescriptor.BEGIN_POSITION_OFFSET - base)
    this.endPosition = getInt64(view, IndexDescriptor.END_POSITION_OFFSET - base)
    this.usedSlots = view.getInt32(IndexDescriptor.SLOT_COUNT_OFFSET - base)
    this.indexCount = Math.min(entryCount, Math.max(1, view.getInt32(IndexDescriptor.INDEX_COUNT_OFFSET - base)))
  }

  slotAt(slot: number): number {
    const offset = IndexDescriptor.slotOffset(slot)
    const { base, view } = this.#file.read(offset, IndexDescriptor.SLOT_LENGTH)
    return view.getInt32(offset - base)
  }

  entryAt(entry: number): IndexEntry {
    const offset = IndexDescriptor.entryOffset(this.slotCount, entry)
    const { base, view } = this.#file.read(offset, IndexDescriptor.ENTRY_LENGTH)
    const at = offset - base
    return {
      keyHash: view.getInt32(at + IndexDescriptor.KEY_HASH_OFFSET),
      position: getInt64(view, at + IndexDescriptor.POSITION_OFFSET),
      timestamp: this.beginTimestamp + view.getInt32(at + IndexDescriptor.TIME_DIFFERENCE_OFFSET) * MS_PER_SECOND,
      previous: view.getInt32(at + IndexDescriptor.PREVIOUS_OFFSET)
    }
  }

  /** Whether the chain of a hash has an entry for a position. */
  has(keyHash: number, position: number): boolean {
    let entry = this.slotAt(keyHash % this.slotCount)
    while (entry > 0 && entry < this.indexCount) {
      const found = this.entryAt(entry)
      if (found.keyHash === keyHash && found.position === position) {
        return true
      }
      // A chain only leads to older entries: anything else is damage, and would have no end.
      if (found.previous >= entry) {
        return false
      }
      entry = found.previous
    }
    return false
  }
}

/** Goes through the entries of all files beside somebody who goes through the records of the log. */
export class IndexWalk {
  readonly #files: ReadonlyArray<IndexFileView>
  #fileIndex = 0
  #entry = 1

  constructor(files: ReadonlyArray<IndexFileView>) {
    this.#files = files
  }

  /** Whether there is an entry. Asked in the order of the log, the answer is mostly the next one. */
  has(keyHash: number, position: number): boolean {
    let next = this.#next()
    // Entries before the position are of records that are gone, or were written twice by a recovery.
    while (next !== undefined && next.position < position) {
      this.#entry++
      next = this.#next()
    }
    if (next !== undefined && next.position === position && next.keyHash === keyHash) {
      this.#entry++
      return true
    }
    return this.#files.some(
      (file) => file.beginPosition <= position && position <= file.endPosition && file.has(keyHash, position)
    )
  }

  #next(): IndexEntry | undefined {
    for (let file = this.#files[this.#fileIndex]; file !== undefined; file = this.#files[this.#fileIndex]) {
      if (this.#entry < file.indexCount) {
        return file.entryAt(this.#entry)
      }
      this.#fileIndex++
      this.#entry = 1
    }
    return undefined
  }
}
