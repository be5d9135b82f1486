/**
 * A client of this driver. It shows that it lives by writing the time into its heartbeat counter; a client that closes
 * says so, which counts as the oldest heartbeat there is. Everything it owns ends with it.
 *
 * The heartbeat is wall-clock time, as in Aeron, but only that it changes says that the client lives: how long it did not
 * is measured by time that passes. So nobody who sets a clock ends a client, or keeps one that is dead.
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
  private readonly livenessTimeoutNs: number
  private readonly listener: ClientLivenessListener
  private isClosedByCommand = false
  private lastHeartbeat: number
  private timeOfLastHeartbeatNs: number

  constructor(
    clientId: bigint,
    heartbeat: PositionCounter,
    livenessTimeoutNs: number,
    listener: ClientLivenessListener,
    nowNs: number
  ) {
    this.clientId = clientId
    this.heartbeat = heartbeat
    this.livenessTimeoutNs = livenessTimeoutNs
    this.listener = listener
    this.lastHeartbeat = heartbeat.get()
    this.timeOfLastHeartbeatNs = nowNs
  }

  onTimeEvent(nowNs: number): void {
    const heartbeat = this.heartbeat.get()
    if (heartbeat !== this.lastHeartbeat) {
      this.lastHeartbeat = heartbeat
      this.timeOfLastHeartbeatNs = nowNs
    }
    if (this.isClosedByCommand || nowNs - this.timeOfLastHeartbeatNs > this.livenessTimeoutNs) {
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
