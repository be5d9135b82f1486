/** What a driver is started with: plain data, so that it can be posted to a worker. */
import type { NamingOptions } from "./nameResolver.ts"
import type { AgentAddress, OfAgents } from "./agentRing.ts"
import type { CncLengths } from "../command/CncDescriptor.ts"
import type { DriverSettings } from "../driver/DriverSettings.ts"
import type { LossPlan } from "../media/LossPlan.ts"
import type { DriverIdentity } from "../driver/SystemCounters.ts"

/** How the directory's room is looked at before a log is made. */
export interface StorageChecks {
  readonly isChecking: boolean
  /** With at most so much room left a warning is noted. */
  readonly warningThreshold: number
}

export interface DriverStart {
  readonly directory: string
  readonly cncLengths: CncLengths
  /** Blocks taken at start: the whole CnC file, or its rings and the first counters and errors alone. */
  readonly reserveWholeCnc: boolean
  readonly settings: DriverSettings
  /** How old the heartbeat of another driver in the directory must be before it counts as dead. */
  readonly driverTimeoutMs: number
  readonly deleteDirectoryOnStart: boolean
  readonly deleteDirectoryOnShutdown: boolean
  /** A line on standard error when the directory is there already. */
  readonly warnIfDirectoryExists: boolean
  readonly isTerminationAllowed: boolean
  /** What a client must send to end the driver; empty = anything. */
  readonly terminationToken: string
  readonly lossReportLength: number
  readonly countersFreeToReuseTimeoutMs: number
  readonly storage: StorageChecks
  /** Loss on purpose, for tests. */
  readonly loss: LossPlan
  readonly identity: DriverIdentity
  /** Who resolves names. */
  readonly naming: NamingOptions
  /** Undefined = what this platform has. */
  readonly media: "native" | "portable" | "none" | undefined
  /** Where every datagram is appended; it is there already. */
  readonly captureFile?: string | undefined
  /** Where the agents call each other; undefined = they run on one thread. */
  readonly addresses?: OfAgents<AgentAddress> | undefined
}

/** Thrown when the directory belongs to a driver that is alive. It crosses a worker's border as plain fields. */
export class DriverActiveError extends Error {
  readonly _tag = "DriverActive"
  readonly directory: string
  readonly pid: number
  readonly heartbeatAgeMs: number
  readonly timeoutMs: number

  constructor(directory: string, pid: number, heartbeatAgeMs: number, timeoutMs: number) {
    super(`a media driver with pid ${pid} is active in ${directory}`)
    this.directory = directory
    this.pid = pid
    this.heartbeatAgeMs = heartbeatAgeMs
    this.timeoutMs = timeoutMs
  }
}
