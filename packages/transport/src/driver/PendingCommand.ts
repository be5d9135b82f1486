/**
 * A command that cannot be answered in the tick that read it: it waits for a file or a name. While one is pending no
 * further command is read, so the driver answers in the order in which it was asked.
 */
export interface PendingCommand {
  readonly correlationId: bigint
  /** True when it is answered. Throws what `ControlProtocolError` and its like say. */
  advance(nowNs: number): boolean
  /** It will never be answered: what it waits for is given up. */
  abandon(): void
}
