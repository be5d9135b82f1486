/**
 * A store: the log, its queues, and the agents that follow it, wired together. It knows no Effect, no clock and no real
 * file; whoever runs it calls `doWork` and passes the time. All of it runs on one thread, and each call is one step that
 * nobody interrupts: that is what stands in the place of RocketMQ's put lock and of its reader-writer flags.
 */
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import type { CommitLog } from "../commitlog/CommitLog.ts"
import * as DiskPressure from "../cleaning/DiskPressure.ts"
import { ExpiredFiles } from "../cleaning/ExpiredFiles.ts"
import type { MessageInput } from "../commitlog/MessageInput.ts"
import type { QueueState, QueueTable } from "../consumequeue/QueueTable.ts"
import type { Dispatcher } from "../dispatch/Dispatcher.ts"
import { type FilterBits, QueueDispatcher } from "../dispatch/QueueDispatcher.ts"
import { Reput } from "../dispatch/Reput.ts"
import { CommitRealTimeService } from "../flush/CommitRealTimeService.ts"
import { FlushConsumeQueueService } from "../flush/FlushConsumeQueueService.ts"
import { FlushRealTimeService } from "../flush/FlushRealTimeService.ts"
import type { FlushService } from "../flush/FlushService.ts"
import type { FlushDone } from "../flush/FlushWaiters.ts"
import { GroupCommitService } from "../flush/GroupCommitService.ts"
import { SyncLane, type SyncObserver } from "../flush/SyncLane.ts"
import type { IndexService } from "../index/IndexService.ts"
import { AllocateAhead } from "../mapped/AllocateAhead.ts"
import type { FileFailure, FileSystem } from "../mapped/FileSystem.ts"
import { WarmUp } from "../mapped/WarmUp.ts"
import * as AbortFile from "../recovery/AbortFile.ts"
import { Follower } from "../recovery/Follower.ts"
import * as IndexList from "../recovery/IndexList.ts"
import * as MachineIdentity from "../recovery/MachineIdentity.ts"
import * as QueueList from "../recovery/QueueList.ts"
import * as Recovery from "../recovery/Recovery.ts"
import type { StoreCheckpoint } from "../recovery/StoreCheckpoint.ts"
import * as ClosingSync from "./ClosingSync.ts"
import type { LocalTime } from "./LocalTime.ts"
import { PutPath } from "./PutPath.ts"
import { PutRefusal, type PutResult } from "./PutResult.ts"
import * as QueueFiles from "./QueueFiles.ts"
import * as StoreFiles from "./StoreFiles.ts"
import { StoreHealth } from "./StoreHealth.ts"
import type { StoreOptions } from "./StoreOptions.ts"

/** Slices of dispatch that a read runs itself before it looks; a longer backlog is left to the agents. */
const CATCH_UP_SLICES_MAX = 8

const PAGE_LENGTH = 4096

export interface EngineListener extends SyncObserver {
  /** Something waits to be done: call `doWork` soon. */
  onWork(): void
  /** A queue has new messages that can be read. */
  onArrival(queue: QueueState): void
  /** The store no longer takes messages, or does again. */
  onHealth(): void
  /** A file of the log is removed by `run`, to be called once. */
  onCleaning?(fromOffset: number, run: () => void): void
}

/** What is added to the dispatch chain. */
export interface EngineExtensions {
  /** Follow queues and index. */
  readonly dispatchers?: ReadonlyArray<Dispatcher> | undefined
  readonly filterBits?: FilterBits | undefined
}

