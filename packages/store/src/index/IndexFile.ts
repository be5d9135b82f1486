/**
 * One file of the index. Entries of a slot are chained from the newest to the oldest; times are whole seconds since the
 * file's first entry.
 */
import { getInt64, putInt64 } from "../mapped/BigEndian.ts"
import type { MappedFile } from "../mapped/MappedFile.ts"
import * as IndexDescriptor from "./IndexDescriptor.ts"

const MS_PER_SECOND = 1000
const INT_MAX = 0x7fffffff
const PAGE_LENGTH = 4096
const ENTRIES_A_SLICE = 65_536

/** Receives the position of an entry. Returns whether to go on. */
export type OnPosition = (position: number) => boolean

export class IndexFile {
  readonly file: MappedFile
  readonly name: string
  readonly #slotCount: number
  readonly #entryCount: number
  beginTimestamp: number = 0
  endTimestamp: number = 0
  beginPosition: number = 0
  endPosition: number = 0
  #usedSlots: number = 0
  /** Number that the next entry gets: 1 in an empty file. */
  indexCount: number = 1
  /** Whether something was added since the last flush. */
  isDirty: boolean = false

  constructor(file: MappedFile, name: string, slotCount: number, entryCount: number) {
    this.file = file
    this.name = name
    this.#slotCount = slotCount
    this.#entryCount = entryCount
    this.readHeader()
  }

