/**
 * A message of the demo's stream: one byte that says what follows, then JSON as UTF-8.
 *
 * ```
 *    0               1
 *   +---------------+---------------------------------------------+
 *   | kind          | JSON                                        |
 *   +---------------+---------------------------------------------+
 *     'R' (0x52)      the record, as it was in the data set
 *     'E' (0x45)      {"count": …, "checksum": …}: the last message of a whole stream
 * ```
 *
 * Aeron tells a subscriber nothing of how a publisher ended: closing and dying both end the stream. So the data carries
 * its own end: the number of records and the CRC-32 over all of their messages, in order.
 */
import * as Schema from "effect/Schema"
import * as zlib from "node:zlib"
import type { DataRecord } from "./DataFormat.ts"

export const RECORD = 0x52
export const END = 0x45

const KIND_LENGTH = 1

const EndRecord = Schema.Struct({ count: Schema.Natural, checksum: Schema.Natural })
const decodeEnd = Schema.decodeUnknownSync(EndRecord)

export type EndRecord = typeof EndRecord.Type

const encode = (kind: number, value: unknown): Uint8Array => {
  const json = JSON.stringify(value)
  const message = Buffer.allocUnsafe(KIND_LENGTH + Buffer.byteLength(json))
  message[0] = kind
  message.write(json, KIND_LENGTH)
  return message
}

export const encodeRecord = (record: DataRecord): Uint8Array => encode(RECORD, record)

export const encodeEnd = (end: EndRecord): Uint8Array => encode(END, end)

const text = (message: Uint8Array): string =>
  Buffer.from(message.buffer, message.byteOffset, message.byteLength).toString("utf8", KIND_LENGTH)

/** The record of a message of kind `RECORD`; throws on any other. */
export const recordOf = (message: Uint8Array): DataRecord => {
  if (message[0] !== RECORD) {
    throw new TypeError("not a record")
  }
  return JSON.parse(text(message))
}

/** The end record of a message of kind `END`; throws when it is not one. */
export const endOf = (message: Uint8Array): EndRecord => decodeEnd(JSON.parse(text(message)))

/** What the sender and the receiver each keep of the messages that passed. */
export class Tally {
  count = 0
  bytes = 0
  checksum = 0

  add(message: Uint8Array): void {
    this.count++
    this.bytes += message.byteLength
    this.checksum = zlib.crc32(message, this.checksum)
  }

  end(): EndRecord {
    return { count: this.count, checksum: this.checksum }
  }
}