export class StoreEngine {
  readonly fileSystem: FileSystem
  readonly options: StoreOptions
  readonly health = new StoreHealth()
  readonly commitLog: CommitLog
  readonly queues: QueueTable
  readonly checkpoint: StoreCheckpoint
  readonly index: IndexService
  readonly flush: FlushService
  readonly isCleanExit: boolean
  readonly #listener: EngineListener
  readonly #files: StoreFiles.StoreFiles
  readonly #machineIdentity: string
  readonly #localTime: LocalTime
  readonly #lane: SyncLane
  readonly #commit: CommitRealTimeService | undefined
  readonly #warmUp: WarmUp | undefined
  readonly #putPath: PutPath
  readonly #queueDispatcher: QueueDispatcher
  readonly #dispatchers: ReadonlyArray<Dispatcher>
  readonly #hasOtherDispatchers: boolean
  readonly #follower: Follower | undefined
  #reput: Reput
  #agents: ReadonlyArray<Agent> = []

  constructor(
    fileSystem: FileSystem,
    options: StoreOptions,
    files: StoreFiles.StoreFiles,
    machineIdentity: string,
    localTime: LocalTime,
    listener: EngineListener,
    { dispatchers = [], filterBits }: EngineExtensions = {}
  ) {
    const root = options.storePathRootDir
    this.fileSystem = fileSystem
    this.options = options
    this.#listener = listener
    this.isCleanExit = !AbortFile.exists(fileSystem, root)
    this.#files = files
    this.#machineIdentity = machineIdentity
    this.#localTime = localTime
    this.commitLog = files.commitLog
    this.queues = files.queues
    this.checkpoint = files.checkpoint
    this.index = files.index
    this.#lane = new SyncLane(
      (failure) => this.#onFlushFailure(failure),
      () => listener.onWork(),
      listener
    )
    this.flush =
      options.flushDiskType === "SYNC_FLUSH"
        ? new GroupCommitService(this.commitLog, this.checkpoint, this.#lane)
        : new FlushRealTimeService(this.commitLog, this.checkpoint, this.#lane, {
            intervalMs: options.flushIntervalCommitLog,
            leastPages: options.flushCommitLogLeastPages,
            thoroughIntervalMs: options.flushCommitLogThoroughInterval
          })
    this.#commit = options.transientStorePoolEnable ? this.#makeCommit() : undefined
    this.#warmUp = options.warmMapedFileEnable
      ? new WarmUp(options.flushLeastPagesWhenWarmMapedFile * PAGE_LENGTH, () => listener.onWork())
      : undefined
    const isMulti = options.enableLmq && options.enableMultiDispatch
    this.#queueDispatcher = new QueueDispatcher(this.queues, isMulti, filterBits)
    this.#putPath = new PutPath(this.commitLog, this.queues, this.#queueDispatcher.trail, {
      maxMessageSize: options.maxMessageSize,
      appendCrcProperty: options.enabledAppendPropCRC,
      isMulti,
      lmqCountMax: options.maxLmqConsumeQueueNum
    })
    const indexers = options.messageIndexEnable ? [this.index] : []
    this.#dispatchers = [this.#queueDispatcher, ...indexers, ...dispatchers]
    this.#hasOtherDispatchers = dispatchers.length > 0
    this.#reput = this.#makeReput(0)
    this.#follower = options.readOnly ? this.#makeFollower() : undefined
  }

  /** Makes the store whole. To be driven to its end before anything else is asked of the store. Throws `DamagedLog`. */
  *recover(pid: number): Generator<number, Recovery.RecoveryReport> {
    if (this.#follower !== undefined) {
      this.#follower.attach()
      return Recovery.unchanged(this.commitLog, this.isCleanExit)
    }
    const root = this.options.storePathRootDir
    const report = yield* Recovery.recover({
      commitLog: this.commitLog,
      queues: this.queues,
      checkpoint: this.checkpoint,
      index: this.options.messageIndexEnable ? this.index : undefined,
      dispatchers: this.#dispatchers,
      onRebuild: () => this.#leaveTrace(pid),
      hasOtherDispatchers: this.#hasOtherDispatchers,
      isCleanExit: this.isCleanExit,
      ...MachineIdentity.survivalOf(this.fileSystem, root, this.#machineIdentity, this.isCleanExit),
      listedIndex: () => IndexList.read(this.fileSystem, root),
      listedQueues: () => QueueList.check(this.fileSystem, root, this.queues),
      check: { checkCrc: this.options.checkCRCOnRecover, requireCrcProperty: this.options.forceVerifyPropCRC },
      isMulti: this.options.enableLmq && this.options.enableMultiDispatch
    })
    this.#queueDispatcher.drainArrived(() => undefined)
    this.#reput = this.#makeReput(this.commitLog.maxOffset)
    return report
  }

  /** Begins the life of the store: from here on a process that ends without `close` leaves a trace. */
  start(nowNs: number, pid: number): void {
    if (this.#follower !== undefined) {
      this.#agents = [this.#follower]
      return
    }
    this.#lookForFull()
    this.commitLog.files.onWriting()
    for (const files of this.queues.files()) {
      files.onWriting()
    }
    this.#leaveTrace(pid)
    this.#agents = [
      ...(this.#commit === undefined ? [] : [this.#commit]),
      this.flush,
      new AllocateAhead(this.commitLog.files, this.#warmUp, () => this.#listener.onWork()),
      new ExpiredFiles({
        ...this.options,
        commitLog: this.commitLog,
        queues: this.queues,
        index: this.index,
        localTime: this.#localTime,
        pressure: () => this.#measurePressure(),
        onFailure: (failure) => (this.health.cleaningFailure = failure),
        onCleaning: (fromOffset, run) =>
          this.#listener.onCleaning === undefined ? run() : this.#listener.onCleaning(fromOffset, run),
        dispatchedPosition: () => this.dispatchedPosition
      }),
      new FlushConsumeQueueService(
        this.queues,
        this.index,
        this.checkpoint,
        this.#lane,
        {
          intervalMs: this.options.flushIntervalConsumeQueue,
          leastPages: this.options.flushConsumeQueueLeastPages,
          thoroughIntervalMs: this.options.flushConsumeQueueThoroughInterval
        },
        () => this.#reput.dispatchedTimestamp,
        { fileSystem: this.fileSystem, unsynced: this.#files.unsynced }
      )
    ]
    for (const agent of this.#agents) {
      agent.onStart?.(nowNs)
    }
  }

  #leaveTrace(pid: number): void {
    const { storePathRootDir, transientStorePoolEnable } = this.options
    MachineIdentity.write(this.fileSystem, storePathRootDir, this.#machineIdentity, transientStorePoolEnable)
    AbortFile.create(this.fileSystem, storePathRootDir, pid)
  }

  /** With several directories of the log the first file goes to one that has room. */
  #lookForFull(): void {
    const { fileSystem, options } = this
    if (options.storePathCommitLog.length > 1) {
      const { full } = DiskPressure.measure(fileSystem, options.storePathCommitLog, options)
      this.commitLog.files.directories.setFull(full)
    }
  }

  /** Looks how full the devices of the log are; a full one stops puts until it has room again. */
  #measurePressure(): number {
    const { fileSystem, health, options } = this
    const { failure, full, level, space } = DiskPressure.measure(fileSystem, options.storePathCommitLog, options)
    this.commitLog.files.directories.setFull(full)
    const wasFull = health.diskFull !== undefined
    if (level === DiskPressure.FULL) {
      health.diskFull = space && { ...space, freeBytesWanted: DiskPressure.freeBytesWanted(space, options) }
    } else if (failure === undefined) {
      // One that cannot be measured may be the one that was full.
      health.diskFull = undefined
    }
    health.cleaningFailure = failure
    if (wasFull !== (health.diskFull !== undefined)) {
      this.#listener.onHealth()
    }
    return level
  }

  put(messages: ReadonlyArray<MessageInput>, nowMs: number): ReadonlyArray<PutResult> | PutRefusal {
    return this.#put(messages, nowMs, false)
  }

  putBatch(messages: ReadonlyArray<MessageInput>, nowMs: number): ReadonlyArray<PutResult> | PutRefusal {
    return this.#put(messages, nowMs, true)
  }

  #put(messages: ReadonlyArray<MessageInput>, nowMs: number, isBatch: boolean): ReadonlyArray<PutResult> | PutRefusal {
    if (!this.health.isWriteable || this.options.readOnly) {
      return new PutRefusal({ _tag: "NotWriteable", reason: "the store does not take messages" }, [])
    }
    // Readers that fall behind without bound would need memory of the device they are on; the writer pays instead.
    while (this.#reput.behindBytes > this.options.dispatchBehindBytesMax && this.#reput.doWork() > 0) {
      // Each call dispatches one slice.
    }
    const outcome = isBatch ? this.#putPath.putBatch(messages, nowMs) : this.#putPath.putMany(messages, nowMs)
    this.flush.onAppend()
    this.#commit?.onAppend()
    this.#listener.onWork()
    return outcome
  }

  /** One duty cycle of everything that follows the log. */
  doWork(nowNs: number): number {
    let count = this.#follower === undefined ? this.#reput.doWork() : 0
    for (const agent of this.#agents) {
      count += agent.doWork(nowNs)
    }
    return count
  }

  /**
   * Dispatches what is visible, up to a bound, so that a read sees the puts before it. A store that only reads looks into
   * the queue that is read; all that the writer did is seen with its next step. Throws `FileFailure`.
   */
  catchUp(queue?: QueueState): void {
    if (this.#follower !== undefined) {
      if (queue !== undefined) {
        this.#follower.followQueue(queue)
      }
      return
    }
    for (let slice = 0; slice < CATCH_UP_SLICES_MAX && this.#reput.doWork() > 0; slice++) {
      // Each call dispatches one slice.
    }
  }

  /** As `catchUp`, for a look at the store as a whole: a reader does all of its next step at once. Throws `FileFailure`. */
  catchUpAll(): void {
    this.#follower?.follow(true)
    this.catchUp()
  }

  /**
   * Has `done` called once all that was put can be read. Undefined where it can be already: always, but with a transient
   * pool. Else returns a way to stop waiting.
   */
  whenReadable(done: FlushDone): (() => void) | undefined {
    const { maxOffset, readableEnd } = this.commitLog
    return this.#commit === undefined || readableEnd === maxOffset
      ? undefined
      : this.#commit.whenCommitted(maxOffset, done)
  }

  get dispatchedPosition(): number {
    return this.#follower === undefined ? this.#reput.position : this.commitLog.maxOffset
  }

  /** Whether what is stored and not dispatched yet never will be: it cannot be read, or did not reach the device. */
  get hasDispatchEnded(): boolean {
    const { broken, flushFailure } = this.health
    return broken !== undefined || (flushFailure !== undefined && this.#reput.isAtEnd)
  }

  /** Whether a sync or a write is running, or a file made, in the thread pool; `close` must wait for it. */
  get isSyncing(): boolean {
    const isMaking = this.commitLog.files.isMaking || this.#warmUp?.isBusy === true
    return this.#lane.isBusy || this.#commit?.isBusy === true || isMaking
  }

  /**
   * What has to reach the device before the files are closed, in steps that leave the caller's thread free. Only with
   * nothing syncing. Throws `FileFailure`.
   */
  closingSteps(): Generator<ClosingSync.Step> | ReadonlyArray<never> {
    if (this.options.readOnly || this.health.flushFailure !== undefined) {
      return []
    }
    return ClosingSync.steps({
      fileSystem: this.fileSystem,
      commitLog: this.commitLog,
      queues: this.queues,
      index: this.index,
      unsynced: this.#files.unsynced,
      reput: this.#reput,
      onFailure: (failure) => this.#onFlushFailure(failure),
      hasFailed: () => this.health.flushFailure !== undefined
    })
  }

  /** Dispatches and flushes what is left and closes all files. Only with nothing syncing. Throws `FileFailure`. */
  close(): void {
    const { checkpoint, commitLog, health, options } = this
    health.isClosed = true
    try {
      if (!options.readOnly && health.flushFailure === undefined) {
        commitLog.files.commitAll()
        StoreFiles.flush(commitLog.files)
        checkpoint.physicMsgTimestamp = Math.max(checkpoint.physicMsgTimestamp, commitLog.lastStoreTimestamp)
        this.#finishDispatch()
        checkpoint.flush()
        if (this.#reput.behindBytes === 0 && this.#agents.length > 0) {
          QueueList.write(this.fileSystem, options.storePathRootDir, this.queues)
          IndexList.write(this.fileSystem, options.storePathRootDir, this.index)
          AbortFile.remove(this.fileSystem, options.storePathRootDir)
        }
      }
    } finally {
      this.closeFiles()
    }
  }

  #finishDispatch(): void {
    while (this.#reput.doWork() > 0) {
      // Each call dispatches one slice.
    }
    for (const files of this.queues.files()) {
      StoreFiles.flush(files)
    }
    for (let name = this.#files.unsynced.take(); name !== undefined; name = this.#files.unsynced.take()) {
      this.fileSystem.syncDirectory(name)
    }
    this.index.flush()
    if (this.#reput.behindBytes === 0) {
      const { checkpoint } = this
      const timestamp = this.commitLog.lastStoreTimestamp
      checkpoint.logicsMsgTimestamp = Math.max(checkpoint.logicsMsgTimestamp, timestamp)
      checkpoint.indexMsgTimestamp = Math.max(checkpoint.indexMsgTimestamp, timestamp)
    }
  }

  /** Closes all files and flushes nothing: what an opening that failed leaves behind. */
  closeFiles(): void {
    this.health.isClosed = true
    StoreFiles.close(this.#files)
  }

  #makeFollower(): Follower {
    const { commitLog, fileSystem, health, index, options, queues } = this
    const place = { fileSystem, options, unsynced: this.#files.unsynced }
    return new Follower({
      commitLog,
      queues,
      index,
      loadNewQueues: (onLoaded) => QueueFiles.loadAll(place, queues, onLoaded),
      onArrival: (queue) => this.#listener.onArrival(queue),
      onListed: (failure) => (health.dispatchFailure = failure)
    })
  }

  #makeCommit(): CommitRealTimeService {
    const { options } = this
    return new CommitRealTimeService(this.commitLog.files, {
      intervalMs: options.commitIntervalCommitLog,
      leastPages: options.commitCommitLogLeastPages,
      thoroughIntervalMs: options.commitCommitLogThoroughInterval,
      isWokenByPuts: options.wakeCommitWhenPutMessage,
      isAsked: () => this.flush.isAsked,
      onFailure: (failure) => this.#onFlushFailure(failure),
      onDone: () => this.#listener.onWork()
    })
  }

  #makeReput(position: number): Reput {
    const { commitLog, health } = this
    const isSync = this.options.flushDiskType === "SYNC_FLUSH"
    return new Reput(
      {
        commitLog,
        dispatchers: this.#dispatchers,
        visibleEnd: () => (isSync ? commitLog.files.flushedWhere : commitLog.readableEnd),
        onDispatched: () => {
          if (health.dispatchFailure !== undefined) {
            health.dispatchFailure = undefined
            this.#listener.onHealth()
          }
          this.#queueDispatcher.drainArrived((queue) => this.#listener.onArrival(queue))
          if (health.flushFailure !== undefined) {
            // This may have been the last that could be dispatched: who waits for more has to know.
            this.#listener.onHealth()
          }
        },
        onBroken: (at, reason) => {
          health.broken = { position: at, reason }
          this.#listener.onHealth()
        },
        onBlocked: (failure) => {
          health.dispatchFailure = failure
          this.#listener.onHealth()
        }
      },
      position
    )
  }

  #onFlushFailure(failure: FileFailure): void {
    this.health.flushFailure = failure
    this.flush.onFailure(failure)
    this.#listener.onHealth()
  }
}
