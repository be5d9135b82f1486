/** A driver over mapped files: takes its directory, makes its files, and lets go of them at its end. */
import { join } from "node:path"
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import type { Clock } from "@millrace/core/kernel/agent/Clock"
import { align } from "@millrace/core/kernel/memory/Alignment"
import { NativeError } from "@millrace/core/kernel/native/Errno"
import * as Mapping from "@millrace/core/kernel/native/Mapping"
import * as CncFile from "./cncFile.ts"
import { assemble } from "./driverAssembly.ts"
import { driverNetwork } from "./driverNetwork.ts"
import * as DriverDirectory from "./driverDirectory.ts"
import { DriverActiveError, type DriverStart } from "./driverStart.ts"
import * as MappedLogFactory from "./mappedLogFactory.ts"

const LOSS_REPORT_FILE = "loss-report.dat"

const randomInt32 = (): number => Math.trunc(Math.random() * 2 ** 32) | 0

/** Throws what keeps the driver from starting; then nothing of it is left. */
export const make = (start: DriverStart, clock: Clock): Agent => {
  const { directory } = start
  DriverDirectory.take(directory, start, clock.epochMs())
  const cnc = createCnc(start)
  const mapped = [cnc]
  const unmap = (): void => mapped.forEach((region) => region.close())
  try {
    const lossReport = Mapping.create(join(directory, LOSS_REPORT_FILE), lossReportLength(start), { reserve: true })
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
        network: (report, faults) => driverNetwork(start, report, faults, randomInt32, () => wake())
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
