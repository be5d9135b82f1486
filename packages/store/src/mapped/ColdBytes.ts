/**
 * Which bytes of a queue of files may have to come from the device before they can be read: those that this process has
 * neither written nor brought in lately. Touching such a byte of a mapping stops the whole loop until the device has
 * answered (183 ms at worst, seen on a busy one); brought in beforehand, off the loop, it stops nobody.
 *
 * What the system drops from memory in between it does not say: what was brought in counts as warm for a while only.
 */

/** Bytes are brought in by parts of this length, and by as many as `AHEAD_PARTS` where they are read one behind the other. */
const PART_LENGTH = 128 * 1024
const AHEAD_PARTS = 16
const WARM_NS = 10_000_000_000
/** Parts remembered; with more of them all count as cold again. */
const PARTS_MAX = 65_536
/** What was written this many bytes ago is still in memory. */
const HOT_LENGTH = 256 * 1024 * 1024

export interface ByteRange {
  readonly position: number
  readonly length: number
}

/** A range that is to be brought in, and what of it is wanted; the rest comes with it. */
export interface ColdPart extends ByteRange {
  readonly wanted: ByteRange
}

export class ColdBytes {
  /** Until when a part counts as warm, by its number. */
  readonly #warmUntil: Map<number, number> = new Map()
  /** Bytes from here on were written by this process. */
  writtenFrom: number = Number.POSITIVE_INFINITY

  /** Whether everything from `position` on is in memory, when the last byte stands before `end`. */
  isHot(position: number, end: number): boolean {
    return position >= this.writtenFrom && position >= end - HOT_LENGTH
  }

  /**
   * What has to be brought in before `length` bytes at `position` are read, up to `end` at most; undefined for nothing.
   * It begins at or before `position`, and may end before the last of the bytes: ask again.
   */
  rangeOf(position: number, length: number, end: number, nowNs: number): ColdPart | undefined {
    const last = Math.floor((Math.min(position + length, end) - 1) / PART_LENGTH)
    let part = Math.floor(position / PART_LENGTH)
    while (part <= last && (this.#isWarm(part, nowNs) || this.isHot(Math.max(position, part * PART_LENGTH), end))) {
      part++
    }
    if (part > last) {
      return undefined
    }
    const count = this.#isWarm(part - 1, nowNs) ? AHEAD_PARTS : 1
    const from = part * PART_LENGTH
    const wantedFrom = Math.max(from, position)
    return {
      position: from,
      length: Math.min(end, Math.max(part + count, last + 1) * PART_LENGTH) - from,
      wanted: { position: wantedFrom, length: Math.min(position + length, end) - wantedFrom }
    }
  }

  #isWarm(part: number, nowNs: number): boolean {
    return (this.#warmUntil.get(part) ?? 0) > nowNs
  }

  /** A range was not brought in after all. */
  onFailed({ length, position }: ByteRange): void {
    for (let at = position; at < position + length; at += PART_LENGTH) {
      this.#warmUntil.delete(Math.floor(at / PART_LENGTH))
    }
  }

  /** Notes that a range, which begins with a part, was brought in. */
  onWarm({ length, position }: ByteRange, nowNs: number): void {
    if (this.#warmUntil.size > PARTS_MAX) {
      this.#warmUntil.clear()
    }
    for (let at = position; at < position + length; at += PART_LENGTH) {
      this.#warmUntil.set(Math.floor(at / PART_LENGTH), nowNs + WARM_NS)
    }
  }
}
