/** Records of a store as messages: in memory of their own, or where they lie. */
import type { RecordCursor } from "../commitlog/RecordCursor.ts"
import { StoredMessage } from "../Message.ts"
import { Slab } from "../reading/Slab.ts"

/** Zeros in it would only be written over: 32 KiB of them take 5 us, without it is 1. */
const allocate = (length: number): Uint8Array => new Uint8Array(Buffer.allocUnsafeSlow(length).buffer)

/** Where all stores of this thread copy records to. */
const slab = new Slab(allocate)

/** A copy of a record, which may be kept. */
export const messageOf = (record: RecordCursor): StoredMessage => {
  const at = slab.copy(record)
  return new StoredMessage(slab.window, at)
}

/** The record itself, which is valid as long as the memory that it lies in. */
export const borrowedMessageOf = ({ at, bytes, view }: RecordCursor): StoredMessage =>
  new StoredMessage({ bytes, view, base: 0 }, at)
