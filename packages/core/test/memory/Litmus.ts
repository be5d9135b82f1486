/**
 * Litmus tests of `Ordering`: what one thread may see of the stores of another. A writer counts up and stores each
 * number in a fixed order of words; an observer reads them in a fixed order and names what it saw. The outcomes that
 * the kernels rely on never to happen are listed as forbidden.
 *
 * Words lie in cache lines of their own, so that nothing is ordered by sharing one.
 */
import { loadAcquire, storeRelease } from "../../src/memory/Ordering.ts"

type Words = Int32Array<ArrayBufferLike>

const LINE = 16
const X = 0
const Y = LINE
const Z = 2 * LINE
/** The observer stores 1 here when it has seen enough. */
export const STOP = 3 * LINE
/** Eight frames of eight words, the first word of each its length. */
const FRAMES = 4 * LINE
const FRAME_COUNT = 8
const FRAME_WORDS = 8

export const LENGTH = 4 * (FRAMES + FRAME_COUNT * FRAME_WORDS)

export interface Litmus {
  readonly write: (words: Words, value: number) => void
  /** Names the outcome. */
  readonly observe: (words: Words) => string
  readonly allowed: ReadonlyArray<string>
  readonly forbidden: ReadonlyArray<string>
}

const compare = (first: number, second: number): string =>
  second === first ? "the same" : second > first ? "a later one" : "an earlier one"

/** One publishing store after plain ones, as a frame's length after its payload. */
const messagePassing: Litmus = {
  write: (words, value) => {
    words[X] = value
    words[Z] = value
    storeRelease(words, Y, value)
  },
  observe: (words) => {
    const published = loadAcquire(words, Y)
    return compare(published, Math.min(words[X]!, words[Z]!))
  },
  allowed: ["the same", "a later one"],
  forbidden: ["an earlier one"]
}

/** Two publishing stores, as a tail and then a count, or a next tail and then the active term count. */
const storesInOrder: Litmus = {
  write: (words, value) => {
    storeRelease(words, X, value)
    storeRelease(words, Y, value)
  },
  observe: (words) => {
    const second = loadAcquire(words, Y)
    return compare(second, loadAcquire(words, X))
  },
  allowed: ["the same", "a later one"],
  forbidden: ["an earlier one"]
}

/** The same word twice, as a spinning reader of a frame length. */
const coherence: Litmus = {
  write: (words, value) => storeRelease(words, X, value),
  observe: (words) => {
    const before = loadAcquire(words, X)
    return compare(before, loadAcquire(words, X))
  },
  allowed: ["the same", "a later one"],
  forbidden: ["an earlier one"]
}

/**
 * A frame that is claimed with a negative length, filled and published. Its place is used again and again, so a frame
 * is checked only when it is still the same one afterwards. Seeing claims at all shows that no compiler takes the
 * first store for a dead one.
 */
const claimAndPublish: Litmus = {
  write: (words, value) => {
    storeRelease(words, X, -value)
    words[X + 1] = value
    words[X + 2] = value
    words[Y] = value
    storeRelease(words, X, value)
  },
  observe: (words) => {
    const length = loadAcquire(words, X)
    if (length <= 0) {
      return length < 0 ? "claimed" : "empty"
    }
    const fields = Math.min(words[X + 1]!, words[X + 2]!, words[Y]!)
    return fields < length ? "published with older fields" : "published"
  },
  allowed: ["empty", "claimed", "published"],
  forbidden: ["published with older fields"]
}

/** A batch: the first length negative, every frame plain, the first length last. */
const batch: Litmus = {
  write: (words, value) => {
    storeRelease(words, FRAMES, -value)
    for (let frame = 0; frame < FRAME_COUNT; frame++) {
      const word = FRAMES + frame * FRAME_WORDS
      if (frame > 0) {
        words[word] = value
      }
      words[word + 1] = value
      words[word + FRAME_WORDS - 1] = value
    }
    storeRelease(words, FRAMES, value)
  },
  observe: (words) => {
    const length = loadAcquire(words, FRAMES)
    if (length <= 0) {
      return length < 0 ? "claimed" : "empty"
    }
    for (let frame = 0; frame < FRAME_COUNT; frame++) {
      const word = FRAMES + frame * FRAME_WORDS
      const isWhole = words[word + 1]! >= length && words[word + FRAME_WORDS - 1]! >= length
      if (!isWhole || (frame > 0 && loadAcquire(words, word) < length)) {
        return "published in part"
      }
    }
    return "published"
  },
  allowed: ["empty", "claimed", "published"],
  forbidden: ["published in part"]
}

export const LITMUS: Readonly<Record<string, Litmus>> = {
  messagePassing,
  storesInOrder,
  coherence,
  claimAndPublish,
  batch
}
