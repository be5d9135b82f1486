/** A part of a frame: lines that always stand there, and rows of which as many are shown as there is room for. */
export interface Section {
  readonly head: ReadonlyArray<string>
  readonly rows: ReadonlyArray<string>
  /** What it says where there are no rows. */
  readonly none: string
}

/** As many rows are worth more than the facts above them. */
const ROWS_MIN = 3

/** Where there is little room the facts go, the last ones first; what it is about and the titles of its columns stay. */
const headIn = ({ head, rows }: Section, height: number): ReadonlyArray<string> => {
  const room = Math.max(2, height - Math.max(1, Math.min(rows.length, ROWS_MIN)))
  return head.length <= room ? head : [...head.slice(0, room - 1), head.at(-1)!]
}

/** The lines of a section in `height` lines, from the row `scroll` on; how many rows are left out is said in the last. */
export const lines = (
  section: Section,
  height: number,
  scroll: number,
  styleRest: (text: string) => string
): ReadonlyArray<string> => {
  const { none, rows } = section
  const head = headIn(section, height)
  const room = Math.max(0, height - head.length)
  if (rows.length === 0) {
    return [...head, styleRest(`  ${none}`)].slice(0, height)
  }
  const from = Math.min(scroll, rows.length - 1)
  const rest = rows.length - from
  if (rest <= room) {
    return [...head, ...rows.slice(from)].slice(0, height)
  }
  const shown = Math.max(0, room - 1)
  return [...head, ...rows.slice(from, from + shown), styleRest(`  … ${rest - shown} more`)].slice(0, height)
}
