/** The commands by which a terminal shows a frame in the place of another. */
const CSI = "\u001b["

/** The other screen of the terminal, empty and without a cursor; what stood there before comes back with `LEAVE`. */
export const ENTER = `${CSI}?1049h${CSI}?25l${CSI}2J`
export const LEAVE = `${CSI}?25h${CSI}?1049l`

const CLEAR_LINE_END = `${CSI}K`
const CLEAR = `${CSI}2J`

/**
 * What turns one frame into the next: over a slow line only what has changed is sent. `previous` is undefined where the
 * screen may show anything, as after a change of its size.
 */
export const change = (previous: ReadonlyArray<string> | undefined, next: ReadonlyArray<string>): string => {
  const height = Math.max(previous?.length ?? 0, next.length)
  let commands = previous === undefined ? CLEAR : ""
  for (let row = 0; row < height; row++) {
    const line = next[row] ?? ""
    if (previous === undefined || line !== previous[row]) {
      commands += `${CSI}${row + 1};1H${line}${CLEAR_LINE_END}`
    }
  }
  return commands
}
