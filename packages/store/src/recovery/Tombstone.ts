/**
 * Records that stand in the place of damaged bytes, so that the log can be read over them: by this store and by RocketMQ.
 * They are those of a rolled-back transaction, which no queue and no index takes up, under a topic of their own; their
 * body is what stood there, as much as fits.
 */
import { assert } from "@millrace/core/kernel/memory/Assert"
import * as HostAddress from "../commitlog/HostAddress.ts"
import * as RecordDescriptor from "../commitlog/RecordDescriptor.ts"
import { RecordEncoder } from "../commitlog/RecordEncoder.ts"
import * as SysFlag from "../commitlog/SysFlag.ts"
import * as Utf8 from "../commitlog/Utf8.ts"

const TOPIC = Utf8.encode("MILLRACE_DAMAGED")
const HOST = HostAddress.parse("127.0.0.1:0")!
/** A long stretch becomes several records: no reader has to take one that is longer than a message may be. */
const LENGTH_MAX = 1024 * 1024

/** The shortest stretch that a record fits into; the shortest record that was ever stored is no shorter. */
export const LENGTH_MIN = RecordDescriptor.RECORD_LENGTH_MIN + 1

/** The bytes that replace `damaged`, which begins at `position`. `damaged` is at least `LENGTH_MIN` long. */
export const encode = (damaged: Uint8Array, position: number, storeTimestamp: number): Uint8Array => {
  assert(damaged.length >= LENGTH_MIN, "a stretch shorter than any record")
  const replaced = new Uint8Array(damaged.length)
  for (let at = 0; at < damaged.length;) {
    const left = damaged.length - at
    // What is left over must be long enough for a record of its own.
    const length = left <= LENGTH_MAX ? left : Math.min(LENGTH_MAX, left - LENGTH_MIN)
    encodeOne(damaged.subarray(at, at + length), position + at, storeTimestamp, replaced.subarray(at, at + length))
    at += length
  }
  return replaced
}

const encodeOne = (damaged: Uint8Array, position: number, storeTimestamp: number, target: Uint8Array): void => {
  const { length } = target
  const spare = length - RecordDescriptor.RECORD_LENGTH_MIN
  // A store may demand a CRC over each whole record, and only the shortest records have no room for one.
  const appendCrcProperty = spare > RecordDescriptor.CRC_PROPERTY_LENGTH
  const room = appendCrcProperty ? spare - RecordDescriptor.CRC_PROPERTY_LENGTH : spare
  const topic = TOPIC.subarray(0, Math.min(TOPIC.length, room))
  const body = damaged.subarray(0, room - topic.length)
  const encoder = new RecordEncoder({ appendCrcProperty, defaultBornHost: HOST, defaultStoreHost: HOST })
  const message = { topic: "", body, sysFlag: SysFlag.TRANSACTION_ROLLBACK, bornTimestamp: storeTimestamp }
  const encoded = encoder.encode(0, message, topic, storeTimestamp)
  assert(encoded === length, "a record of another length than its stretch")
  encoder.stamp(0, length, position, 0, storeTimestamp)
  target.set(encoder.bytes.subarray(0, length))
}
