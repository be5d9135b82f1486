/**
 * Watches for the first gap of an image. One gap is active at a time: when it was there for the feedback delay it is
 * told, and told again after each retry delay until it is filled. From a source that shows no life the delay doubles each
 * time: whoever set the stream up in the name of another shall not have that one asked a hundred thousand times.
 */
import { TermGap, scanForGap } from "@millrace/core/kernel/logbuffer/TermGapScanner"
import * as LogBufferDescriptor from "@millrace/core/kernel/logbuffer/LogBufferDescriptor"
import type { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"

export interface FeedbackDelay {
  /** Between finding a gap and telling it. */
  delayNs(): number
  /** Between telling it and telling it again. */
  retryDelayNs(): number
}

/** A source that lives shows it at least as often, also one that waits for room. */
const SIGN_OF_LIFE_NS = 100e6

export type GapHandler = (termId: number, termOffset: number, length: number) => void

export class LossDetector {
  /** Whether the last scan found a gap that was not known before. */
  isLossFound = false
  private readonly log: LogBuffers
  private readonly delay: FeedbackDelay
  private readonly onGap: GapHandler
  private readonly gap = new TermGap()
  private activePosition = -1
  private activeLength = 0
  private deadlineNs = 0
  /** When the active gap was told last; undefined before the first time. */
  private toldNs: number | undefined = undefined
  private silentDelayNs = 0

  constructor(log: LogBuffers, delay: FeedbackDelay, onGap: GapHandler) {
    this.log = log
    this.delay = delay
    this.onGap = onGap
  }

  /**
   * Scans from `rebuildPosition`; returns the position up to which the stream is whole, at most the end of the term.
   * `heardNs` is when something came from the source last.
   */
  scan(rebuildPosition: number, hwmPosition: number, heardNs: number, nowNs: number): number {
    this.isLossFound = false
    if (rebuildPosition >= hwmPosition) {
      return rebuildPosition
    }
    const { initialTermId, termLength, terms } = this.log
    const termOffset = LogBufferDescriptor.computeTermOffset(rebuildPosition, termLength)
    const termBegin = rebuildPosition - termOffset
    const limitOffset = Math.min(termLength, hwmPosition - termBegin)
    const term = terms[LogBufferDescriptor.indexByPosition(rebuildPosition, termLength)]!
    const rebuildOffset = scanForGap(term, termOffset, limitOffset, this.gap)
    if (rebuildOffset < limitOffset) {
      const gapPosition = termBegin + rebuildOffset
      if (gapPosition !== this.activePosition || this.gap.length !== this.activeLength) {
        this.activePosition = gapPosition
        this.activeLength = this.gap.length
        this.deadlineNs = nowNs + this.delay.delayNs()
        this.toldNs = undefined
        this.silentDelayNs = this.delay.retryDelayNs()
        this.isLossFound = true
      }
      if (this.isDue(heardNs, nowNs)) {
        const termId = LogBufferDescriptor.computeTermId(gapPosition, termLength, initialTermId)
        this.onGap(termId, this.gap.offset, this.gap.length)
        this.scheduleRetry(heardNs, nowNs)
      }
    }
    return termBegin + rebuildOffset
  }

  private isDue(heardNs: number, nowNs: number): boolean {
    const isHeard = this.toldNs !== undefined && heardNs > this.toldNs
    return nowNs >= (isHeard ? this.toldNs! + this.delay.retryDelayNs() : this.deadlineNs)
  }

  private scheduleRetry(heardNs: number, nowNs: number): void {
    const retryDelayNs = this.delay.retryDelayNs()
    const doubledNs = Math.min(2 * this.silentDelayNs, Math.max(retryDelayNs, SIGN_OF_LIFE_NS))
    this.silentDelayNs = nowNs - heardNs > SIGN_OF_LIFE_NS ? doubledNs : retryDelayNs
    this.toldNs = nowNs
    this.deadlineNs = nowNs + this.silentDelayNs
  }
}
