/**
 * The index over all keys: a list of hash files, the newest last. It is a link of the dispatch chain, and can always be
 * made anew from the log.
 */
import type { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as MessageProperties from "../commitlog/MessageProperties.ts"
import * as SysFlag from "../commitlog/SysFlag.ts"
import * as Utf8 from "../commitlog/Utf8.ts"
import type { Dispatcher } from "../dispatch/Dispatcher.ts"
import { type DirectoryEntry, type FileSystem, join, type SyncDone } from "../mapped/FileSystem.ts"
import { MappedFile } from "../mapped/MappedFile.ts"
import { IndexFile, type OnPosition } from "./IndexFile.ts"
import * as IndexGeometry from "./IndexGeometry.ts"
import * as IndexDescriptor from "./IndexDescriptor.ts"
import * as KeyHash from "./KeyHash.ts"

const TAGS = Utf8.encode(MessageProperties.TAGS)
const TAG_PREFIX = "T#"
const SPACE = 0x20

/** Names are times, and sort by age. What is called otherwise is none of the index's files. */
const NAME = /^\d{17,20}$/

/** Entries get disk blocks in steps of this many bytes. */
const RESERVE_STEP = 1024 * 1024

export interface IndexOptions {
  readonly fileSystem: FileSystem
  readonly directory: string
  readonly slotCount: number
  readonly entryCount: number
  /** Also index tags, as RocketMQ 5.5 does. */
  readonly indexTags: boolean
  readonly readOnly: boolean
  /** Whether the numbers of slots and entries are only a guess, of who reads: those of the first file that is seen count. */
  readonly isGeometryGuessed?: boolean
  /** The name of a file that is made now: local time as yyyyMMddHHmmssSSS. */
  readonly nameNow: () => string
}

/** What the files of the index are held against. */
export interface IndexBounds {
  /** Where the log begins and ends. */
  readonly minPosition: number
  readonly maxPosition: number
  /** Full files with a later end were not on the device; infinite where the page cache has lived on. */
  readonly durableTimestamp: number
  /** What is of a later time may be on no device. */
  readonly flushedTimestamp: number
  readonly isRecord: (position: number) => boolean
  /**
   * Files that must be there. Where the log has been cleaned those before the oldest may have gone with it: another program
   * that had the store since says nothing of that.
   */
  readonly listed?: ReadonlyArray<string>
}

/** For who only reads: the writer's index may be ahead of what its reader has seen of the log. */
export const FOLLOWED: Omit<IndexBounds, "minPosition"> = {
  maxPosition: Number.POSITIVE_INFINITY,
  durableTimestamp: Number.POSITIVE_INFINITY,
  flushedTimestamp: 0,
  isRecord: () => true
}

export interface Lookup {
  readonly topic: string
  readonly key: string
  readonly countMax: number
  readonly begin: number
  readonly end: number
}

/** Of a file: it is opened, it was right and only speaks of what is gone, or it says nothing that can be relied on. */
type Trust = "kept" | "stale" | "none"

export class IndexService implements Dispatcher {
  readonly files: Array<IndexFile> = []
  readonly #options: IndexOptions
  #slotCount: number
  #entryCount: number
  /** Whether files were gone when the index was loaded, or could not be trusted. */
  hasLost = false
  /** Records before this position have all their keys in the index; the one at it may have some. */
  #indexedBefore = -1
  /** Whether the record at hand may have keys in the index already. */
  #isRepeated = false
  /** Hash of what stands before the keys of the record at hand. */
  #topicPrefix = 0

  constructor(options: IndexOptions) {
    this.#options = options
    this.#slotCount = options.slotCount
    this.#entryCount = options.entryCount
  }

  get #fileLength(): number {
    return IndexDescriptor.fileLength(this.#slotCount, this.#entryCount)
  }

  /** Takes over what a file was made with that has entries, if it has any: an empty one does not say it. */
  #learn(name: string, length: number): void {
    const { directory, fileSystem } = this.#options
    const file = fileSystem.open(join(directory, name), length, "index", true)
    const geometry = IndexGeometry.detect(file)
    file.close()
    this.#slotCount = geometry?.slotCount ?? this.#slotCount
    this.#entryCount = geometry?.entryCount ?? this.#entryCount
  }

  /**
   * Opens the files that can be trusted: their length is right, their range lies in the log and ends at a record of it, and
   * those that are listed before them are there. Where the page cache was lost only full files count that were on the
   * device: of one that was still growing some slots may be newer than the header. Removed are those at the beginning that
   * only speak of what is gone, and the first that cannot be trusted with all behind it. Returns the position of the last
   * record that has a key in the index, -1 for none.
   */
  load(bounds: IndexBounds): number {
    const { directory, fileSystem, readOnly } = this.#options
    const untrue: Array<string> = []
    let trust: Trust = "stale"
    for (const { length, name } of this.#found(bounds)) {
      if (trust !== "none") {
        const itsTrust = length === this.#fileLength && NAME.test(name) ? this.#open(name, bounds) : "none"
        // Behind a file that is kept there is nothing stale.
        trust = trust === "kept" && itsTrust === "stale" ? "none" : itsTrust
      }
      const last = this.files.at(-1)
      if (trust === "kept" && last !== undefined && !readOnly) {
        // What a killed process has written may stand in the page cache alone.
        last.isDirty = last.endTimestamp > bounds.flushedTimestamp
      }
      if (trust === "stale" && !readOnly) {
        fileSystem.remove(join(directory, name))
      } else if (trust === "none") {
        untrue.push(name)
      }
    }
    this.hasLost = untrue.length > 0
    this.#removeLastFirst(untrue)
    const newest = this.files.at(-1)
    if (newest !== undefined && !readOnly) {
      newest.finishPut()
    }
    this.#indexedBefore = newest?.endPosition ?? -1
    return this.#indexedBefore
  }

  /** Files by age, with those among them that are listed and not there: these have no length. */
  #found({ listed = [], minPosition }: IndexBounds): ReadonlyArray<Pick<DirectoryEntry, "name" | "length">> {
    const { directory, fileSystem } = this.#options
    const found = (fileSystem.entries(directory) ?? []).filter(({ isDirectory }) => !isDirectory)
    const names = found.map(({ name }) => name).toSorted()
    const oldest = minPosition > 0 ? (names[0] ?? "") : ""
    const gone = listed.filter((name) => name > oldest && !names.includes(name)).map((name) => ({ name, length: -1 }))
    return [...found, ...gone].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Each is gone for good before the next one goes: what a failure of power brings back must not stand behind a gap. */
  #removeLastFirst(names: ReadonlyArray<string>): void {
    const { directory, fileSystem, readOnly } = this.#options
    for (const name of readOnly ? [] : names.toReversed()) {
      if (fileSystem.exists(join(directory, name))) {
        fileSystem.remove(join(directory, name))
        fileSystem.syncDirectory(directory)
      }
    }
  }

  /** Makes dirty again what may be on no device, of records later than `flushedTimestamp`. Throws `FileFailure`. */
  *rewriteBehind(flushedTimestamp: number): Generator<number, void> {
    for (const file of this.files) {
      if (file.isDirty) {
        yield* file.rewriteBehind(flushedTimestamp)
      }
    }
  }

  /** Sees what another process has changed since: new values of the headers, files removed, and new ones. */
  refresh(minPosition: number): void {
    const { directory, fileSystem, isGeometryGuessed } = this.#options
    const found = (fileSystem.entries(directory) ?? []).toSorted((a, b) => (a.name < b.name ? -1 : 1))
    const oldest = found[0]?.name ?? ""
    for (let first = this.files[0]; first !== undefined && first.name < oldest; first = this.files[0]) {
      first.file.close()
      this.files.shift()
    }
    this.files.at(-1)?.readHeader()
    for (const { length, name } of found) {
      if (isGeometryGuessed === true && this.files.length === 0 && length > 0 && NAME.test(name)) {
        this.#learn(name, length)
      }
      const isKnown = this.files.some((file) => file.name >= name)
      if (!isKnown && length === this.#fileLength && NAME.test(name)) {
        this.#open(name, { ...FOLLOWED, minPosition })
      }
    }
  }

  #open(name: string, { durableTimestamp, isRecord, maxPosition, minPosition }: IndexBounds): Trust {
    const { directory, fileSystem, readOnly } = this.#options
    const file = this.#indexFile(fileSystem.open(join(directory, name), this.#fileLength, "index", readOnly), name, 0)
    const isDurable =
      durableTimestamp === Number.POSITIVE_INFINITY || (file.isFull && file.endTimestamp <= durableTimestamp)
    if (isDurable && !file.isEmpty && file.isTrue(minPosition, maxPosition) && isRecord(file.endPosition)) {
      this.files.push(file)
      return "kept"
    }
    file.file.close()
    return isDurable && file.isFull && file.isTrue(0, minPosition) ? "stale" : "none"
  }

  #indexFile(file: ReturnType<FileSystem["open"]>, name: string, reservedTo: number): IndexFile {
    return new IndexFile(new MappedFile(file, 0, RESERVE_STEP, reservedTo), name, this.#slotCount, this.#entryCount)
  }

  dispatch(record: RecordCursor, position: number): void {
    const isRollback = (record.sysFlag & SysFlag.TRANSACTION_MASK) === SysFlag.TRANSACTION_ROLLBACK
    if (position < this.#indexedBefore || isRollback) {
      return
    }
    this.#isRepeated = position === this.#indexedBefore
    this.#topicPrefix = KeyHash.prefixUtf8(record.bytes, record.topicAt, record.topicAt + record.topicLength)
    const { uniqueKeyEnd, uniqueKeyStart } = record.places
    if (uniqueKeyEnd > uniqueKeyStart) {
      this.#put(record, position, uniqueKeyStart, uniqueKeyEnd)
    }
    this.#putKeys(record, position)
    if (this.#options.indexTags) {
      const tags = record.property(TAGS)
      if (tags !== undefined) {
        this.#add(KeyHash.ofText(this.#topicPrefix, TAG_PREFIX + tags), position, record.storeTimestamp)
      }
    }
    this.#indexedBefore = position + 1
  }

  #putKeys(record: RecordCursor, position: number): void {
    const { bytes } = record
    const { keysEnd: end, keysStart } = record.places
    for (let start = keysStart; start < end;) {
      let stop = start
      while (stop < end && bytes[stop] !== SPACE) {
        stop++
      }
      if (stop > start) {
        this.#put(record, position, start, stop)
      }
      start = stop + 1
    }
  }

  #put(record: RecordCursor, position: number, start: number, end: number): void {
    const keyHash = KeyHash.ofUtf8(this.#topicPrefix, record.bytes, start, end)
    this.#add(keyHash, position, record.storeTimestamp)
  }

  #add(keyHash: number, position: number, storeTimestamp: number): void {
    const last = this.files.at(-1)
    if (this.#isRepeated && this.#has(keyHash, position)) {
      return
    }
    const file = last === undefined || last.isFull ? this.#roll(last) : last
    file.put(keyHash, position, storeTimestamp)
  }

  /** A file may have been full in the middle of a record's keys, or a crash have come there. */
  #has(keyHash: number, position: number): boolean {
    let found = false
    for (const file of this.files) {
      file.select(keyHash, 0, Number.MAX_SAFE_INTEGER, (entry) => {
        found ||= entry === position
        return !found
      })
    }
    return found
  }

  #roll(last: IndexFile | undefined): IndexFile {
    const { directory, fileSystem } = this.#options
    fileSystem.makeDirectory(directory)
    const name = this.#newName(last)
    const path = join(directory, name)
    const slotsEnd = IndexDescriptor.slotOffset(this.#slotCount)
    const stored = fileSystem.create(path, this.#fileLength, "index")
    try {
      stored.reserve(0, slotsEnd)
      fileSystem.syncDirectory(directory)
    } catch (error) {
      // Tried again at every record: a file left behind each time would fill what is left of the device.
      stored.close()
      fileSystem.remove(path)
      throw error
    }
    const file = this.#indexFile(stored, name, slotsEnd)
    if (last !== undefined) {
      file.follow(last)
    }
    this.files.push(file)
    return file
  }

  /** Names sort by age, even when the clock goes back or two files are made in one millisecond. */
  #newName(last: IndexFile | undefined): string {
    const name = this.#options.nameNow()
    return last === undefined || name > last.name
      ? name
      : String(BigInt(last.name) + 1n).padStart(last.name.length, "0")
  }

  /**
   * The positions that the index has for a key, as RocketMQ answers: the newest `countMax`, in rising order, with other
   * keys of the same hash among them, and twice where a record has the key twice.
   */
  lookup({ begin, countMax, end, key, topic }: Lookup): Array<number> {
    const positions: Array<number> = []
    if (countMax > 0) {
      this.visit(topic, key, begin, end, (position) => positions.push(position) < countMax)
    }
    return positions.toSorted((a, b) => a - b)
  }

  /** Walks the positions that the index has for the hash of a key, newest first, as long as `onPosition` says so. */
  visit(topic: string, key: string, begin: number, end: number, onPosition: OnPosition): void {
    const keyHash = KeyHash.of(topic, key)
    for (let index = this.files.length - 1; index >= 0; index--) {
      const file = this.files[index]!
      const wantsMore = !file.overlaps(begin, end) || file.select(keyHash, begin, end, onPosition)
      if (!wantsMore || file.beginTimestamp < begin) {
        break
      }
    }
  }

  /** Store time of the last record that has a key in the index, 0 for none. */
  get endTimestamp(): number {
    return this.files.at(-1)?.endTimestamp ?? 0
  }

  /** Number of entries in all files. */
  get entryCountTotal(): number {
    return this.files.reduce((sum, file) => sum + file.indexCount - 1, 0)
  }

  /** Removes files that only speak of records before `minPosition`; the last one stays. Throws `FileFailure`. */
  removeBefore(minPosition: number): void {
    const { directory, fileSystem } = this.#options
    while (this.files.length > 1 && this.files[0]!.endPosition < minPosition) {
      const { file, name } = this.files[0]!
      fileSystem.remove(join(directory, name))
      file.close()
      this.files.shift()
    }
  }

  /** The oldest file that has something to flush. */
  get fileToFlush(): IndexFile | undefined {
    return this.files.find((file) => file.isDirty)
  }

  flushAsync(file: IndexFile, done: SyncDone): void {
    file.isDirty = false
    file.file.file.syncAsync(0, file.file.length, done)
  }

  flush(): void {
    for (const file of this.files) {
      if (file.isDirty) {
        file.isDirty = false
        file.file.file.sync(0, file.file.length)
      }
    }
  }

  close(): void {
    for (const { file } of this.files) {
      file.close()
    }
  }
}
