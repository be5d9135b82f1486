/**
 * How much a publication may send again: so many bytes a second, and a tenth of that at once. A NAK has 28 bytes and is
 * answered with megabytes, so whoever can send NAKs could fill the network in the publication's name.
 */
const BURST_SHARE = 0.1
const NS_PER_SECOND = 1e9
const FRAME_ALIGNMENT = 32

export class RetransmitBudget {
  private readonly bytesPerSecond: number
  private readonly datagramLength: number
  private readonly burst: number
  private bytes: number
  private timeOfRefillNs: number

  /** `bytesPerSecond` 0 = no limit. Less than a datagram is not worth a retransmit. */
  constructor(bytesPerSecond: number, datagramLength: number, nowNs: number) {
    this.bytesPerSecond = bytesPerSecond
    this.datagramLength = datagramLength
    this.burst = Math.max(bytesPerSecond * BURST_SHARE, datagramLength)
    this.bytes = this.burst
    this.timeOfRefillNs = nowNs
  }

  /** How much of `length` may be sent now; 0 = nothing. */
  take(length: number, nowNs: number): number {
    if (this.bytesPerSecond === 0) {
      return length
    }
    this.refill(nowNs)
    if (this.bytes < Math.min(length, this.datagramLength)) {
      return 0
    }
    const granted = Math.min(length, Math.floor(this.bytes / FRAME_ALIGNMENT) * FRAME_ALIGNMENT)
    this.bytes -= granted
    return granted
  }

  private refill(nowNs: number): void {
    const refilled = this.bytes + ((nowNs - this.timeOfRefillNs) * this.bytesPerSecond) / NS_PER_SECOND
    this.bytes = Math.min(this.burst, refilled)
    this.timeOfRefillNs = nowNs
  }
}
