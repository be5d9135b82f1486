/**
 * Puts the fragments of the long messages of one session together.
 *
 * A message is taken only whole and in order: its fragments follow each other without a gap in positions, begin with
 * BEGIN and end with END. After a gap (PAD in place of lost data, a subscriber that joined in the middle) what was
 * collected is dropped, counted in `droppedCount`, and the next BEGIN starts anew.
 *
 * Limit: a message is at most `maxMessageLength` bytes. A longer one is dropped and counted.
 */
import * as FrameFlags from "../frame/FrameFlags.ts"
import { assert } from "../memory/Assert.ts"
import * as Bytes from "../memory/Bytes.ts"
import * as F from "./FrameDescriptor.ts"
import { FragmentHeader } from "./FragmentHeader.ts"

/** What became of a fragment. */
export const PARTIAL = 0
/** The message is whole: `bytes`, `length` and `header` of the assembler hold it until the next call. */
export const COMPLETE = 1
/** The fragment belongs to no message whose beginning was seen, or the message is beyond the limit. */
export const DROPPED = 2

const SLAB_LENGTH_MIN = 4096

export class FragmentAssembler {
  /** What was collected so far, in the first `length` bytes. A message that is complete is valid until the next call. */
  bytes = new Uint8Array(0)
  length = 0
  readonly header = new FragmentHeader()
  /** Messages whose beginning was seen and which were given up: a gap in them, or beyond the limit. */
  droppedCount = 0
  private readonly maxMessageLength: number
  private isCollecting = false
  /** Whether the last call completed a message. */
  private isComplete = false
  /** The position at which the next fragment has to begin. */
  private nextPosition = 0
  private lastFragmentLength = 0

  constructor(maxMessageLength: number) {
    assert(maxMessageLength > 0, "an assembler takes messages of at least one byte")
    this.maxMessageLength = maxMessageLength
  }

  /** Takes a fragment: a frame whose flags are not BEGIN and END at once. @returns PARTIAL, COMPLETE or DROPPED */
  onFragment(source: Uint8Array<ArrayBufferLike>, offset: number, length: number, header: FragmentHeader): number {
    this.isComplete = false
    if (FrameFlags.has(header.flags, FrameFlags.BEGIN)) {
      this.abandon()
      this.isCollecting = true
      this.length = 0
      this.header.copyFrom(header)
    } else if (header.position - F.alignFrame(length + F.HEADER_LENGTH) !== this.nextPosition) {
      this.abandon()
    }
    return this.isCollecting ? this.collect(source, offset, length, header) : DROPPED
  }

  /**
   * Takes the last fragment off the message that the last call completed: the message is incomplete again, and that
   * fragment is to come once more. @returns its length
   */
  retract(): number {
    assert(this.isComplete, "a fragment is taken back that did not complete a message")
    this.isComplete = false
    this.isCollecting = true
    this.length -= this.lastFragmentLength
    this.nextPosition -= F.alignFrame(this.lastFragmentLength + F.HEADER_LENGTH)
    return this.lastFragmentLength
  }

  /** Gives up a message that is incomplete, if there is one: its next fragment will not come. */
  abandon(): void {
    if (this.isCollecting) {
      this.isCollecting = false
      this.droppedCount += 1
    }
  }

  private collect(source: Uint8Array<ArrayBufferLike>, offset: number, length: number, header: FragmentHeader): number {
    const newLength = this.length + length
    if (newLength > this.maxMessageLength) {
      this.abandon()
      return DROPPED
    }
    if (newLength > this.bytes.length) {
      this.grow(newLength)
    }
    Bytes.copy(source, offset, this.bytes, this.length, length)
    this.length = newLength
    this.nextPosition = header.position
    if (!FrameFlags.has(header.flags, FrameFlags.END)) {
      return PARTIAL
    }
    this.isCollecting = false
    this.isComplete = true
    this.lastFragmentLength = length
    this.header.complete(header)
    return COMPLETE
  }

  private grow(length: number): void {
    let capacity = Math.max(this.bytes.length, SLAB_LENGTH_MIN)
    while (capacity < length) {
      capacity *= 2
    }
    const bytes = new Uint8Array(Math.min(capacity, Math.max(this.maxMessageLength, SLAB_LENGTH_MIN)))
    bytes.set(this.bytes.subarray(0, this.length))
    this.bytes = bytes
  }
}
