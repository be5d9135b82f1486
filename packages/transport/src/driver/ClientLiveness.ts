/**
 * A client of this driver. It shows that it lives by writing the time into its heartbeat counter; a client that closes
 * says so, which counts as the oldest heartbeat there is. Everything it owns ends with it.
 *
 * The heartbeat is wall-clock time, as in Aeron: a jump of the clock by more than the liveness timeout ends clients.
 */
import type { PositionCounter } from "./PositionCounter.ts"
import type { ManagedResource } from "./ManagedResource.ts"

export interface ClientLivenessListener {
  onClientTimeout(client: ClientLiveness): void
  /** After a timeout or a close: the heartbeat counter goes away. */
  onClientEnd(client: ClientLiveness): void
}

export class ClientLiveness implements ManagedResource {
  readonly clientId: bigint
  readonly heartbeat: PositionCounter
  hasReachedEndOfLife = false
  private readonly livenessTimeoutMs: number
  private readonly listener: ClientLivenessListener
  private isClosedByCommand = false

  constructor(
    clientId: bigint,
    heartbeat: PositionCounter,
    livenessTimeoutNs: number,
    listener: ClientLivenessListener
  ) {
    this.clientId = clientId
    this.heartbeat = heartbeat
    this.livenessTimeoutMs = Math.max(1, Math.floor(livenessTimeoutNs / 1e6))
    this.listener = listener
  }

  onTimeEvent(_nowNs: number, nowMs: number): void {
    if (nowMs > this.heartbeat.get() + this.livenessTimeoutMs) {
      this.hasReachedEndOfLife = true
      if (!this.isClosedByCommand) {
        this.listener.onClientTimeout(this)
      }
      this.listener.onClientEnd(this)
    }
  }

  /** CLIENT_KEEPALIVE, which clients of today do not send. */
  onKeepalive(nowMs: number): void {
    this.heartbeat.set(nowMs)
  }

  onClosedByCommand(): void {
    this.isClosedByCommand = true
    this.heartbeat.set(0)
  }

  close(): void {
    this.heartbeat.close()
  }
}
