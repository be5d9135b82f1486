/** One log over one region: its three terms and its metadata as windows. */
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import type { Region } from "../memory/Region.ts"
import * as D from "./LogBufferDescriptor.ts"
import * as LogBufferMetadata from "./LogBufferMetadata.ts"

/** The region is no log buffer: its length and what its metadata says do not agree. */
export class InvalidLog extends Error {
  readonly _tag = "InvalidLog"
  readonly region: string
  readonly field: string
  readonly value: number

  constructor(region: string, field: string, value: number, expected: string) {
    super(`${region} is not a log buffer: its ${field} is ${value}, ${expected}`)
    this.region = region
    this.field = field
    this.value = value
  }
}

export class LogBuffers {
  readonly region: Region
  readonly metadata: AtomicBuffer
  readonly terms: readonly [AtomicBuffer, AtomicBuffer, AtomicBuffer]
  readonly termLength: number
  readonly pageSize: number
  readonly mtuLength: number
  readonly initialTermId: number
  readonly sessionId: number
  readonly streamId: number
  readonly correlationId: bigint
  /** One of `LogBufferDescriptor.LogType`. */
  readonly type: number

  /** Takes an existing log. The region is not trusted: `InvalidLog` is thrown when its fields do not fit its length. */
  constructor(region: Region) {
    const name = region.state.name
    const lengthMin = D.computeLogLength(D.TERM_LENGTH_MIN, D.PAGE_SIZE_MIN)
    if (region.length < lengthMin) {
      throw new InvalidLog(name, "length", region.length, `a log has at least ${lengthMin} bytes`)
    }
    // The metadata ends the file: with pages longer than it, it does not begin where the third term ends.
    const metadata = region.buffer(region.length - D.METADATA_LENGTH, D.METADATA_LENGTH)
    const fields = LogBufferMetadata.read(metadata)
    if (!D.isTermLength(fields.termLength)) {
      throw new InvalidLog(name, "term length", fields.termLength, "not a power of two from 64 KiB to 1 GiB")
    }
    if (!D.isPageSize(fields.pageSize)) {
      throw new InvalidLog(name, "page size", fields.pageSize, "not a power of two from 4 KiB to 1 GiB")
    }
    const length = D.computeLogLength(fields.termLength, fields.pageSize)
    if (region.length !== length) {
      throw new InvalidLog(name, "length", region.length, `its term length and page size give ${length}`)
    }
    if (!D.isMtuLength(fields.mtuLength)) {
      throw new InvalidLog(name, "mtu length", fields.mtuLength, "not a multiple of 32 from 64 to 65504")
    }
    this.region = region
    this.metadata = metadata
    this.termLength = fields.termLength
    this.pageSize = fields.pageSize
    this.mtuLength = fields.mtuLength
    this.initialTermId = fields.initialTermId
    this.sessionId = fields.sessionId
    this.streamId = fields.streamId
    this.correlationId = fields.correlationId
    this.type = fields.type
    this.terms = [
      region.buffer(0, fields.termLength),
      region.buffer(fields.termLength, fields.termLength),
      region.buffer(2 * fields.termLength, fields.termLength)
    ]
  }

  /** Makes a log of a zeroed region of the right length. */
  static create(region: Region, log: LogBufferMetadata.NewLog): LogBuffers {
    const length = D.computeLogLength(log.termLength, log.pageSize)
    if (region.length !== length) {
      throw new InvalidLog(region.state.name, "length", region.length, `the new log needs ${length}`)
    }
    LogBufferMetadata.write(
      region.buffer(region.length - D.METADATA_LENGTH, D.METADATA_LENGTH),
      LogBufferMetadata.make(log)
    )
    return new LogBuffers(region)
  }

  close(): void {
    this.region.close()
  }
}
