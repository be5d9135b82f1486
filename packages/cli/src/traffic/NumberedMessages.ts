/** Messages 0, 1, 2, … of one length, as many at a time as cost nothing but their bytes. */
import type { MessageEncoder, Publication } from "@millrace/transport/Publication"
import type { TransportError } from "@millrace/transport/TransportError"
import * as Effect from "effect/Effect"

/** Messages of one call. */
const BATCH_COUNT = 4096
/** Of those that are too long to be written in place. */
const BATCH_BYTES_MAX = 4 * 1024 * 1024

const ZERO = 48

/** The number with leading zeros to the length, or its last digits. */
const writeNumber = (bytes: Uint8Array, offset: number, length: number, number: number): void => {
  let rest = number
  let end = offset + length
  while (rest > 0 && end > offset) {
    const tens = Math.floor(rest / 10)
    bytes[--end] = ZERO + rest - 10 * tens
    rest = tens
  }
  bytes.fill(ZERO, offset, end)
}

/** Waits for subscribers and for room. `length` is at most the longest message of the publication. */
export const publish = Effect.fnUntraced(function* (
  { maxPayloadLength, publishBatch, publishMany }: Publication,
  { count, length }: { readonly count: number; readonly length: number }
): Effect.fn.Return<void, TransportError> {
  let first = 0
  const encode: MessageEncoder = (bytes, offset, index) => {
    writeNumber(bytes, offset, length, first + index)
    return length
  }
  const batchMax = Math.max(1, Math.min(BATCH_COUNT, Math.floor(BATCH_BYTES_MAX / length)))
  for (; first < count; first += batchMax) {
    const batch = Math.min(batchMax, count - first)
    yield* length <= maxPayloadLength
      ? publishBatch(batch, length, encode)
      : publishMany(
          Array.from({ length: batch }, (_, index) => {
            const message = new Uint8Array(length)
            writeNumber(message, 0, length, first + index)
            return message
          })
        )
  }
})
