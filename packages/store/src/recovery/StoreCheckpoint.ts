/**
 * Up to which store times the parts of a store are on the device. One page, rewritten in place:
 *
 * ```
 *    0             8             16            24                     32
 *   +-------------+-------------+-------------+----------------------+--------------------+
 *   | log time    | queue time  | index time  | master flushed offset| confirmed offset   |
 *   +-------------+-------------+-------------+----------------------+--------------------+
 * ```
 *
 * A time only moves when what it stands for is on the device. RocketMQ moves the queue time when it dispatches, and so
 * can start recovery too late after a power failure.
 */
import { getInt64, putInt64 } from "../mapped/BigEndian.ts"
import type { FileSystem, StoreFile, SyncDone } from "../mapped/FileSystem.ts"

export const FILE_LENGTH = 4096

const PHYSIC_OFFSET = 0
const LOGICS_OFFSET = 8
const INDEX_OFFSET = 16
const MASTER_FLUSHED_OFFSET = 24
const CONFIRM_OFFSET = 32
/** A file that is shorter is no checkpoint. */
export const FIELDS_LENGTH = 40

/** Store times of records that were written together may differ by a little; recovery starts that much earlier. */
const SLACK_MS = 3000

export class StoreCheckpoint {
  readonly #file: StoreFile
  #unflushed = false
  physicMsgTimestamp: number = 0
  logicsMsgTimestamp: number = 0
  indexMsgTimestamp: number = 0
  masterFlushedOffset: number = 0
  confirmPhyOffset: number = 0

  constructor(file: StoreFile) {
    this.#file = file
    this.refresh()
  }

  /** Who only reads sees again what the writer has put there since. */
  refresh(): void {
    const { view } = this.#file.read(0, FIELDS_LENGTH)
    this.physicMsgTimestamp = Math.max(0, getInt64(view, PHYSIC_OFFSET))
    this.logicsMsgTimestamp = Math.max(0, getInt64(view, LOGICS_OFFSET))
    this.indexMsgTimestamp = Math.max(0, getInt64(view, INDEX_OFFSET))
    this.masterFlushedOffset = Math.max(0, getInt64(view, MASTER_FLUSHED_OFFSET))
    this.confirmPhyOffset = Math.max(0, getInt64(view, CONFIRM_OFFSET))
  }

  static open(fileSystem: FileSystem, path: string, exists: boolean, readOnly: boolean): StoreCheckpoint {
    if (exists) {
      return new StoreCheckpoint(fileSystem.open(path, FILE_LENGTH, "state", readOnly))
    }
    const file = fileSystem.create(path, FILE_LENGTH, "state")
    file.reserve(0, FILE_LENGTH)
    return new StoreCheckpoint(file)
  }

  /** Every record stored before this time was on the device, in the log and in its queue. */
  get minTimestamp(): number {
    return Math.max(0, Math.min(this.physicMsgTimestamp, this.logicsMsgTimestamp) - SLACK_MS)
  }

  /** Whether something was written that no flush has been started for since. */
  get isDirty(): boolean {
    return this.#unflushed
  }

  /** Stands in the file at once, on the device with the next flush of the checkpoint: what it says is true already. */
  write(): void {
    this.#unflushed = true
    const { view } = this.#file.claim(0, FIELDS_LENGTH)
    putInt64(view, PHYSIC_OFFSET, this.physicMsgTimestamp)
    putInt64(view, LOGICS_OFFSET, this.logicsMsgTimestamp)
    putInt64(view, INDEX_OFFSET, this.indexMsgTimestamp)
    putInt64(view, MASTER_FLUSHED_OFFSET, this.masterFlushedOffset)
    putInt64(view, CONFIRM_OFFSET, this.confirmPhyOffset)
    this.#file.publish(0, FIELDS_LENGTH)
  }

  flush(): void {
    this.write()
    this.#file.sync(0, FIELDS_LENGTH)
  }

  flushAsync(done: SyncDone): void {
    this.write()
    this.#unflushed = false
    this.#file.syncAsync(0, FIELDS_LENGTH, done)
  }

  close(): void {
    this.#file.close()
  }
}
