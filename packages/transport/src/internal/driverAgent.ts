/** Puts a driver together: its directory, its shared structures, and the agent that works on them. */
import { join } from "node:path"
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import type { Clock } from "@millrace/core/kernel/agent/Clock"
import { BroadcastTransmitter } from "@millrace/core/kernel/broadcast/BroadcastTransmitter"
import { CountersManager } from "@millrace/core/kernel/counters/CountersManager"
import { DistinctErrorLog } from "@millrace/core/kernel/errorlog/DistinctErrorLog"
import * as LossReport from "@millrace/core/kernel/lossreport/LossReport"
import { NativeError } from "@millrace/core/kernel/native/Errno"
import * as Mapping from "@millrace/core/kernel/native/Mapping"
import type { Region } from "@millrace/core/kernel/memory/Region"
import { ManyToOneRingBuffer } from "@millrace/core/kernel/ringbuffer/ManyToOneRingBuffer"
import { ClientProxy } from "../command/ClientProxy.ts"
import * as CncDescriptor from "../command/CncDescriptor.ts"
import * as CommandType from "../command/CommandType.ts"
import * as Driver from "../driver/Driver.ts"
import * as SystemCounters from "../driver/SystemCounters.ts"
import * as CncFile from "./cncFile.ts"
import { driverNetwork } from "./driverNetwork.ts"
import * as DriverDirectory from "./driverDirectory.ts"
import { DriverActiveError, type DriverStart } from "./driverStart.ts"
import * as MappedLogFactory from "./mappedLogFactory.ts"

const LOSS_REPORT_FILE = "loss-report.dat"

/** Throws what keeps the driver from starting; then nothing of it is left. */
export const make = (start: DriverStart, clock: Clock): Agent => {
  const { directory } = start
  DriverDirectory.take(directory, start.driverTimeoutMs, start.deleteDirectoryOnStart, clock.epochMs())
  const cnc = createCnc(start)
  const mapped = [cnc]
  const unmap = (): void => mapped.forEach((region) => region.close())
  try {
    const lossReport = Mapping.create(join(directory, LOSS_REPORT_FILE), LossReport.LENGTH_DEFAULT, { reserve: true })
    mapped.push(lossReport)
    const buffers = CncDescriptor.buffers(cnc.buffer(), start.cncLengths)
    const driver = makeDriver(start, clock, buffers, cnc.length, lossReport)
    return {
      roleName: "driver",
      onStart: (nowNs) => {
        driver.onStart?.(nowNs)
        CncDescriptor.signalReadyRelease(buffers.header)
      },
      doWork: (nowNs) => driver.doWork(nowNs),
      descriptors: () => driver.descriptors?.() ?? NONE,
      onClose: () => {
        driver.onClose?.()
        unmap()
        if (start.deleteDirectoryOnShutdown) {
          DriverDirectory.remove(directory)
        }
      }
    }
  } catch (error) {
    unmap()
    DriverDirectory.remove(directory)
    throw error
  }
}

/** Major, minor and patch in a byte each, as the counter of the software's version holds them. */
const semanticVersion = (version: string): number =>
  version.split(".").reduce((composed, part) => composed * 256 + Number.parseInt(part, 10), 0)

const createCnc = (start: DriverStart): ReturnType<typeof CncFile.create> => {
  const { cncLengths, directory, reserveWholeCnc, settings } = start
  try {
    return CncFile.create(directory, cncLengths, settings.filePageSize, reserveWholeCnc)
  } catch (error) {
    if (error instanceof NativeError && error.code === "EEXIST") {
      // Another driver took the directory at the same moment.
      throw new DriverActiveError(directory, 0, 0, start.driverTimeoutMs)
    }
    DriverDirectory.remove(directory)
    throw error
  }
}

const NONE: ReadonlyArray<number> = []

const makeDriver = (
  start: DriverStart,
  clock: Clock,
  buffers: CncDescriptor.CncBuffers,
  cncLength: number,
  lossReport: Region
): Agent => {
  const { cncLengths, directory, identity, settings } = start
  CncDescriptor.encode(buffers.header, {
    ...cncLengths,
    clientLivenessTimeoutNs: settings.clientLivenessTimeoutNs,
    startTimestampMs: clock.epochMs(),
    pid: process.pid,
    filePageSize: settings.filePageSize
  })
  const epochMs = (): number => clock.epochMs()
  const commands = new ManyToOneRingBuffer(buffers.toDriver)
  const counters = new CountersManager(buffers.countersMetadata, buffers.countersValues, epochMs)
  const systemCounters = new SystemCounters.SystemCounters(counters, identity)
  const errorLog = new DistinctErrorLog(buffers.errorLog, epochMs)
  const recordError = (error: unknown): void => {
    systemCounters.increment(SystemCounters.ERRORS)
    errorLog.record(error)
  }
  systemCounters.get(SystemCounters.CONTROL_PROTOCOL_VERSION).setRelease(CommandType.CONTROL_PROTOCOL_VERSION)
  systemCounters.get(SystemCounters.SOFTWARE_VERSION).setRelease(semanticVersion(identity.version))
  systemCounters.get(SystemCounters.BYTES_CURRENTLY_MAPPED).setRelease(cncLength + LossReport.LENGTH_DEFAULT)
  // The driver takes the first id, so that those of clients begin at 1.
  commands.nextCorrelationId()
  return Driver.make({
    settings,
    clock,
    randomInt32: () => Math.trunc(Math.random() * 2 ** 32) | 0,
    commands,
    clientProxy: new ClientProxy(new BroadcastTransmitter(buffers.toClients)),
    counters,
    systemCounters,
    logFactory: MappedLogFactory.make(directory, settings.filePageSize, recordError),
    network: driverNetwork(start.media, new LossReport.LossReport(lossReport.buffer()), {
      onSendFailed: () => systemCounters.increment(SystemCounters.SHORT_SENDS),
      onDropped: () => systemCounters.increment(SystemCounters.INVALID_PACKETS),
      onError: recordError
    }),
    recordError,
    isTerminationAllowed: () => start.isTerminationAllowed
  })
}
