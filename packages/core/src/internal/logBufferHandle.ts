/** A log as its users hold it: the kernels over one view of it, and its keeper where it was made. */
import * as Effect from "effect/Effect"
import type { CoreErrorReason } from "../CoreError.ts"
import { CoreError, LivenessLost } from "../CoreError.ts"
import type { LogBuffer } from "../LogBuffer.ts"
import * as LogBufferDescriptor from "../logbuffer/LogBufferDescriptor.ts"
import type { LogBuffers } from "../logbuffer/LogBuffers.ts"
import type { LogKeeper } from "../logbuffer/LogKeeper.ts"
import { LogPublisher } from "../logbuffer/LogPublisher.ts"
import { KEEPER_HEARTBEAT_OFFSET } from "../logbuffer/SharingDescriptor.ts"
import * as Int64 from "../memory/Int64.ts"
import { systemClock } from "./systemClock.ts"

const NS_PER_MS = 1_000_000

/** The monotonic clock of the machine, the same in every process. */
export const nowMs = (): number => Math.floor(systemClock.nanoTime() / NS_PER_MS)

export class LogBufferHandle implements LogBuffer {
  readonly name: string
  readonly termLength: number
  readonly mtuLength: number
  readonly initialTermId: number
  readonly sessionId: number
  readonly streamId: number
  readonly maxMessageLength: number
  readonly maxPayloadLength: number
  readonly log: LogBuffers
  readonly livenessTimeoutMs: number
  private readonly keeper: LogKeeper | undefined
  private lazyPublisher: LogPublisher | undefined = undefined

  constructor(log: LogBuffers, livenessTimeoutMs: number, keeper?: LogKeeper) {
    this.name = log.region.state.name
    this.termLength = log.termLength
    this.mtuLength = log.mtuLength
    this.initialTermId = log.initialTermId
    this.sessionId = log.sessionId
    this.streamId = log.streamId
    this.maxMessageLength = LogBufferDescriptor.maxMessageLength(log.termLength)
    this.maxPayloadLength = LogBufferDescriptor.maxPayloadLength(log.mtuLength)
    this.log = log
    this.livenessTimeoutMs = livenessTimeoutMs
    this.keeper = keeper
  }

  /** Made with the first offer: whoever only reads an exclusive log does not become its writer. */
  get publisher(): LogPublisher {
    this.lazyPublisher ??= new LogPublisher(this.log)
    return this.lazyPublisher
  }

  /** Does the keeper's work at once, where this is its thread: nobody waits for the next tick of what is at hand. */
  tend(): void {
    this.keeper?.doWork(systemClock.nanoTime())
  }

  /** Undefined while the keeper works, or is this thread's own. */
  ownerLoss(): CoreErrorReason | undefined {
    if (this.keeper !== undefined) {
      return undefined
    }
    const heartbeatMs = Int64.loadMonotonic(this.log.metadata, KEEPER_HEARTBEAT_OFFSET)
    return nowMs() - heartbeatMs > this.livenessTimeoutMs
      ? new LivenessLost({ resource: this.name, role: "owner", timeoutMs: this.livenessTimeoutMs })
      : undefined
  }
}

export const handleOf = (self: LogBuffer): LogBufferHandle => self as LogBufferHandle

export const fail = (reason: CoreErrorReason): Effect.Effect<never, CoreError> => Effect.fail(new CoreError({ reason }))
