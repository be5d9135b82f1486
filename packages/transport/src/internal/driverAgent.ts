/** A driver over mapped files: takes its directory, makes its files, and lets go of them at its end. */
import { join } from "node:path"
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import type { Clock } from "@millrace/core/kernel/agent/Clock"
import { align } from "@millrace/core/kernel/memory/Alignment"
import { NativeError } from "@millrace/core/kernel/native/Errno"
import * as Mapping from "@millrace/core/kernel/native/Mapping"
import type { RemoteAgents } from "../driver/DriverContext.ts"
import * as SystemCounters from "../driver/SystemCounters.ts"
import * as CncFile from "./cncFile.ts"
import { assemble } from "./driverAssembly.ts"
import { remoteAgents } from "./agentLinks.ts"
import { callerOf } from "./agentRing.ts"
import { driverNetwork, randomInt32 } from "./driverNetwork.ts"
import * as DriverDirectory from "./driverDirectory.ts"
import { DriverActiveError, type DriverStart } from "./driverStart.ts"
import * as MappedLogFactory from "./mappedLogFactory.ts"

/** Throws what keeps the driver from starting; then nothing of it is left. */
export const make = (start: DriverStart, clock: Clock): Agent => {
  const { directory } = start
  DriverDirectory.take(directory, start, clock.epochMs())
  const cnc = createCnc(start)
  const mapped = [cnc]
  const unmap = (): void => mapped.forEach((region) => region.close())
  try {
    const lossReport = Mapping.create(join(directory, DriverDirectory.LOSS_REPORT_FILE), lossReportLength(start), {
      reserve: true
    })
    mapped.push(lossReport)
    let wake = (): void => {}
    const driver = assemble(
      start,
      { cnc, lossReport },
      {
        clock,
        pid: process.pid,
        randomInt32,
        logFactory: (recordError) =>
          MappedLogFactory.make(directory, start.settings.filePageSize, start.storage, recordError),
        network: (report, faults, systemCounters) =>
          driverNetwork(start, report, faults, systemCounters, remoteOf(start, systemCounters), () => wake())
      }
    )
    return {
      ...driver,
      onWakeable: (wakeDriver) => {
        wake = wakeDriver
      },
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

/** The sender and the receiver, if they run on threads of their own. */
const remoteOf = (
  { addresses }: DriverStart,
  systemCounters: SystemCounters.SystemCounters
): RemoteAgents | undefined => {
  if (addresses === undefined) {
    return undefined
  }
  const fails = (counter: number) => () => systemCounters.increment(counter)
  return remoteAgents(
    addresses.conductor,
    callerOf(addresses.sender, fails(SystemCounters.SENDER_PROXY_FAILS)),
    callerOf(addresses.receiver, fails(SystemCounters.RECEIVER_PROXY_FAILS))
  )
}

const lossReportLength = ({ lossReportLength, settings }: DriverStart): number =>
  align(lossReportLength, settings.filePageSize)

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
