/**
 * The directory of a driver: taken at start, unless it is another's that lives; kept or removed at its end.
 *
 * A directory whose driver is dead is taken over under a lock on its CnC file, so of two drivers that find it at the
 * same moment one gets it and the other finds it active.
 */
import * as fs from "node:fs"
import { join } from "node:path"
import * as ErrorLogReader from "@millrace/core/kernel/errorlog/ErrorLogReader"
import { attempt } from "@millrace/core/kernel/native/Errno"
import * as FileLock from "@millrace/core/kernel/native/FileLock"
import * as Files from "@millrace/core/kernel/native/Files"
import * as CncFile from "./cncFile.ts"
import { DriverActiveError } from "./driverStart.ts"

export const PUBLICATIONS = "publications"
export const IMAGES = "images"
export const LOSS_REPORT_FILE = "loss-report.dat"

const UNKNOWN_PID = 0

export interface TakeOptions {
  readonly driverTimeoutMs: number
  readonly deleteDirectoryOnStart: boolean
  readonly warnIfDirectoryExists: boolean
}

/** Makes the directory, empty, for the caller alone. Throws `DriverActiveError`. */
export const take = (directory: string, options: TakeOptions, nowMs: number): void => {
  const warn = options.warnIfDirectoryExists ? writeWarning : () => {}
  if (fs.existsSync(directory)) {
    warn(`${directory} exists`)
  }
  if (options.deleteDirectoryOnStart) {
    remove(directory)
  } else if (fs.existsSync(CncFile.pathOf(directory))) {
    takeOver(directory, options.driverTimeoutMs, nowMs, warn)
  }
  Files.makeDirectory(directory)
  Files.makeDirectory(join(directory, PUBLICATIONS))
  Files.makeDirectory(join(directory, IMAGES))
}

export const remove = (directory: string): void =>
  attempt(directory, () => fs.rmSync(directory, { recursive: true, force: true }))

const writeWarning = (text: string): void => void process.stderr.write(`WARNING: ${text}\n`)

const takeOver = (directory: string, driverTimeoutMs: number, nowMs: number, warn: (text: string) => void): void => {
  const path = CncFile.pathOf(directory)
  const lock = FileLock.tryLock(path)
  if (lock === undefined) {
    throw new DriverActiveError(directory, UNKNOWN_PID, 0, driverTimeoutMs)
  }
  try {
    refuseIfActive(directory, driverTimeoutMs, nowMs)
    saveErrors(directory, nowMs, warn)
    remove(directory)
  } finally {
    lock.release()
  }
}

const refuseIfActive = (directory: string, driverTimeoutMs: number, nowMs: number): void => {
  const file = CncFile.open(directory)
  if (CncFile.isAbsence(file)) {
    // A driver that is just starting holds no lock yet, but its file is young.
    const ageMs = nowMs - fs.statSync(CncFile.pathOf(directory)).mtimeMs
    if (file._tag === "NotReady" && ageMs < driverTimeoutMs) {
      throw new DriverActiveError(directory, UNKNOWN_PID, ageMs, driverTimeoutMs)
    }
    return
  }
  const ageMs = nowMs - CncFile.heartbeatMs(file)
  const { pid } = file.header
  file.region.close()
  if (ageMs <= driverTimeoutMs) {
    throw new DriverActiveError(directory, pid, ageMs, driverTimeoutMs)
  }
}

/** The errors of the driver that died, which would go with its directory. */
const saveErrors = (directory: string, nowMs: number, warn: (text: string) => void): void => {
  const file = CncFile.open(directory)
  if (CncFile.isAbsence(file)) {
    return
  }
  const observations: Array<string> = []
  try {
    ErrorLogReader.read(file.buffers.errorLog, (count, firstMs, lastMs, text) => {
      observations.push(`${count} observations from ${iso(firstMs)} to ${iso(lastMs)} for:\n${text}\n`)
    })
  } catch (error) {
    // A log that is damaged must not keep the new driver from starting; what could be read is saved.
    observations.push(`the rest of the error log cannot be read: ${String(error)}\n`)
  } finally {
    file.region.close()
  }
  if (observations.length > 0) {
    const path = `${directory}-${iso(nowMs).replaceAll(":", "-")}-error.log`
    attempt(path, () => fs.writeFileSync(path, observations.join("\n"), { mode: Files.FILE_MODE }))
    warn(`the errors of the last driver are saved in ${path}`)
  }
}

const iso = (epochMs: number): string => new Date(epochMs).toISOString()
