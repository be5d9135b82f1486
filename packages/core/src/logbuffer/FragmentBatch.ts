/**
 * Messages of one image in one buffer: for each message its offset and length there, the position behind it, its flags
 * and reserved value. Fragmented messages are in it assembled; PAD is not.
 *
 * A batch is *borrowed* or *owned*. A borrowed one is the log itself, or the assembler's slab: it is valid until the
 * next read into it, and the driver must not clean those bytes before, so its reader moves the subscriber position
 * only with the next read. `toOwned` copies it: an owned batch may be kept and belongs to nobody else.
 */
import { assert } from "../memory/Assert.ts"
import { assertOpen, type RegionState } from "../memory/RegionState.ts"
import type { FragmentAssembler } from "./FragmentAssembler.ts"

export class FragmentBatch {
  sessionId = 0
  streamId = 0
  /** The memory of all messages. */
  buffer: Uint8Array<ArrayBufferLike> = new Uint8Array(0)
  count = 0
  readonly offsets: Int32Array
  readonly lengths: Int32Array
  /** The position behind each message: where the stream goes on after it. */
  readonly positions: Float64Array
  readonly flags: Uint8Array
  readonly reservedValues: BigInt64Array
  isOwned = false
  /** Of the region that a borrowed batch lies in; an assembled or owned one lies in memory of its own. */
  state: RegionState | undefined = undefined
  /** The reserved values by words: copying a BigInt allocates outside optimised code. */
  readonly reservedWords: Int32Array

  constructor(capacity: number) {
    assert(capacity > 0, "a batch holds at least one message")
    this.offsets = new Int32Array(capacity)
    this.lengths = new Int32Array(capacity)
    this.positions = new Float64Array(capacity)
    this.flags = new Uint8Array(capacity)
    this.reservedValues = new BigInt64Array(capacity)
    this.reservedWords = new Int32Array(this.reservedValues.buffer)
  }

  /** How many messages it can hold. */
  get capacity(): number {
    return this.offsets.length
  }

  /** The bytes of a message: a view, valid as long as the batch is. */
  message(index: number): Uint8Array<ArrayBufferLike> {
    assert(index >= 0 && index < this.count, "a batch has no message of this index")
    this.assertReadable()
    const offset = this.offsets[index]!
    return this.buffer.subarray(offset, offset + this.lengths[index]!)
  }

  /** A copy that may be kept: one copy of the bytes from the first message to the last. */
  toOwned(): FragmentBatch {
    this.assertReadable()
    const count = this.count
    const owned = new FragmentBatch(Math.max(count, 1))
    owned.sessionId = this.sessionId
    owned.streamId = this.streamId
    owned.count = count
    owned.isOwned = true
    if (count > 0) {
      const begin = this.offsets[0]!
      const end = this.offsets[count - 1]! + this.lengths[count - 1]!
      owned.buffer = this.buffer.slice(begin, end)
      for (let index = 0; index < count; index++) {
        owned.offsets[index] = this.offsets[index]! - begin
        owned.lengths[index] = this.lengths[index]!
        owned.positions[index] = this.positions[index]!
        owned.flags[index] = this.flags[index]!
        owned.reservedWords[2 * index] = this.reservedWords[2 * index]!
        owned.reservedWords[2 * index + 1] = this.reservedWords[2 * index + 1]!
      }
    }
    return owned
  }

  /** Becomes the one message that an assembler completed. */
  setAssembled(assembler: FragmentAssembler): void {
    const header = assembler.header
    this.sessionId = header.sessionId
    this.streamId = header.streamId
    this.buffer = assembler.bytes
    this.state = undefined
    this.count = 1
    this.offsets[0] = 0
    this.lengths[0] = assembler.length
    this.positions[0] = header.position
    this.flags[0] = header.flags
    this.reservedWords[0] = header.reservedLow
    this.reservedWords[1] = header.reservedHigh
  }

  private assertReadable(): void {
    if (this.state !== undefined) {
      assertOpen(this.state)
    }
  }
}
