/**
 * Thrown by a reader that meets a length or an offset in shared memory which cannot be: another process wrote over the
 * structure, or the file is not what it claims to be. Nothing was read outside the buffer. The structure is spent; the
 * glue turns this into the package's typed error.
 */
export class CorruptRecord extends Error {
  readonly _tag = "CorruptRecord"
  /** The structure: "ring buffer", "error log", … */
  readonly format: string
  /** The region's name: a path, or a name for heap memory. */
  readonly region: string
  readonly field: string
  /** Where in the region's window the field lies, in bytes. */
  readonly offset: number
  readonly value: number
  readonly limit: number

  constructor(format: string, region: string, field: string, offset: number, value: number, limit: number) {
    super(`the ${format} in ${region} is corrupt: the ${field} at offset ${offset} is ${value}, its limit is ${limit}`)
    this.format = format
    this.region = region
    this.field = field
    this.offset = offset
    this.value = value
    this.limit = limit
  }
}
