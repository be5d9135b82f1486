/** One receiver: the sender may go to the end of the window that it last told. */
import { type FlowControl, type ReceiverStatus, retransmissionLength } from "./FlowControl.ts"

const RETRANSMIT_WINDOW_MULTIPLE = 16

export class UnicastFlowControl implements FlowControl {
  readonly hasRequiredReceivers = true
  private readonly windowMultiple: number

  constructor(windowMultiple: number = RETRANSMIT_WINDOW_MULTIPLE) {
    this.windowMultiple = windowMultiple
  }

  onStatusMessage(status: ReceiverStatus, senderLimit: number): number {
    return Math.max(senderLimit, status.position + status.windowLength)
  }

  onTriggerSetup(): void {}

  onSetup(): void {}

  onError(): void {}

  onIdle(_nowNs: number, senderLimit: number): number {
    return senderLimit
  }

  maxRetransmissionLength(termOffset: number, length: number, termLength: number): number {
    return retransmissionLength(termOffset, length, termLength, this.windowMultiple)
  }

  close(): void {}
}
