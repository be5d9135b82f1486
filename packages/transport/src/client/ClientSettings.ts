/** What the client's conductor is told once. */
export interface ClientSettings {
  /** How old the driver's heartbeat may be, and how long an answer may take. */
  readonly driverTimeoutNs: number
  /** How often this client shows that it lives. */
  readonly keepaliveIntervalNs: number
  /** How long an unused log stays mapped. */
  readonly resourceLingerNs: number
  /** The driver's client liveness timeout, from the CnC file: this conductor must run more often. */
  readonly interServiceTimeoutNs: number
  /** Shown in the heartbeat counter's label; empty = not shown. */
  readonly clientName: string
}
