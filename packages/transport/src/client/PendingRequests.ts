/**
 * Commands that the driver has not answered yet, by correlation id. Whoever waits hears of each once: it is answered,
 * refused or timed out. One that was given up stays here until it is answered, since what the driver made for it then
 * has to be removed; a driver that answers nothing at all is timed out itself, and ends the client.
 */
import type { RequestFailure } from "./ClientFailure.ts"

export interface PendingRequest {
  readonly kind: "publication" | "subscription" | "counter" | "staticCounter" | "sessionId" | "operation"
  readonly channel: string
  readonly streamId: number
  readonly onFailure: (failure: RequestFailure) => void
  /** What the answer is for; typed by its kind, since one map holds all. */
  readonly onSuccess: (value: never) => void
  /** Nobody waits any more: what the driver made is to be removed again. */
  isAbandoned: boolean
}

interface Entry {
  readonly request: PendingRequest
  readonly sentNs: number
}

const NS_PER_MS = 1e6

export class PendingRequests {
  private readonly timeoutNs: number
  private readonly entries = new Map<bigint, Entry>()

  constructor(timeoutNs: number) {
    this.timeoutNs = timeoutNs
  }

  add(correlationId: bigint, request: PendingRequest, nowNs: number): void {
    this.entries.set(correlationId, { request, sentNs: nowNs })
  }

  /** Undefined when the id is not of this client, or its kind is another. */
  take(correlationId: bigint, kind?: PendingRequest["kind"]): PendingRequest | undefined {
    const entry = this.entries.get(correlationId)
    if (entry === undefined || (kind !== undefined && entry.request.kind !== kind)) {
      return undefined
    }
    this.entries.delete(correlationId)
    return entry.request
  }

  checkTimeouts(nowNs: number): void {
    for (const { request, sentNs } of this.entries.values()) {
      if (!request.isAbandoned && nowNs - sentNs > this.timeoutNs) {
        request.isAbandoned = true
        request.onFailure({ _tag: "NoResponse", waitedMs: Math.round((nowNs - sentNs) / NS_PER_MS) })
      }
    }
  }

  failAll(failure: RequestFailure): void {
    const entries = Array.from(this.entries.values())
    this.entries.clear()
    for (const { request } of entries) {
      if (!request.isAbandoned) {
        request.onFailure(failure)
      }
    }
  }
}
