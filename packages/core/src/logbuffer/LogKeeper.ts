/**
 * Looks after a log that is shared without a driver, as the driver does after its IPC publications: lets readers in and
 * forgets dead ones, cleans behind the slowest, moves the publishers' limit, and unblocks what dead publishers claimed.
 * One keeper a log, in the program that made it.
 */
import type { Agent } from "../agent/Agent.ts"
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import * as Int64 from "../memory/Int64.ts"
import { loadAcquire } from "../memory/Ordering.ts"
import { assertOpen } from "../memory/RegionState.ts"
import * as LogBufferMetadata from "./LogBufferMetadata.ts"
import type { LogBuffers } from "./LogBuffers.ts"
import { LogBufferUnblocker } from "./LogBufferUnblocker.ts"
import * as D from "./SharingDescriptor.ts"
import * as TermCleaner from "./TermCleaner.ts"
import { TermTail } from "./TermTail.ts"

const NS_PER_MS = 1_000_000

export interface LogKeeperOptions {
  /** A reader without a sign of life for this long loses its place. */
  readonly readerTimeoutMs: number
  /** A claim at which the readers stand still for this long is given up. Longer than any living publisher takes. */
  readonly unblockTimeoutMs: number
}

export class LogKeeper implements Agent {
  readonly roleName: string
  /** Claims of dead publishers that were turned into padding, and rotations that were finished for them. */
  unblockedCount = 0
  /** Readers that were given up. */
  expiredCount = 0
  private readonly log: LogBuffers
  private readonly metadata: AtomicBuffer
  private readonly options: LogKeeperOptions
  private readonly windowLength: number
  private readonly unblocker: LogBufferUnblocker
  private readonly tail: TermTail
  /** The farthest that any reader has come: where the next one is let in. */
  private consumerPosition: number
  private cleanPosition: number
  private limit: number
  private readerCount = 0
  private stallPosition = -1
  private stallMs = 0

  constructor(log: LogBuffers, options: LogKeeperOptions) {
    this.roleName = `keeper of ${log.region.state.name}`
    this.log = log
    this.metadata = log.metadata
    this.options = options
    this.windowLength = log.termLength / 2
    this.unblocker = new LogBufferUnblocker(log)
    this.tail = new TermTail(log.metadata)
    const position = this.tail.producerPosition(log.termLength)
    this.consumerPosition = position
    this.cleanPosition = position
    this.limit = position
  }

  doWork(nowNs: number): number {
    const nowMs = Math.floor(nowNs / NS_PER_MS)
    assertOpen(this.metadata.state)
    Int64.storeExclusiveRelease(this.metadata, D.KEEPER_HEARTBEAT_OFFSET, nowMs)
    return this.watchReaders(nowMs) + this.unblock(nowMs)
  }

  /** Tells everyone that there will be no more messages behind what has been claimed. */
  endStream(): void {
    assertOpen(this.metadata.state)
    const position = this.tail.producerPosition(this.log.termLength)
    if (position < LogBufferMetadata.endOfStreamPosition(this.metadata)) {
      LogBufferMetadata.setEndOfStreamPosition(this.metadata, position)
    }
  }

  private watchReaders(nowMs: number): number {
    let workCount = 0
    let slowest = Infinity
    let readerCount = 0
    for (let reader = 0; reader < D.READERS_MAX; reader++) {
      const offset = D.readerOffset(reader)
      const word = this.wordAt(offset)
      const state = D.stateOf(word)
      if (state === D.FREE) {
        continue
      }
      if (state === D.REQUESTED) {
        this.letIn(offset, word, nowMs)
        workCount += 1
      }
      const position = Int64.loadMonotonic(this.metadata, offset + D.POSITION_OFFSET)
      this.consumerPosition = Math.max(this.consumerPosition, position)
      if (state === D.LEAVING || (state === D.ACTIVE && this.isDead(offset, nowMs))) {
        this.expiredCount += state === D.ACTIVE ? 1 : 0
        this.changeState(offset, word, D.FREE)
        workCount += 1
      } else {
        slowest = Math.min(slowest, position)
        readerCount += 1
      }
    }
    if (readerCount > 0) {
      workCount += this.moveLimit(slowest)
    }
    if (readerCount > 0 !== this.readerCount > 0) {
      LogBufferMetadata.setIsConnected(this.metadata, readerCount > 0)
    }
    this.readerCount = readerCount
    return workCount
  }

  private letIn(offset: number, word: number, nowMs: number): void {
    Int64.storeExclusiveRelease(this.metadata, offset + D.POSITION_OFFSET, this.consumerPosition)
    Int64.storeExclusiveRelease(this.metadata, offset + D.HEARTBEAT_OFFSET, nowMs)
    this.changeState(offset, word, D.ACTIVE)
  }

  private isDead(offset: number, nowMs: number): boolean {
    const heartbeatMs = Int64.loadMonotonic(this.metadata, offset + D.HEARTBEAT_OFFSET)
    return nowMs - heartbeatMs > this.options.readerTimeoutMs
  }

  /** Cleans first: a publisher that sees the new limit finds zeros up to it. */
  private moveLimit(slowest: number): number {
    const limit = slowest + this.windowLength
    if (limit <= this.limit) {
      return 0
    }
    while (this.cleanPosition < slowest) {
      this.cleanPosition = TermCleaner.clean(this.log, this.cleanPosition, slowest)
    }
    this.limit = limit
    Int64.storeExclusiveRelease(this.metadata, D.LIMIT_OFFSET, limit)
    return 1
  }

  private unblock(nowMs: number): number {
    const position = this.consumerPosition
    if (
      position !== this.stallPosition ||
      this.tail.producerPosition(this.log.termLength) <= position ||
      this.readerCount === 0
    ) {
      this.stallPosition = position
      this.stallMs = nowMs
      return 0
    }
    if (nowMs - this.stallMs <= this.options.unblockTimeoutMs || !this.unblocker.unblock(position)) {
      return 0
    }
    this.stallMs = nowMs
    this.unblockedCount += 1
    return 1
  }

  private wordAt(offset: number): number {
    return loadAcquire(this.metadata.int32, (offset + D.STATE_OFFSET) >>> 2)
  }

  private changeState(offset: number, word: number, next: number): void {
    const index = (offset + D.STATE_OFFSET) >>> 2
    Atomics.compareExchange(this.metadata.int32, index, word, D.withState(word, next))
  }
}
