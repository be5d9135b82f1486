/**
 * Sources that were asked for a SETUP: each session of a stream once a second, and no more of them at one time than the
 * limit. What an endpoint's dispatcher remembers of a session may be forgotten when there are too many; this is not, so
 * that whoever sends from ever new sessions is not answered more often.
 */
import type { ReceiveEndpoint } from "../media/ReceiveEndpoint.ts"

export interface PendingSetup {
  readonly endpoint: ReceiveEndpoint
  readonly sessionId: number
  readonly streamId: number
  readonly sinceNs: number
}

/** A source that does not answer may be asked again after this time. */
const TIMEOUT_NS = 1e9
export const PENDING_SETUPS_MAX = 1024

const keyOf = ({ endpoint, sessionId, streamId }: PendingSetup): string => `${endpoint.id} ${streamId} ${sessionId}`

export class PendingSetups {
  /** In the order in which they were asked. */
  private readonly pending = new Map<string, PendingSetup>()

  /** False when it was asked already, or when too many are. */
  add(setup: PendingSetup): boolean {
    const key = keyOf(setup)
    if (this.pending.size >= PENDING_SETUPS_MAX || this.pending.has(key)) {
      return false
    }
    this.pending.set(key, setup)
    return true
  }

  removeEndpoint(endpoint: ReceiveEndpoint): void {
    for (const [key, setup] of this.pending) {
      if (setup.endpoint === endpoint) {
        this.pending.delete(key)
      }
    }
  }

  /** Forgets those whose time is over, each after a call. */
  removeOld(nowNs: number, onOver: (setup: PendingSetup) => void): void {
    for (const [key, setup] of this.pending) {
      if (nowNs - setup.sinceNs <= TIMEOUT_NS) {
        return
      }
      this.pending.delete(key)
      onOver(setup)
    }
  }
}
