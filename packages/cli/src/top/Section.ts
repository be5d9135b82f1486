/** A part of a frame: lines that always stand there, and rows of which as many are shown as there is room for. */
export interface Section {
  readonly head: ReadonlyArray<string>
  readonly rows: ReadonlyArray<string>
  /** What it says where there are no rows. */
  readonly none: string
}

/** The lines of a section in `height` lines, from the row `scroll` on; how many rows are left out is said in the last. */
export const lines = (
  { head, none, rows }: Section,
  height: number,
  scroll: number,
  styleRest: (text: string) => string
): ReadonlyArray<string> => {
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
