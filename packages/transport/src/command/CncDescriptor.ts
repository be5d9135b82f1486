/**
 * The command-and-control file `cnc.dat`: what a driver and its clients share.
 *
 *     0         4                8                 12                  16                 20               24
 *     +---------+----------------+-----------------+-------------------+------------------+----------------+
 *     | version | toDriverLength | toClientsLength | countersMetadata  | countersValues   | errorLogLength |
 *     +---------+----------------+-----------------+-------------------+------------------+----------------+
 *     24                            32                    40        48           52                      128
 *     +-----------------------------+---------------------+---------+------------+---------------------------+
 *     | clientLivenessTimeoutNs i64 | startTimestampMs i64| pid i64 | pageSize   | zero                      |
 *     +-----------------------------+---------------------+---------+------------+---------------------------+
 *     128
 *     +-----------+------------+-------------------+-----------------+-----------+
 *     | to-driver | to-clients | counters metadata | counters values | error log |   total aligned to the page size
 *     +-----------+------------+-------------------+-----------------+-----------+
 *
 * `version` is written last: a client that sees it not 0 relies on everything else being there. Page size is of a later
 * Aeron than the version number tells; 0 stands for 4096.
 */
import { align } from "@millrace/core/kernel/memory/Alignment"
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"

/** 0.2.0, as major, minor and patch in a byte each. */
export const VERSION = 0x000200
export const HEADER_LENGTH = 128
export const FILE_NAME = "cnc.dat"

export const VERSION_OFFSET = 0
export const TO_DRIVER_LENGTH_OFFSET = 4
export const TO_CLIENTS_LENGTH_OFFSET = 8
export const COUNTERS_METADATA_LENGTH_OFFSET = 12
export const COUNTERS_VALUES_LENGTH_OFFSET = 16
export const ERROR_LOG_LENGTH_OFFSET = 20
export const CLIENT_LIVENESS_TIMEOUT_OFFSET = 24
export const START_TIMESTAMP_OFFSET = 32
export const PID_OFFSET = 40
export const FILE_PAGE_SIZE_OFFSET = 48
const FILE_PAGE_SIZE_DEFAULT = 4096

export interface CncLengths {
  readonly toDriver: number
  readonly toClients: number
  readonly countersMetadata: number
  readonly countersValues: number
  readonly errorLog: number
}

/** Aeron's own sizes: a file of 48,238,592 bytes, of which only touched pages take room. */
export const LENGTHS_DEFAULT: CncLengths = {
  toDriver: 1024 * 1024 + 768,
  toClients: 1024 * 1024 + 128,
  countersMetadata: 32 * 1024 * 1024,
  countersValues: 8 * 1024 * 1024,
  errorLog: 4 * 1024 * 1024
}

export interface CncHeader extends CncLengths {
  readonly clientLivenessTimeoutNs: number
  readonly startTimestampMs: number
  readonly pid: number
  readonly filePageSize: number
}

/** The windows of a CnC file, one a structure. */
export interface CncBuffers {
  readonly header: AtomicBuffer
  readonly toDriver: AtomicBuffer
  readonly toClients: AtomicBuffer
  readonly countersMetadata: AtomicBuffer
  readonly countersValues: AtomicBuffer
  readonly errorLog: AtomicBuffer
}

export const usedLength = (lengths: CncLengths): number =>
  HEADER_LENGTH +
  lengths.toDriver +
  lengths.toClients +
  lengths.countersMetadata +
  lengths.countersValues +
  lengths.errorLog

export const fileLength = (lengths: CncLengths, filePageSize: number): number =>
  align(usedLength(lengths), filePageSize)

export const isVersionCompatible = (version: number): boolean => version >>> 16 === VERSION >>> 16

export const formatVersion = (version: number): string =>
  `${version >>> 16}.${(version >>> 8) & 0xff}.${version & 0xff}`

/** 0 until the driver has written everything. */
export const versionVolatile = (header: AtomicBuffer): number => Atomics.load(header.int32, VERSION_OFFSET / 4)

/** Everything but the version. */
export const encode = (header: AtomicBuffer, fields: CncHeader): void => {
  const view = header.view
  view.setInt32(TO_DRIVER_LENGTH_OFFSET, fields.toDriver, true)
  view.setInt32(TO_CLIENTS_LENGTH_OFFSET, fields.toClients, true)
  view.setInt32(COUNTERS_METADATA_LENGTH_OFFSET, fields.countersMetadata, true)
  view.setInt32(COUNTERS_VALUES_LENGTH_OFFSET, fields.countersValues, true)
  view.setInt32(ERROR_LOG_LENGTH_OFFSET, fields.errorLog, true)
  view.setBigInt64(CLIENT_LIVENESS_TIMEOUT_OFFSET, BigInt(fields.clientLivenessTimeoutNs), true)
  view.setBigInt64(START_TIMESTAMP_OFFSET, BigInt(fields.startTimestampMs), true)
  view.setBigInt64(PID_OFFSET, BigInt(fields.pid), true)
  view.setInt32(FILE_PAGE_SIZE_OFFSET, fields.filePageSize, true)
}

/** Release: whoever reads a version relies on header, rings and counters being written. */
export const signalReadyRelease = (header: AtomicBuffer): void => {
  Atomics.store(header.int32, VERSION_OFFSET / 4, VERSION)
}

export const decode = (header: AtomicBuffer): CncHeader => {
  const view = header.view
  return {
    toDriver: view.getInt32(TO_DRIVER_LENGTH_OFFSET, true),
    toClients: view.getInt32(TO_CLIENTS_LENGTH_OFFSET, true),
    countersMetadata: view.getInt32(COUNTERS_METADATA_LENGTH_OFFSET, true),
    countersValues: view.getInt32(COUNTERS_VALUES_LENGTH_OFFSET, true),
    errorLog: view.getInt32(ERROR_LOG_LENGTH_OFFSET, true),
    clientLivenessTimeoutNs: Number(view.getBigInt64(CLIENT_LIVENESS_TIMEOUT_OFFSET, true)),
    startTimestampMs: Number(view.getBigInt64(START_TIMESTAMP_OFFSET, true)),
    pid: Number(view.getBigInt64(PID_OFFSET, true)),
    filePageSize: view.getInt32(FILE_PAGE_SIZE_OFFSET, true) || FILE_PAGE_SIZE_DEFAULT
  }
}

/** Whether the lengths of an untrusted header can be those of a file of `length` bytes. */
export const areLengthsPlausible = (lengths: CncLengths, length: number): boolean =>
  lengths.toDriver > 0 &&
  lengths.toClients > 0 &&
  lengths.countersMetadata > 0 &&
  lengths.countersValues > 0 &&
  lengths.errorLog > 0 &&
  usedLength(lengths) <= length

/** Cuts the windows out of the whole file. */
export const buffers = (file: AtomicBuffer, lengths: CncLengths): CncBuffers => {
  let offset = 0
  const next = (length: number): AtomicBuffer => {
    const window = file.slice(offset, length)
    offset += length
    return window
  }
  return {
    header: next(HEADER_LENGTH),
    toDriver: next(lengths.toDriver),
    toClients: next(lengths.toClients),
    countersMetadata: next(lengths.countersMetadata),
    countersValues: next(lengths.countersValues),
    errorLog: next(lengths.errorLog)
  }
}
