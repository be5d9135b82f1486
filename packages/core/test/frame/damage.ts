/** What may come of a damaged frame or datagram: a typed error, or a different valid value. Never anything else. */
import { assert } from "@effect/vitest"
import * as Result from "effect/Result"
import { FrameError } from "../../src/FrameError.ts"

export interface Codec<A> {
  readonly decode: (bytes: Uint8Array) => Result.Result<A, FrameError>
  readonly encode: (value: A) => Uint8Array
}

/**
 * Decodes every truncation and every one-bit flip of `bytes`. What decodes must encode to the very bytes it came from,
 * so that it is another value than the undamaged one. Each input is a window that ends where the bytes do: a read
 * outside would throw. Returns how many were refused and how many were taken.
 */
export const damage = <A>(codec: Codec<A>, bytes: Uint8Array): { readonly refused: number; readonly taken: number } => {
  const counts = { refused: 0, taken: 0 }
  const attempt = (damaged: Uint8Array): void => {
    const result = codec.decode(damaged)
    if (Result.isFailure(result)) {
      assert.instanceOf(result.failure, FrameError)
      assert.isTrue(result.failure.message.length > 0)
      counts.refused++
    } else {
      assert.deepStrictEqual(codec.encode(result.success), damaged)
      counts.taken++
    }
  }
  for (let length = 0; length < bytes.length; length++) {
    attempt(bytes.slice(0, length))
  }
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const damaged = bytes.slice()
    damaged[bit >> 3]! ^= 1 << (bit & 7)
    attempt(damaged)
  }
  return counts
}
