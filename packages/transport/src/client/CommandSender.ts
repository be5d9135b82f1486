/**
 * How commands go to the driver: those that somebody waits for, each answered once, and those that have to be sent some
 * time.
 */
import type { Clock } from "@millrace/core/kernel/agent/Clock"
import { type DriverProxy, FULL } from "../command/DriverProxy.ts"
import type { RequestFailure } from "./ClientFailure.ts"
import { type PendingRequest, PendingRequests } from "./PendingRequests.ts"

/** Where the answer to a request goes. Exactly one of the two is called, once, unless the request is cancelled. */
export interface RequestHandlers<A> {
  readonly onSuccess: (value: A) => void
  readonly onFailure: (failure: RequestFailure) => void
}

/** Nobody waits for the request any more. */
export type Cancel = () => void

const noCancel: Cancel = () => {}

export class CommandSender {
  readonly driver: DriverProxy
  private readonly clock: Clock
  private readonly pending: PendingRequests
  /** Commands that did not fit in the ring and nobody waits for: they are sent when there is room. */
  private readonly unsent: Array<() => bigint> = []
  private end: RequestFailure | undefined = undefined
  private requestCount = 0

  constructor(driver: DriverProxy, timeoutNs: number, clock: Clock) {
    this.driver = driver
    this.clock = clock
    this.pending = new PendingRequests(timeoutNs)
  }

  /** Why no request can be sent, or undefined while one can. */
  get inactive(): RequestFailure | undefined {
    return this.end
  }

  request<A>(
    kind: PendingRequest["kind"],
    send: () => bigint,
    handlers: RequestHandlers<A>,
    channel = "",
    streamId = 0
  ): Cancel {
    if (this.end !== undefined) {
      handlers.onFailure(this.end)
      return noCancel
    }
    const correlationId = send()
    if (correlationId === FULL) {
      handlers.onFailure({ _tag: "CommandsFull" })
      return noCancel
    }
    const request: PendingRequest = { kind, channel, streamId, ...handlers, isAbandoned: false }
    this.pending.add(correlationId, request, this.clock.nanoTime())
    this.requestCount++
    return () => {
      request.isAbandoned = true
    }
  }

  /** How many requests were sent since this was asked last. */
  takeRequestCount(): number {
    const count = this.requestCount
    this.requestCount = 0
    return count
  }

  /** Undefined when the answer is for another client, or of another kind than its request. */
  take(correlationId: bigint, kind?: PendingRequest["kind"]): PendingRequest | undefined {
    return this.pending.take(correlationId, kind)
  }

  sendEventually(send: () => bigint): void {
    if (this.end === undefined && send() === FULL) {
      this.unsent.push(send)
    }
  }

  checkTimeouts(nowNs: number): void {
    this.pending.checkTimeouts(nowNs)
    for (const send of this.unsent.splice(0)) {
      this.sendEventually(send)
    }
  }

  /** Nothing is sent from now on, and everyone who waits is told why. */
  close(end: RequestFailure): void {
    this.end = end
    this.unsent.length = 0
    this.pending.failAll(end)
  }
}
