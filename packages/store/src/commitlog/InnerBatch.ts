/**
 * Inner batches: one record whose body holds several messages, which a client has put together and takes apart again.
 * Property INNER_NUM says how many there are; the store adds INNER_BASE, the queue offset of the first.
 */
import * as BatchEntryDescriptor from "../consumequeue/BatchEntryDescriptor.ts"
import type { MessageInput } from "./MessageInput.ts"
import * as MessageProperties from "./MessageProperties.ts"
import type { RecordCursor } from "./RecordCursor.ts"
import * as SysFlag from "./SysFlag.ts"
import * as Utf8 from "./Utf8.ts"

const NUM = Utf8.encode(MessageProperties.INNER_NUM)
const BASE = Utf8.encode(MessageProperties.INNER_BASE)
const range: MessageProperties.PropertyRange = { start: 0, end: 0 }

/** Number of messages of a batch that is put: one where it does not say so, 0 where what it says is none. */
export const countOf = ({ properties, rawProperties }: MessageInput): number =>
  parseCount(
    rawProperties === undefined
      ? properties?.[MessageProperties.INNER_NUM]
      : MessageProperties.find(rawProperties, 0, rawProperties.length, NUM, range)
        ? Utf8.decode(rawProperties, range.start, range.end)
        : undefined
  )

const parseCount = (text: string | undefined): number => {
  const count = text === undefined ? 1 : /^[0-9]{1,5}$/.test(text) ? Number(text) : 0
  return count <= BatchEntryDescriptor.COUNT_MAX ? count : 0
}

/** The batch as it is stored: with the offset of its first message. */
export const withBase = (message: MessageInput, offset: number): MessageInput => {
  const { properties, rawProperties } = message
  if (rawProperties === undefined) {
    return { ...message, properties: { ...properties, [MessageProperties.INNER_BASE]: String(offset) } }
  }
  // A pair without a name counts for nothing, and of several of one name the last counts.
  const pair = Utf8.encode(`\u0002${MessageProperties.INNER_BASE}\u0001${offset}\u0002`)
  const bytes = new Uint8Array(rawProperties.length + pair.length)
  bytes.set(rawProperties)
  bytes.set(pair, rawProperties.length)
  return { ...message, rawProperties: bytes }
}

/**
 * How many offsets a record takes in its queue, from its queue offset on; 0 for a part of a transaction that is not
 * committed. A batch that says only half of what it should counts as one message.
 */
export const spanOf = (record: RecordCursor): number => {
  const { sysFlag } = record
  if (!SysFlag.hasQueueEntry(sysFlag)) {
    return 0
  }
  const isWhole = SysFlag.isInnerBatch(sysFlag) && record.rangeOf(BASE) !== undefined
  return isWhole ? Math.max(1, parseCount(record.property(NUM))) : 1
}
