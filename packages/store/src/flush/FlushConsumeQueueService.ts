/**
 * Flushes the consume queues, one file at a time, every `intervalMs` those with `leastPages` dirty pages and every
 * `thoroughIntervalMs` all of them and the index; then the checkpoint, whose times of queues and index only move after
 * such a thorough round.
 */
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import type { QueueTable } from "../consumequeue/QueueTable.ts"
import type { IndexFile } from "../index/IndexFile.ts"
import type { IndexService } from "../index/IndexService.ts"
import type { FileSystem } from "../mapped/FileSystem.ts"
import type { MappedFileQueue } from "../mapped/MappedFileQueue.ts"
import type { UnsyncedNames } from "../mapped/UnsyncedNames.ts"
import type { StoreCheckpoint } from "../recovery/StoreCheckpoint.ts"
import type { SyncLane } from "./SyncLane.ts"

const NS_PER_MS = 1_000_000

export interface FlushConsumeQueueOptions {
  readonly intervalMs: number
  readonly leastPages: number
  readonly thoroughIntervalMs: number
}

interface Names {
  readonly fileSystem: FileSystem
  readonly unsynced: UnsyncedNames
}

export class FlushConsumeQueueService implements Agent {
  readonly roleName = "flush-consume-queue"
  readonly #table: QueueTable
  readonly #index: IndexService
  readonly #checkpoint: StoreCheckpoint
  readonly #lane: SyncLane
  readonly #options: FlushConsumeQueueOptions
  /** Store time up to which the log is dispatched: what a thorough round brings to the device. */
  readonly #dispatchedTimestamp: () => number
  readonly #names: Names
  #round: Iterator<MappedFileQueue> | undefined = undefined
  #current: MappedFileQueue | undefined = undefined
  /** Where the current queue ended when its turn came: what it gets meanwhile is left to the next round. */
  #currentEnd = 0
  #currentIndex: IndexFile | undefined = undefined
  #isThorough = false
  #roundTimestamp = 0
  #nextRoundNs = 0
  #nextThoroughNs = 0

  constructor(
    table: QueueTable,
    index: IndexService,
    checkpoint: StoreCheckpoint,
    lane: SyncLane,
    options: FlushConsumeQueueOptions,
    dispatchedTimestamp: () => number,
    names: Names
  ) {
    this.#table = table
    this.#index = index
    this.#checkpoint = checkpoint
    this.#lane = lane
    this.#options = options
    this.#dispatchedTimestamp = dispatchedTimestamp
    this.#names = names
  }

  onStart(nowNs: number): void {
    this.#nextRoundNs = nowNs + this.#options.intervalMs * NS_PER_MS
    this.#nextThoroughNs = nowNs + this.#options.thoroughIntervalMs * NS_PER_MS
  }

  doWork(nowNs: number): number {
    if (this.#round === undefined && nowNs < this.#nextRoundNs) {
      return 0
    }
    if (!this.#lane.isFreeFor("derived")) {
      this.#lane.ask()
      return 0
    }
    if (this.#round === undefined) {
      this.#startRound(nowNs)
    }
    return this.#flushNext()
  }

  #startRound(nowNs: number): void {
    this.#isThorough = nowNs >= this.#nextThoroughNs
    this.#nextRoundNs = nowNs + this.#options.intervalMs * NS_PER_MS
    if (this.#isThorough) {
      this.#nextThoroughNs = nowNs + this.#options.thoroughIntervalMs * NS_PER_MS
    }
    this.#roundTimestamp = this.#dispatchedTimestamp()
    this.#round = this.#table.files()
  }

  /** Starts the sync of the next dirty file of the round, or ends the round. */
  #flushNext(): number {
    const leastPages = this.#isThorough ? 0 : this.#options.leastPages
    for (;;) {
      const files = this.#current
      const isBehind = files !== undefined && files.flushedWhere < this.#currentEnd
      const file = isBehind ? files.fileToFlush(leastPages) : undefined
      if (files !== undefined && file !== undefined) {
        const from = file.flushedPosition
        const to = file.wrotePosition
        this.#lane.run(
          "derived",
          (done) => file.file.syncAsync(from, to - from, done),
          () => files.onFlushed(file, to)
        )
        return 1
      }
      const next = this.#round!.next()
      if (next.done === true) {
        const isGoingOn = this.#isThorough && (this.#flushIndex() || this.#syncNames())
        return isGoingOn ? 1 : this.#endRound()
      }
      this.#current = next.value
      this.#currentEnd = next.value.maxOffset
    }
  }

  /** Starts the sync of a file of the index. False where none is dirty, or only the one that the round has synced. */
  #flushIndex(): boolean {
    const file = this.#index.fileToFlush
    if (file === undefined || file === this.#currentIndex) {
      return false
    }
    this.#currentIndex = file
    this.#lane.run(
      "derived",
      (done) => this.#index.flushAsync(file, done),
      () => undefined
    )
    return true
  }

  /** Starts the sync of a directory of queues that has new names. False where there is none. */
  #syncNames(): boolean {
    const { fileSystem, unsynced } = this.#names
    const directory = unsynced.take()
    if (directory === undefined) {
      return false
    }
    this.#lane.run(
      "derived",
      (done) => fileSystem.syncDirectoryAsync(directory, done),
      () => undefined
    )
    return true
  }

  #endRound(): number {
    this.#round = undefined
    this.#current = undefined
    this.#currentIndex = undefined
    if (this.#isThorough) {
      const { indexMsgTimestamp, logicsMsgTimestamp } = this.#checkpoint
      this.#checkpoint.logicsMsgTimestamp = Math.max(logicsMsgTimestamp, this.#roundTimestamp)
      this.#checkpoint.indexMsgTimestamp = Math.max(indexMsgTimestamp, this.#roundTimestamp)
      if (this.#roundTimestamp > Math.min(indexMsgTimestamp, logicsMsgTimestamp)) {
        this.#checkpoint.write()
      }
    }
    if (!this.#checkpoint.isDirty) {
      // Where the log has left its turn for nothing it must not wait for the next tick.
      return this.#lane.withdraw() ? 1 : 0
    }
    this.#lane.run(
      "derived",
      (done) => this.#checkpoint.flushAsync(done),
      () => undefined
    )
    return 1
  }
}
