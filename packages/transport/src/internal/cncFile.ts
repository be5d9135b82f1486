/** The CnC file on disk: opened by whoever looks for a driver, created by a driver. */
import { join } from "node:path"
import { ManyToOneRingBuffer } from "@millrace/core/kernel/ringbuffer/ManyToOneRingBuffer"
import type { MappedRegion } from "@millrace/core/kernel/memory/MappedRegion"
import { NativeError } from "@millrace/core/kernel/native/Errno"
import * as Files from "@millrace/core/kernel/native/Files"
import * as FileSpace from "@millrace/core/kernel/native/FileSpace"
import * as Mapping from "@millrace/core/kernel/native/Mapping"
import * as CncDescriptor from "../command/CncDescriptor.ts"

export interface CncFile {
  readonly region: MappedRegion
  readonly header: CncDescriptor.CncHeader
  readonly buffers: CncDescriptor.CncBuffers
}

export const pathOf = (directory: string): string => join(directory, CncDescriptor.FILE_NAME)

/** What is there instead of a usable CnC file. */
export type CncAbsence =
  | { readonly _tag: "Missing" }
  /** Not long enough for its header, or its version is not written yet: its driver is just starting, or died. */
  | { readonly _tag: "NotReady" }
  | { readonly _tag: "Incompatible"; readonly version: number }
  /** The lengths in the header do not fit the file. */
  | { readonly _tag: "Truncated" }

/**
 * Maps the CnC file if it is there, ready and whole; to look at it alone with `readOnly`. Throws what the system says of
 * anything but its absence.
 */
export const open = (directory: string, options?: { readonly readOnly: boolean }): CncFile | CncAbsence => {
  const region = map(pathOf(directory), options)
  if ("_tag" in region) {
    return region
  }
  const absence = check(region)
  if (absence !== undefined) {
    region.close()
    return absence
  }
  const header = CncDescriptor.decode(region.buffer(0, CncDescriptor.HEADER_LENGTH))
  return { region, header, buffers: CncDescriptor.buffers(region.buffer(), header) }
}

export const isAbsence = (file: CncFile | CncAbsence): file is CncAbsence => "_tag" in file

/** One step, for between a look at the file and its mapping a driver that starts may remove it and make its own. */
const map = (path: string, options: { readonly readOnly: boolean } | undefined): MappedRegion | CncAbsence => {
  try {
    return Mapping.open(path, options)
  } catch (error) {
    if (error instanceof NativeError && (error.code === "ENOENT" || error.code === "ENOTDIR")) {
      return { _tag: "Missing" }
    }
    if (error instanceof Mapping.MappingLengthError) {
      return { _tag: "NotReady" }
    }
    throw error
  }
}

const check = (region: MappedRegion): CncAbsence | undefined => {
  if (region.length <= CncDescriptor.HEADER_LENGTH) {
    return { _tag: "NotReady" }
  }
  const header = region.buffer(0, CncDescriptor.HEADER_LENGTH)
  const version = CncDescriptor.versionVolatile(header)
  if (version === 0) {
    return { _tag: "NotReady" }
  }
  if (!CncDescriptor.isVersionCompatible(version)) {
    return { _tag: "Incompatible", version }
  }
  return CncDescriptor.areLengthsPlausible(CncDescriptor.decode(header), region.length)
    ? undefined
    : { _tag: "Truncated" }
}

/** Whether the directory holds the ready CnC file of another driver than the one that wrote `header`. */
export const isReplaced = (directory: string, header: CncDescriptor.CncHeader): boolean => {
  const file = openQuietly(directory)
  if (file === undefined) {
    return false
  }
  const { pid, startTimestampMs } = file.header
  file.region.close()
  return pid !== header.pid || startTimestampMs !== header.startTimestampMs
}

/** Undefined when there is no usable file, or when it went away between the look and the opening. */
export const openQuietly = (directory: string): CncFile | undefined => {
  try {
    const file = open(directory)
    return isAbsence(file) ? undefined : file
  } catch {
    return undefined
  }
}

/** Epoch ms of the driver's last sign of life: 0 before the first, −1 after the last. */
export const heartbeatMs = (file: CncFile): number => new ManyToOneRingBuffer(file.buffers.toDriver).consumerHeartbeatMs

/** Bytes of counters and errors whose blocks are taken when the whole file is not reserved. */
const RESERVED_COUNTERS_METADATA = 4 * 1024 * 1024
const RESERVED_COUNTERS_VALUES = 1024 * 1024
const RESERVED_ERRORS = 64 * 1024

/**
 * Makes the file and takes the blocks of everything that is written without a word to its user: a full file system is
 * an error here. With `reserveWhole` false, counters beyond the first 8,192 and errors beyond the first 64 KiB are left
 * sparse, as Aeron leaves all of it. On failure no file is left behind.
 */
export const create = (
  directory: string,
  lengths: CncDescriptor.CncLengths,
  filePageSize: number,
  reserveWhole: boolean
): MappedRegion => {
  const path = pathOf(directory)
  const length = CncDescriptor.fileLength(lengths, filePageSize)
  const region = Mapping.create(path, length, { reserve: reserveWhole })
  try {
    if (!reserveWhole) {
      reserveParts(path, lengths)
    }
    return region
  } catch (error) {
    region.close()
    Files.remove(path)
    throw error
  }
}

const reserveParts = (path: string, lengths: CncDescriptor.CncLengths): void => {
  const rings = CncDescriptor.HEADER_LENGTH + lengths.toDriver + lengths.toClients
  const values = rings + lengths.countersMetadata
  const errors = values + lengths.countersValues
  const fd = Files.openExisting(path, false)
  try {
    FileSpace.reserve(fd, 0, rings + Math.min(lengths.countersMetadata, RESERVED_COUNTERS_METADATA), path)
    FileSpace.reserve(fd, values, Math.min(lengths.countersValues, RESERVED_COUNTERS_VALUES), path)
    FileSpace.reserve(fd, errors, Math.min(lengths.errorLog, RESERVED_ERRORS), path)
  } finally {
    Files.close(fd)
  }
}
