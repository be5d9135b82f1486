/**
 * Thrown by a reader that meets a length or an offset in shared memory which cannot be: another process wrote over the
 * structure, or the file is not what it claims to be. Nothing was read outside the buffer. The structure is spent; the
 * glue turns this into the package's typed error.
 */
export class CorruptRecord extends Error {
  readonly _tag = "CorruptRecord"
  /** The region's name: a path, or a name for heap memory. */
  readonly region: string
  /** What the value should have been: "ring buffer record length", "error log record length", … */
  readonly field: string
  readonly offset: number
  readonly value: number
  readonly limit: number

  constructor(region: string, field: string, offset: number, value: number, limit: number) {
    super(`${field} at offset ${offset} of ${region} is ${value}: it must be valid and at most ${limit}`)
    this.region = region
    this.field = field
    this.offset = offset
    this.value = value
    this.limit = limit
  }
}