  /** Takes over what stands in the header. */
  readHeader(): void {
    const { view } = this.file.read(0, IndexDescriptor.HEADER_LENGTH)
    this.beginTimestamp = getInt64(view, IndexDescriptor.BEGIN_TIMESTAMP_OFFSET)
    this.endTimestamp = getInt64(view, IndexDescriptor.END_TIMESTAMP_OFFSET)
    this.beginPosition = getInt64(view, IndexDescriptor.BEGIN_POSITION_OFFSET)
    this.endPosition = getInt64(view, IndexDescriptor.END_POSITION_OFFSET)
    this.#usedSlots = view.getInt32(IndexDescriptor.SLOT_COUNT_OFFSET)
    this.indexCount = Math.min(this.#entryCount, Math.max(1, view.getInt32(IndexDescriptor.INDEX_COUNT_OFFSET)))
  }

  get isFull(): boolean {
    return this.indexCount >= this.#entryCount
  }

  get isEmpty(): boolean {
    return this.indexCount <= 1
  }

  /** Whether the header can be that of a file of this index over a log from `minPosition` to `maxPosition`. */
  isTrue(minPosition: number, maxPosition: number): boolean {
    return (
      this.beginPosition <= this.endPosition &&
      this.endPosition < maxPosition &&
      this.endPosition >= minPosition &&
      this.beginTimestamp <= this.endTimestamp
    )
  }

  /** Takes its place behind another file, as RocketMQ does: the first entry's time is counted from that one's end. */
  follow(previous: IndexFile): void {
    this.beginTimestamp = previous.endTimestamp
    this.endTimestamp = previous.endTimestamp
    this.beginPosition = previous.endPosition
    this.endPosition = previous.endPosition
  }

  /** Adds a key. The file must not be full. Throws `FileFailure`. */
  put(keyHash: number, position: number, storeTimestamp: number): void {
    const entry = this.indexCount
    const slotOffset = IndexDescriptor.slotOffset(keyHash % this.#slotCount)
    const entryOffset = IndexDescriptor.entryOffset(this.#slotCount, entry)
    // Slots are written here and there, and a file of another program has holes among them: all get blocks, first of all.
    this.file.reserve(0, IndexDescriptor.slotOffset(this.#slotCount))
    const newest = this.#newestOf(slotOffset)
    const { base, view } = this.file.claim(entryOffset, IndexDescriptor.ENTRY_LENGTH)
    const at = entryOffset - base
    view.setInt32(at + IndexDescriptor.KEY_HASH_OFFSET, keyHash)
    putInt64(view, at + IndexDescriptor.POSITION_OFFSET, position)
    view.setInt32(at + IndexDescriptor.TIME_DIFFERENCE_OFFSET, this.#secondsSinceBegin(storeTimestamp))
    view.setInt32(at + IndexDescriptor.PREVIOUS_OFFSET, newest)
    this.file.publish(entryOffset, IndexDescriptor.ENTRY_LENGTH)
    if (entry === 1) {
      this.beginPosition = position
      this.beginTimestamp = storeTimestamp
    }
    this.#usedSlots += newest === IndexDescriptor.INVALID ? 1 : 0
    this.indexCount = entry + 1
    this.endPosition = position
    this.endTimestamp = storeTimestamp
    this.isDirty = true
    this.#writeHeader()
    // The slot comes last: a process that ends before leaves an entry that nobody reaches until `finishPut`. The other way
    // round the slot would lead to an entry that does not count, and hide the older ones of its chain.
    this.#writeSlot(slotOffset, entry)
  }

  /** Lets the slot of the last entry lead to it where a process has ended before it did that. Throws `FileFailure`. */
  finishPut(): void {
    const entry = this.indexCount - 1
    if (entry < 1) {
      return
    }
    const entryOffset = IndexDescriptor.entryOffset(this.#slotCount, entry)
    const { base, view } = this.file.read(entryOffset, IndexDescriptor.ENTRY_LENGTH)
    const keyHash = view.getInt32(entryOffset - base + IndexDescriptor.KEY_HASH_OFFSET)
    const previous = view.getInt32(entryOffset - base + IndexDescriptor.PREVIOUS_OFFSET)
    if (keyHash < 0 || previous < 0 || previous >= entry) {
      return
    }
    const slotOffset = IndexDescriptor.slotOffset(keyHash % this.#slotCount)
    if (this.#newestOf(slotOffset) === previous) {
      this.file.reserve(0, IndexDescriptor.slotOffset(this.#slotCount))
      this.#writeSlot(slotOffset, entry)
      this.isDirty = true
    }
  }

  /**
   * Writes again what was added later than `flushedTimestamp`, with the slots that changed for it: pages that a sync has
   * failed to bring to the device count as clean, and no later sync brings them. Throws `FileFailure`.
   */
  *rewriteBehind(flushedTimestamp: number): Generator<number, void> {
    const first = this.#firstBehind(flushedTimestamp)
    yield* this.file.rewrite(0, IndexDescriptor.HEADER_LENGTH)
    yield* this.#rewriteSlotsOf(first)
    yield* this.file.rewrite(
      IndexDescriptor.entryOffset(this.#slotCount, first),
      IndexDescriptor.entryOffset(this.#slotCount, this.indexCount)
    )
  }

  /** Page by page: all slots of a file have 20 MB, which every opening after a kill would write. */
  *#rewriteSlotsOf(first: number): Generator<number, void> {
    const slotsEnd = IndexDescriptor.slotOffset(this.#slotCount)
    const isChanged = new Uint8Array(Math.ceil(slotsEnd / PAGE_LENGTH))
    for (let entry = first; entry < this.indexCount; entry++) {
      const entryOffset = IndexDescriptor.entryOffset(this.#slotCount, entry)
      const { base, view } = this.file.read(entryOffset, IndexDescriptor.ENTRY_LENGTH)
      const keyHash = Math.max(0, view.getInt32(entryOffset - base + IndexDescriptor.KEY_HASH_OFFSET))
      if (entry % ENTRIES_A_SLICE === 0) {
        yield entryOffset
      }
      isChanged[Math.floor(IndexDescriptor.slotOffset(keyHash % this.#slotCount) / PAGE_LENGTH)] = 1
    }
    for (let page = isChanged.indexOf(1); page >= 0; page = isChanged.indexOf(1, page + 1)) {
      yield* this.file.rewrite(page * PAGE_LENGTH, Math.min(slotsEnd, (page + 1) * PAGE_LENGTH))
    }
  }

  /** The first entry that may be of a later time: times are cut to seconds, and rise. */
  #firstBehind(timestamp: number): number {
    let first = 1
    let end = this.indexCount
    while (first < end) {
      const middle = (first + end) >>> 1
      const entryOffset = IndexDescriptor.entryOffset(this.#slotCount, middle)
      const { base, view } = this.file.read(entryOffset, IndexDescriptor.ENTRY_LENGTH)
      const seconds = view.getInt32(entryOffset - base + IndexDescriptor.TIME_DIFFERENCE_OFFSET)
      if (this.beginTimestamp + (seconds + 1) * MS_PER_SECOND > timestamp) {
        end = middle
      } else {
        first = middle + 1
      }
    }
    return first
  }

  #writeSlot(slotOffset: number, entry: number): void {
    const { base, view } = this.file.claim(slotOffset, IndexDescriptor.SLOT_LENGTH)
    view.setInt32(slotOffset - base, entry)
    this.file.publish(slotOffset, IndexDescriptor.SLOT_LENGTH)
  }

  /** Number of the newest entry of a slot. */
  #newestOf(slotOffset: number): number {
    const { base, view } = this.file.read(slotOffset, IndexDescriptor.SLOT_LENGTH)
    return this.#validEntry(view.getInt32(slotOffset - base))
  }

  #secondsSinceBegin(storeTimestamp: number): number {
    const seconds = this.beginTimestamp <= 0 ? 0 : Math.trunc((storeTimestamp - this.beginTimestamp) / MS_PER_SECOND)
    return Math.min(INT_MAX, Math.max(0, seconds))
  }

  #validEntry(entry: number): number {
    return entry > 0 && entry <= this.indexCount ? entry : IndexDescriptor.INVALID
  }

  #writeHeader(): void {
    const { view } = this.file.claim(0, IndexDescriptor.HEADER_LENGTH)
    putInt64(view, IndexDescriptor.BEGIN_TIMESTAMP_OFFSET, this.beginTimestamp)
    putInt64(view, IndexDescriptor.END_TIMESTAMP_OFFSET, this.endTimestamp)
    putInt64(view, IndexDescriptor.BEGIN_POSITION_OFFSET, this.beginPosition)
    putInt64(view, IndexDescriptor.END_POSITION_OFFSET, this.endPosition)
    view.setInt32(IndexDescriptor.SLOT_COUNT_OFFSET, this.#usedSlots)
    view.setInt32(IndexDescriptor.INDEX_COUNT_OFFSET, this.indexCount)
    this.file.publish(0, IndexDescriptor.HEADER_LENGTH)
  }

  /** Whether the times of the file and [begin, end] have something in common. */
  overlaps(begin: number, end: number): boolean {
    return begin <= this.endTimestamp && end >= this.beginTimestamp
  }

  /** Walks the entries with this hash and a time in [begin, end], newest first. */
  select(keyHash: number, begin: number, end: number, onPosition: OnPosition): boolean {
    let entry = this.#newestOf(IndexDescriptor.slotOffset(keyHash % this.#slotCount))
    while (entry !== IndexDescriptor.INVALID) {
      const entryOffset = IndexDescriptor.entryOffset(this.#slotCount, entry)
      const { base, view } = this.file.read(entryOffset, IndexDescriptor.ENTRY_LENGTH)
      const at = entryOffset - base
      const seconds = view.getInt32(at + IndexDescriptor.TIME_DIFFERENCE_OFFSET)
      const time = this.beginTimestamp + seconds * MS_PER_SECOND
      if (seconds < 0) {
        return true
      }
      if (
        view.getInt32(at + IndexDescriptor.KEY_HASH_OFFSET) === keyHash &&
        time >= begin &&
        time <= end &&
        !onPosition(getInt64(view, at + IndexDescriptor.POSITION_OFFSET))
      ) {
        return false
      }
      const previous = this.#validEntry(view.getInt32(at + IndexDescriptor.PREVIOUS_OFFSET))
      // A chain only leads to older entries: anything else is damage, and would have no end.
      if (previous >= entry || time < begin) {
        return true
      }
      entry = previous
    }
    return true
  }
}
