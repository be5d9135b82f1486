/** Log buffers as files under the driver's directory. Their blocks are taken in the thread pool. */
import { join } from "node:path"
import * as LogBufferDescriptor from "@millrace/core/kernel/logbuffer/LogBufferDescriptor"
import type { MappedRegion } from "@millrace/core/kernel/memory/MappedRegion"
import { NativeError } from "@millrace/core/kernel/native/Errno"
import * as Files from "@millrace/core/kernel/native/Files"
import * as FileSpace from "@millrace/core/kernel/native/FileSpace"
import * as Mapping from "@millrace/core/kernel/native/Mapping"
import {
  isFailure,
  type LogFactory,
  type LogFailure,
  type LogRequest,
  type PendingLog,
  type RawLog
} from "../driver/LogFactory.ts"
import * as ErrorText from "../driver/ErrorText.ts"
import * as DriverDirectory from "./driverDirectory.ts"
import type { StorageChecks } from "./driverStart.ts"

const FOLDERS = { publication: DriverDirectory.PUBLICATIONS, image: DriverDirectory.IMAGES } as const

export const make = (
  directory: string,
  filePageSize: number,
  storage: StorageChecks,
  recordError: (error: unknown) => void
): LogFactory => ({
  create: (request) => {
    const path = join(directory, FOLDERS[request.kind], `${request.registrationId}.logbuffer`)
    const length = LogBufferDescriptor.computeLogLength(request.termLength, filePageSize)
    return start(path, length, request, storage, recordError)
  }
})

const start = (
  path: string,
  length: number,
  request: LogRequest,
  storage: StorageChecks,
  recordError: (error: unknown) => void
): PendingLog => {
  let result: RawLog | LogFailure | undefined
  let isAbandoned = false
  try {
    if (storage.isChecking) {
      checkSpace(path, length, storage.warningThreshold, recordError)
    }
    Mapping.createAsync(path, length, { reserve: !request.isSparse }, (error, region) => {
      if (isAbandoned) {
        region?.close()
        return
      }
      result = region === undefined ? failureOf(error) : rawLog(path, region, recordError)
    })
  } catch (error) {
    result = failureOf(error)
  }
  return {
    poll: () => result,
    abandon: () => {
      isAbandoned = true
      if (result === undefined) {
        // The file goes at once: when the mapping is there, the driver that could note an error may have ended.
        removeFile(path, recordError)
      } else if (!isFailure(result)) {
        result.free()
      }
    }
  }
}

const rawLog = (path: string, region: MappedRegion, recordError: (error: unknown) => void): RawLog => ({
  fileName: path,
  region,
  free: () => {
    region.close()
    return removeFile(path, recordError)
  }
})

const removeFile = (path: string, recordError: (error: unknown) => void): boolean => {
  try {
    Files.remove(path)
    return true
  } catch (error) {
    recordError(error)
    return false
  }
}

/**
 * Refuses a log that there is no room for, before anything of it is made; notes when room runs short. A sparse log takes
 * no blocks, so its room may be gone when it is written.
 */
const checkSpace = (
  path: string,
  length: number,
  warningThreshold: number,
  recordError: (error: unknown) => void
): void => {
  const directory = join(path, "..", "..")
  const { freeBytes, totalBytes } = FileSpace.available(directory)
  if (totalBytes === 0) {
    // A file system that does not count its room says nothing of how much is left.
    return
  }
  if (freeBytes < length) {
    throw new NativeError({
      syscall: "statvfs",
      errno: 0,
      code: "ENOSPC",
      path,
      space: { requiredBytes: length, availableBytes: freeBytes }
    })
  }
  if (freeBytes <= warningThreshold) {
    // One text for all, so that the error log has one entry with a count.
    recordError(`WARNING: space is running low: at most ${warningThreshold} bytes are left in ${directory}`)
  }
}

const failureOf = (error: unknown): LogFailure => ({
  isStorageSpace: error instanceof NativeError && error.code === "ENOSPC",
  message: ErrorText.of(error)
})
