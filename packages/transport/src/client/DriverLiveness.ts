/**
 * How long the driver has given no sign of life. Its heartbeat is wall-clock time, but only that it changes counts: the
 * silence is measured by time that passes, so that nobody who sets a clock ends a client, or keeps it with a dead driver.
 */
export class DriverLiveness {
  private lastHeartbeatMs: number
  private timeOfLastHeartbeatNs: number

  constructor(heartbeatMs: number, nowNs: number) {
    this.lastHeartbeatMs = heartbeatMs
    this.timeOfLastHeartbeatNs = nowNs
  }

  /** Looks at the heartbeat, and returns for how long it has not changed. */
  silenceNs(heartbeatMs: number, nowNs: number): number {
    if (heartbeatMs !== this.lastHeartbeatMs) {
      this.lastHeartbeatMs = heartbeatMs
      this.timeOfLastHeartbeatNs = nowNs
    }
    return nowNs - this.timeOfLastHeartbeatNs
  }
}
