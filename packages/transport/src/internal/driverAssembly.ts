/** The driver's agents over its shared structures, wherever these lie and whatever the world around them is. */
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import type { Clock } from "@millrace/core/kernel/agent/Clock"
import { BroadcastTransmitter } from "@millrace/core/kernel/broadcast/BroadcastTransmitter"
import { CountersManager } from "@millrace/core/kernel/counters/CountersManager"
import { DistinctErrorLog } from "@millrace/core/kernel/errorlog/DistinctErrorLog"
import * as LossReport from "@millrace/core/kernel/lossreport/LossReport"
import type { Region } from "@millrace/core/kernel/memory/Region"
import { ManyToOneRingBuffer } from "@millrace/core/kernel/ringbuffer/ManyToOneRingBuffer"
import { ClientProxy } from "../command/ClientProxy.ts"
import * as CncDescriptor from "../command/CncDescriptor.ts"
import * as CommandType from "../command/CommandType.ts"
import * as Driver from "../driver/Driver.ts"
import type { DriverContext, DriverNetwork } from "../driver/DriverContext.ts"
import type { LogFactory } from "../driver/LogFactory.ts"
import * as SocketBuffers from "../driver/SocketBuffers.ts"
import * as SystemCounters from "../driver/SystemCounters.ts"
import type { DriverStart } from "./driverStart.ts"
import type { UdpFaults } from "./udpFaults.ts"

/** The memory of a driver: the regions of its CnC file and its loss report. */
export interface DriverMemory {
  readonly cnc: Region
  readonly lossReport: Region
}

/** The world of a driver. */
export interface DriverWorld {
  readonly clock: Clock
  readonly pid: number
  readonly randomInt32: () => number
  readonly logFactory: (recordError: DriverContext["recordError"]) => LogFactory
  readonly network: (
    lossReport: LossReport.LossReport,
    faults: UdpFaults,
    systemCounters: SystemCounters.SystemCounters
  ) => DriverNetwork | undefined
}

/** Major, minor and patch in a byte each, as the counter of the software's version holds them. */
const semanticVersion = (version: string): number =>
  version.split(".").reduce((composed, part) => composed * 256 + Number.parseInt(part, 10), 0)

/** Clients find the driver when it has started. */
export const assemble = (start: DriverStart, memory: DriverMemory, world: DriverWorld): Agent => {
  const buffers = CncDescriptor.buffers(memory.cnc.buffer(), start.cncLengths)
  const driver = Driver.make(contextOf(start, memory, buffers, world))
  return {
    roleName: "driver",
    onStart: (nowNs) => {
      driver.onStart?.(nowNs)
      CncDescriptor.signalReadyRelease(buffers.header)
    },
    doWork: (nowNs) => driver.doWork(nowNs),
    descriptors: () => driver.descriptors?.() ?? NONE,
    onClose: () => driver.onClose?.()
  }
}

const NONE: ReadonlyArray<number> = []

/** Tokens are compared in a time that says nothing of how much of them is right. */
const terminationValidator = ({ isTerminationAllowed, terminationToken }: DriverStart) => {
  const expected = new TextEncoder().encode(terminationToken)
  return (token: Uint8Array): boolean => {
    let difference = token.length ^ expected.length
    for (const [index, byte] of expected.entries()) {
      difference |= byte ^ (token[index] ?? 0)
    }
    return isTerminationAllowed && (expected.length === 0 || difference === 0)
  }
}

const contextOf = (
  start: DriverStart,
  memory: DriverMemory,
  buffers: CncDescriptor.CncBuffers,
  world: DriverWorld
): DriverContext => {
  const { cncLengths, identity, settings } = start
  const { clock } = world
  CncDescriptor.encode(buffers.header, {
    ...cncLengths,
    clientLivenessTimeoutNs: settings.clientLivenessTimeoutNs,
    startTimestampMs: clock.epochMs(),
    pid: world.pid,
    filePageSize: settings.filePageSize
  })
  const epochMs = (): number => clock.epochMs()
  const commands = new ManyToOneRingBuffer(buffers.toDriver)
  const counters = new CountersManager(
    buffers.countersMetadata,
    buffers.countersValues,
    epochMs,
    start.countersFreeToReuseTimeoutMs
  )
  const systemCounters = SystemCounters.SystemCounters.allocate(counters, identity)
  const errorLog = new DistinctErrorLog(buffers.errorLog, epochMs)
  const recordError = (error: unknown): void => {
    systemCounters.increment(SystemCounters.ERRORS)
    errorLog.record(error)
  }
  systemCounters.get(SystemCounters.CONTROL_PROTOCOL_VERSION).setRelease(CommandType.CONTROL_PROTOCOL_VERSION)
  systemCounters.get(SystemCounters.SOFTWARE_VERSION).setRelease(semanticVersion(identity.version))
  systemCounters.get(SystemCounters.BYTES_CURRENTLY_MAPPED).setRelease(memory.cnc.length + memory.lossReport.length)
  // The driver takes the first id, so that those of clients begin at 1.
  commands.nextCorrelationId()
  const network = world.network(
    new LossReport.LossReport(memory.lossReport.buffer()),
    {
      onSendFailed: () => systemCounters.increment(SystemCounters.SHORT_SENDS),
      onDropped: () => systemCounters.increment(SystemCounters.INVALID_PACKETS),
      onError: recordError
    },
    systemCounters
  )
  return {
    settings,
    clock,
    randomInt32: world.randomInt32,
    commands,
    clientProxy: new ClientProxy(new BroadcastTransmitter(buffers.toClients)),
    counters,
    systemCounters,
    logFactory: world.logFactory(recordError),
    network,
    socketBuffers: network === undefined ? SocketBuffers.UNKNOWN : SocketBuffers.systemLengths(network.udp),
    recordError,
    isTerminationAllowed: terminationValidator(start)
  }
}
