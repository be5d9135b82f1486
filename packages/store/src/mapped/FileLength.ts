/**
 * Which length the files of a store were made with, told from those that are there: one or the other may be broken. It is
 * the length of most files that stand where files of that length begin.
 */
interface PlacedFile {
  readonly position: number
  readonly length: number
}

interface Votes {
  readonly length: number
  /** Files that have the length, and begin at a multiple of it. */
  readonly own: number
  /** Files that begin at a multiple of it, whatever their length. */
  readonly aligned: number
}

/** Undefined where no file has a length. */
export const of = (files: ReadonlyArray<PlacedFile>): number | undefined => {
  let best: Votes = { length: 0, own: 0, aligned: 0 }
  for (const length of new Set(files.map((file) => file.length))) {
    const votes = length > 0 ? votesFor(length, files) : best
    best = isBetter(votes, best) ? votes : best
  }
  return best.length === 0 ? undefined : best.length
}

const votesFor = (length: number, files: ReadonlyArray<PlacedFile>): Votes => {
  const aligned = files.filter(({ position }) => position % length === 0)
  return { length, own: aligned.filter((file) => file.length === length).length, aligned: aligned.length }
}

/** Of two that are as good the longer one: files are cut short more often than lengthened. */
const isBetter = (votes: Votes, other: Votes): boolean =>
  votes.own !== other.own
    ? votes.own > other.own
    : votes.aligned !== other.aligned
      ? votes.aligned > other.aligned
      : votes.length > other.length
