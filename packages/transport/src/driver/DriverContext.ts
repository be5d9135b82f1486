/** The world as the conductor sees it: shared structures, settings, and ports for time, randomness and files. */
import type { Clock } from "@millrace/core/kernel/agent/Clock"
import type { CountersManager } from "@millrace/core/kernel/counters/CountersManager"
import type { ManyToOneRingBuffer } from "@millrace/core/kernel/ringbuffer/ManyToOneRingBuffer"
import type { LossReport } from "@millrace/core/kernel/lossreport/LossReport"
import type { LocalInterface } from "../channel/InterfaceSearch.ts"
import type { ClientProxy } from "../command/ClientProxy.ts"
import type { UdpPort } from "../media/UdpPort.ts"
import type { NameResolver } from "../naming/NameResolver.ts"
import type { ConductorCommands } from "./ConductorCommands.ts"
import type { DriverSettings } from "./DriverSettings.ts"
import type { LogFactory } from "./LogFactory.ts"
import type { ReceiverCommands } from "./ReceiverCommands.ts"
import type { SenderCommands } from "./SenderCommands.ts"
import type { SystemLengths } from "./SocketBuffers.ts"
import type { SystemCounters } from "./SystemCounters.ts"

/** The ports of a driver that speaks UDP. */
export interface DriverNetwork {
  readonly udp: UdpPort
  readonly resolver: NameResolver
  /** The addresses of this machine, as they are now. */
  readonly interfaces: () => ReadonlyArray<LocalInterface>
  readonly lossReport: LossReport
  /** The sender and the receiver, where they run on threads of their own. */
  readonly remote?: RemoteAgents | undefined
}

/** Agents of other threads: what they are told is put into rings, and what they say is read from one. */
export interface RemoteAgents {
  readonly sender: SenderCommands
  readonly receiver: ReceiverCommands
  /** Hands on what they said, and sends what a ring had no room for. Returns how much that was. */
  poll(conductor: ConductorCommands): number
}

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
  /** Undefined = a driver of IPC alone. */
  readonly network: DriverNetwork | undefined
  /** What the system has for sockets, as logs tell it. */
  readonly socketBuffers: SystemLengths
  /** Notes an error in the driver's error log. Must not throw. */
  readonly recordError: (error: unknown) => void
  /** Whether a client with this token may end the driver. */
  readonly isTerminationAllowed: (token: Uint8Array) => boolean
}
