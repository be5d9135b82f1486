/**
 * How far a network publication may send, decided from the status messages of its receivers. One strategy a
 * publication; limits never go back.
 */

/** A status message, as strategies need it. */
export interface ReceiverStatus {
  /** Where the receiver stands in the stream. */
  readonly position: number
  readonly windowLength: number
  readonly receiverId: bigint
  readonly groupTag: bigint | undefined
  readonly isEndOfStream: boolean
}

export interface FlowControl {
  /** Returns the new limit. */
  onStatusMessage(status: ReceiverStatus, senderLimit: number, nowNs: number): number
  /** A receiver asked for a SETUP. */
  onTriggerSetup(status: ReceiverStatus, nowNs: number): void
  onSetup(senderLimit: number, nowNs: number): void
  /** A receiver rejected the stream. */
  onError(receiverId: bigint, groupTag: bigint | undefined): void
  /** There was nothing to send. Returns the new limit. */
  onIdle(nowNs: number, senderLimit: number): number
  readonly hasRequiredReceivers: boolean
  /** How much of a NAK of `length` bytes is sent again. */
  maxRetransmissionLength(termOffset: number, length: number, termLength: number): number
  close(): void
}

const INITIAL_WINDOW_LENGTH = 128 * 1024

/** At most a few windows, and never beyond the end of the term. */
export const retransmissionLength = (
  termOffset: number,
  length: number,
  termLength: number,
  windowMultiple: number
): number => Math.min(termLength - termOffset, Math.min(INITIAL_WINDOW_LENGTH, termLength / 2) * windowMultiple, length)
