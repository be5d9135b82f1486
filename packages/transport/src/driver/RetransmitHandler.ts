/**
 * Answers NAKs by sending again, after a delay if there is one, once for a range within its linger time, however many
 * ask for it, and no more than the budget allows.
 *
 *     NAK ──► Delayed ──► sent again, Lingering ──► forgotten
 *
 * With one receiver there is one range at a time, and a NAK for another replaces it. A group has a bounded pool of
 * ranges; a NAK that finds it full is dropped and counted.
 */
import type { RetransmitBudget } from "./RetransmitBudget.ts"

export type Resend = (termId: number, termOffset: number, length: number) => void

interface Retransmit {
  readonly termId: number
  readonly termOffset: number
  readonly length: number
  readonly isDelayed: boolean
  readonly expiryNs: number
}

const covers = (retransmit: Retransmit, termId: number, termOffset: number): boolean =>
  retransmit.termId === termId &&
  termOffset >= retransmit.termOffset &&
  termOffset < retransmit.termOffset + retransmit.length

export interface RetransmitOptions {
  readonly delayNs: number
  readonly lingerNs: number
  readonly isGroup: boolean
  readonly maxResend: number
  readonly budget: RetransmitBudget
  readonly resend: Resend
  /** A NAK is not answered: there are too many ranges under way, or the budget is spent. */
  readonly onOverflow: () => void
}

export class RetransmitHandler {
  private readonly options: RetransmitOptions
  private readonly countMax: number
  private retransmits: Array<Retransmit> = []

  constructor(options: RetransmitOptions) {
    this.options = options
    this.countMax = options.isGroup ? options.maxResend : 1
  }

  /** `length` is what may be sent of the range that was asked for. */
  onNak(termId: number, termOffset: number, length: number, nowNs: number): void {
    const { delayNs, isGroup, onOverflow } = this.options
    if (length === 0 || this.retransmits.some((retransmit) => covers(retransmit, termId, termOffset))) {
      return
    }
    if (this.retransmits.length >= this.countMax) {
      if (isGroup) {
        onOverflow()
        return
      }
      this.retransmits.length = 0
    }
    const asked = { termId, termOffset, length, isDelayed: true, expiryNs: nowNs + delayNs }
    const retransmit = delayNs === 0 ? this.resend(asked, nowNs) : asked
    if (retransmit !== undefined) {
      this.retransmits.push(retransmit)
    }
  }

  processTimeouts(nowNs: number): void {
    if (this.retransmits.some(({ expiryNs }) => nowNs > expiryNs)) {
      this.retransmits = this.retransmits.flatMap((retransmit) => this.advance(retransmit, nowNs) ?? [])
    }
  }

  private advance(retransmit: Retransmit, nowNs: number): Retransmit | undefined {
    if (nowNs <= retransmit.expiryNs) {
      return retransmit
    }
    return retransmit.isDelayed ? this.resend(retransmit, nowNs) : undefined
  }

  /** What lingers from now on; undefined when nothing was sent, so that the next NAK may be answered. */
  private resend(asked: Retransmit, nowNs: number): Retransmit | undefined {
    const { budget, lingerNs, onOverflow, resend } = this.options
    const length = budget.take(asked.length, nowNs)
    if (length === 0) {
      onOverflow()
      return undefined
    }
    resend(asked.termId, asked.termOffset, length)
    return { ...asked, length, isDelayed: false, expiryNs: nowNs + lingerNs }
  }
}
