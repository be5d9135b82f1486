/** Which receivers of a network publication are there: those that sent a status message within the connection timeout. */

/** More are not counted: a peer that calls itself ever anew must not make the driver grow. */
const RECEIVERS_MAX = 1024

export class ReceiverLiveness {
  private readonly lastStatusNs = new Map<bigint, number>()

  get hasReceivers(): boolean {
    return this.lastStatusNs.size > 0
  }

  onStatusMessage(receiverId: bigint, nowNs: number): void {
    if (this.lastStatusNs.size < RECEIVERS_MAX || this.lastStatusNs.has(receiverId)) {
      this.lastStatusNs.set(receiverId, nowNs)
    }
  }

  /** The receiver left or rejected the stream. True when it was one. */
  onRemoteClose(receiverId: bigint): boolean {
    return this.lastStatusNs.delete(receiverId)
  }

  onIdle(nowNs: number, timeoutNs: number): void {
    for (const [receiverId, timeNs] of this.lastStatusNs) {
      if (nowNs - timeNs > timeoutNs) {
        this.lastStatusNs.delete(receiverId)
      }
    }
  }
}
