/**
 * Answers NAKs by sending again, once for a range within its linger time, however many ask for it.
 *
 * With one receiver there is one range at a time, and a NAK for another replaces it. A group has a bounded pool of
 * ranges; a NAK that finds it full is dropped and counted.
 */
export type Resend = (termId: number, termOffset: number, length: number) => void

interface Retransmit {
  readonly termId: number
  readonly termOffset: number
  readonly length: number
  readonly expiryNs: number
}

const covers = (retransmit: Retransmit, termId: number, termOffset: number): boolean =>
  retransmit.termId === termId &&
  termOffset >= retransmit.termOffset &&
  termOffset < retransmit.termOffset + retransmit.length

export class RetransmitHandler {
  private readonly lingerNs: number
  private readonly countMax: number
  private readonly isGroup: boolean
  private readonly resend: Resend
  private readonly onOverflow: () => void
  private lingering: Array<Retransmit> = []

  constructor(options: {
    readonly lingerNs: number
    readonly isGroup: boolean
    readonly maxResend: number
    readonly resend: Resend
    readonly onOverflow: () => void
  }) {
    this.lingerNs = options.lingerNs
    this.isGroup = options.isGroup
    this.countMax = options.isGroup ? options.maxResend : 1
    this.resend = options.resend
    this.onOverflow = options.onOverflow
  }

  /** `length` is what may be sent of the range that was asked for. */
  onNak(termId: number, termOffset: number, length: number, nowNs: number): void {
    if (length === 0 || this.lingering.some((retransmit) => covers(retransmit, termId, termOffset))) {
      return
    }
    if (this.lingering.length >= this.countMax) {
      if (this.isGroup) {
        this.onOverflow()
        return
      }
      this.lingering.length = 0
    }
    this.resend(termId, termOffset, length)
    this.lingering.push({ termId, termOffset, length, expiryNs: nowNs + this.lingerNs })
  }

  processTimeouts(nowNs: number): void {
    if (this.lingering.length > 0 && this.lingering.some(({ expiryNs }) => nowNs > expiryNs)) {
      this.lingering = this.lingering.filter(({ expiryNs }) => nowNs <= expiryNs)
    }
  }
}
