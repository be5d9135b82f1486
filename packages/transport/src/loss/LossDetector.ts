/**
 * Watches for the first gap of an image. One gap is active at a time: when it was there for the feedback delay it is
 * told, and told again after each retry delay until it is filled.
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

  constructor(log: LogBuffers, delay: FeedbackDelay, onGap: GapHandler) {
    this.log = log
    this.delay = delay
    this.onGap = onGap
  }

  /** Scans from `rebuildPosition`; returns the position up to which the stream is whole, at most the end of the term. */
  scan(rebuildPosition: number, hwmPosition: number, nowNs: number): number {
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
        this.isLossFound = true
      }
      if (nowNs >= this.deadlineNs) {
        const termId = LogBufferDescriptor.computeTermId(gapPosition, termLength, initialTermId)
        this.onGap(termId, this.gap.offset, this.gap.length)
        this.deadlineNs = nowNs + this.delay.retryDelayNs()
      }
    }
    return termBegin + rebuildOffset
  }
}
