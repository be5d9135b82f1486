/**
 * A group in which the slowest receiver sets the pace. With a group tag only receivers that carry it count.
 *
 * A receiver leaves by its end-of-stream flag, by rejecting the stream, or by silence. A newcomer counts when it is not
 * further behind than a window: one that is would hold up everybody. With fewer members than `groupMinSize` the
 * publication is not connected.
 */
import { type FlowControl, type ReceiverStatus, retransmissionLength } from "./FlowControl.ts"

export interface MinFlowControlOptions {
  readonly receiverTimeoutNs: number
  readonly groupMinSize: number
  /** Undefined = every receiver is a member. */
  readonly groupTag: bigint | undefined
  readonly windowMultiple: number
  /** Told the number of members when it changes. */
  readonly onCount: (count: number) => void
  readonly onClose: () => void
}

interface Member {
  readonly receiverId: bigint
  limit: number
  timeOfLastStatusNs: number
  isLeaving: boolean
}

/** For how long after a SETUP that a member asked for the limit of that moment is kept. */
const SETUP_HOLD_NS = 200_000_000

export class MinFlowControl implements FlowControl {
  private readonly options: MinFlowControlOptions
  private members: Array<Member> = []
  private isSetupTriggered = false
  private setupLimit: number | undefined = undefined
  private timeOfSetupNs = 0

  constructor(options: MinFlowControlOptions) {
    this.options = options
  }

  get hasRequiredReceivers(): boolean {
    return this.members.length >= this.options.groupMinSize
  }

  onStatusMessage(status: ReceiverStatus, senderLimit: number, nowNs: number): number {
    const limit = status.position + status.windowLength
    if (this.isMember(status.groupTag)) {
      this.track(status, limit, nowNs)
    }
    if (!this.hasRequiredReceivers) {
      return senderLimit
    }
    return Math.max(senderLimit, this.members.length === 0 ? limit : this.slowest(nowNs))
  }

  onTriggerSetup(status: ReceiverStatus): void {
    this.isSetupTriggered ||= this.isMember(status.groupTag)
  }

  /** Members that are about to join again must not be outrun between the SETUP and their first status message. */
  onSetup(senderLimit: number, nowNs: number): void {
    if (this.isSetupTriggered && this.members.length > 0) {
      this.timeOfSetupNs = nowNs
      this.setupLimit = senderLimit
    }
    this.isSetupTriggered = false
  }

  onError(receiverId: bigint, groupTag: bigint | undefined): void {
    const member = this.members.find((candidate) => candidate.receiverId === receiverId)
    if (member !== undefined && this.isMember(groupTag)) {
      member.isLeaving = true
    }
  }

  onIdle(nowNs: number, senderLimit: number): number {
    const staying = this.members.filter(
      (member) => !member.isLeaving && nowNs - member.timeOfLastStatusNs <= this.options.receiverTimeoutNs
    )
    if (staying.length !== this.members.length) {
      this.members = staying
      this.options.onCount(staying.length)
    }
    // A window that shrinks takes nothing back of what its receiver has allowed.
    const isHeld = this.members.length === 0 || !this.hasRequiredReceivers
    return isHeld ? senderLimit : Math.max(senderLimit, this.slowest(nowNs))
  }

  maxRetransmissionLength(termOffset: number, length: number, termLength: number): number {
    return retransmissionLength(termOffset, length, termLength, this.options.windowMultiple)
  }

  close(): void {
    this.options.onClose()
  }

  private isMember(groupTag: bigint | undefined): boolean {
    return this.options.groupTag === undefined || this.options.groupTag === groupTag
  }

  private track(status: ReceiverStatus, limit: number, nowNs: number): void {
    const member = this.members.find(({ receiverId }) => receiverId === status.receiverId)
    if (member !== undefined) {
      member.isLeaving = status.isEndOfStream
      member.limit = limit
      member.timeOfLastStatusNs = nowNs
    } else if (
      !status.isEndOfStream &&
      (this.members.length === 0 || limit >= this.slowest(nowNs) - status.windowLength)
    ) {
      this.members.push({ receiverId: status.receiverId, limit, timeOfLastStatusNs: nowNs, isLeaving: false })
      this.setupLimit = undefined
      this.options.onCount(this.members.length)
    }
  }

  private slowest(nowNs: number): number {
    const isHeld = this.setupLimit !== undefined && nowNs - this.timeOfSetupNs < SETUP_HOLD_NS
    let slowest = isHeld ? this.setupLimit! : Infinity
    for (const member of this.members) {
      slowest = Math.min(slowest, member.limit)
    }
    return slowest
  }
}
