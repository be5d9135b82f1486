/**
 * Numbers as a reader wants them. The forms do not follow the reader's locale: output is compared and searched.
 */
const grouping = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 })

/** `1234567` as `1,234,567`. */
export const grouped = (value: number | bigint): string => grouping.format(value)

const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB"] as const

/** `1784867` as `1.8 MB` (decimal units: 1 MB is 1,000,000 bytes). */
export const bytes = (value: number): string => {
  let scaled = value
  let unit = 0
  while (scaled >= 999.5 && unit < BYTE_UNITS.length - 1) {
    scaled /= 1000
    unit++
  }
  return `${unit === 0 || scaled >= 100 ? Math.round(scaled) : scaled.toFixed(1)} ${BYTE_UNITS[unit]}`
}

/** Milliseconds as `850 ms`, `12.3 s` or `2 min 05 s`. */
export const duration = (milliseconds: number): string => {
  if (milliseconds < 1000) {
    return `${Math.round(milliseconds)} ms`
  }
  if (milliseconds < 60_000) {
    return `${(milliseconds / 1000).toFixed(1)} s`
  }
  const seconds = Math.round(milliseconds / 1000)
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`
}

/** Short times in milliseconds, with three digits where that is no pretence: `0.42 ms`, `8.3 ms`, `250 ms`, `1.2 s`. */
export const latency = (milliseconds: number): string => {
  if (milliseconds >= 100) {
    return duration(milliseconds)
  }
  return `${milliseconds.toFixed(milliseconds < 1 ? 2 : 1)} ms`
}

/** How many a second, given what happened in how many milliseconds. */
export const perSecond = (count: number, milliseconds: number): number =>
  Math.round((count * 1000) / Math.max(milliseconds, 1))

export const plural = (count: number, noun: string): string => `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`
