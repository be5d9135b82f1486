/** Session ids in use, and the next free one: from a random start upwards, around a reserved range. */

export const IPC_MEDIA = "ipc"

export interface SessionIdRange {
  readonly reservedLow: number
  readonly reservedHigh: number
}

const keyOf = (sessionId: number, streamId: number, channel: string): string => `${sessionId} ${streamId} ${channel}`

export class SessionIds {
  private readonly range: SessionIdRange
  private readonly active = new Set<string>()
  private next: number

  constructor(start: number, range: SessionIdRange) {
    this.next = start
    this.range = range
  }

  /** `channel` is the canonical form of the channel, or `IPC_MEDIA`. */
  isActive(sessionId: number, streamId: number, channel: string): boolean {
    return this.active.has(keyOf(sessionId, streamId, channel))
  }

  add(sessionId: number, streamId: number, channel: string): void {
    this.active.add(keyOf(sessionId, streamId, channel))
  }

  remove(sessionId: number, streamId: number, channel: string): void {
    this.active.delete(keyOf(sessionId, streamId, channel))
  }

  nextFor(streamId: number, channel: string): number {
    for (;;) {
      const sessionId = this.advance()
      if (!this.isActive(sessionId, streamId, channel)) {
        return sessionId
      }
    }
  }

  /** One that no channel uses for this stream. */
  nextForAnyChannel(streamId: number): number {
    for (;;) {
      const sessionId = this.advance()
      const prefix = keyOf(sessionId, streamId, "")
      if (!Array.from(this.active).some((key) => key.startsWith(prefix))) {
        return sessionId
      }
    }
  }

  private advance(): number {
    if (this.next >= this.range.reservedLow && this.next <= this.range.reservedHigh) {
      this.next = (this.range.reservedHigh + 1) | 0
    }
    const sessionId = this.next
    this.next = (this.next + 1) | 0
    return sessionId
  }
}
