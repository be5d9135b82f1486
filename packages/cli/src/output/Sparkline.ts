/** The last values of something as a line of blocks, the newest at the right. */
const ZERO = "▁"
const LEVELS = ["▂", "▃", "▄", "▅", "▆", "▇", "█"] as const

/** As wide as `width`; the highest value has the full height, and no value above 0 is drawn as nothing. */
export const sparkline = (values: ReadonlyArray<number>, width: number): string => {
  const shown = values.slice(Math.max(0, values.length - width))
  const maximum = shown.reduce((highest, value) => Math.max(highest, value), 0)
  const blocks = shown.map((value) =>
    value > 0 ? LEVELS[Math.min(LEVELS.length - 1, Math.floor((value / maximum) * LEVELS.length))]! : ZERO
  )
  return blocks.join("").padStart(width)
}
