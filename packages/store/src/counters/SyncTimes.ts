/**
 * How long syncs took, in classes: eight between a power of two and the next, so that a quantile is at most an eighth too
 * long, whatever the number of syncs. The longest is kept as it was.
 */
import { assert } from "@millrace/core/kernel/memory/Assert"

const NS_PER_US = 1000
/** Classes between a power of two and the next are told apart by so many bits. */
const CLASS_BITS = 3
const CLASSES = 1 << CLASS_BITS
/** 36 minutes; what takes longer counts as that. */
const US_MAX = 0x7fff_ffff

const classOf = (us: number): number => {
  if (us < CLASSES) {
    return us
  }
  const shift = 31 - Math.clz32(us) - CLASS_BITS
  return ((shift + 1) << CLASS_BITS) + ((us >>> shift) & (CLASSES - 1))
}

/** The shortest time in microseconds that is beyond a class. */
const endOf = (place: number): number => {
  if (place < CLASSES) {
    return place + 1
  }
  const shift = (place >>> CLASS_BITS) - 1
  return (CLASSES + (place & (CLASSES - 1)) + 1) * 2 ** shift
}

export class SyncTimes {
  readonly #counts = new Uint32Array(classOf(US_MAX) + 1)
  count = 0
  maxNs = 0

  add(ns: number): void {
    const us = Math.min(US_MAX, Math.max(0, Math.floor(ns / NS_PER_US)))
    const place = classOf(us)
    this.#counts[place] = this.#counts[place]! + 1
    this.count++
    this.maxNs = Math.max(this.maxNs, ns)
  }

  /** The time that a part of the syncs, from 0 to 1, took at most; 0 where there were none. */
  quantileNs(part: number): number {
    assert(part >= 0 && part <= 1, "a quantile is a part of the whole")
    const rank = Math.max(1, Math.ceil(part * this.count))
    let seen = 0
    for (let place = 0; place < this.#counts.length && this.count > 0; place++) {
      seen += this.#counts[place]!
      if (seen >= rank) {
        // The last class has no end.
        return place + 1 < this.#counts.length ? Math.min(this.maxNs, endOf(place) * NS_PER_US) : this.maxNs
      }
    }
    return 0
  }

  clear(): void {
    this.#counts.fill(0)
    this.count = 0
    this.maxNs = 0
  }
}
