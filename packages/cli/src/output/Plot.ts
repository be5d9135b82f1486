/**
 * Bars drawn with block characters, in steps of an eighth of a character.
 */
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const

/** A bar whose full `width` stands for `maximum`; a positive value is never drawn as nothing. */
export const bar = (value: number, maximum: number, width: number): string => {
  if (!(value > 0) || !(maximum > 0)) {
    return ""
  }
  const eighths = Math.max(1, Math.round((Math.min(value, maximum) / maximum) * width * 8))
  return "█".repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]
}

/** The done and the remaining part of a progress bar. */
export const gauge = (value: number, maximum: number, width: number): readonly [done: string, rest: string] => {
  const cells = maximum > 0 ? Math.floor((Math.min(value, maximum) / maximum) * width) : 0
  return ["█".repeat(cells), "░".repeat(width - cells)]
}
