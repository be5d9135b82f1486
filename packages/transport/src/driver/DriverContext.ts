/** The world as the conductor sees it: shared structures, settings, and ports for time, randomness and files. */
import type { Clock } from "@millrace/core/kernel/agent/Clock"
import type { CountersManager } from "@millrace/core/kernel/counters/CountersManager"
import type { ManyToOneRingBuffer } from "@millrace/core/kernel/ringbuffer/ManyToOneRingBuffer"
import type { ClientProxy } from "../command/ClientProxy.ts"
import type { DriverSettings } from "./DriverSettings.ts"
import type { LogFactory } from "./LogFactory.ts"
import type { SystemCounters } from "./SystemCounters.ts"

export interface DriverContext {
  readonly settings: DriverSettings
  readonly clock: Clock
  /** A random whole number of 32 bits, signed. */
  readonly randomInt32: () => number
  readonly commands: ManyToOneRingBuffer
  readonly clientProxy: ClientProxy
  readonly counters: CountersManager
  readonly systemCounters: SystemCounters
  readonly logFactory: LogFactory
  /** Notes an error in the driver's error log. Must not throw. */
  readonly recordError: (error: unknown) => void
  /** Whether a client with this token may end the driver. */
  readonly isTerminationAllowed: (token: Uint8Array) => boolean
}
