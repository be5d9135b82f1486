/** Numbers as the command line has them. */
const grouping = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 })
const UNITS = ["B", "kB", "MB", "GB", "TB"]

export const grouped = (value) => grouping.format(value)

export const bytes = (value) => {
  let scaled = value
  let unit = 0
  while (scaled >= 999.5 && unit < UNITS.length - 1) {
    scaled /= 1000
    unit++
  }
  return `${unit === 0 || scaled >= 100 ? Math.round(scaled) : scaled.toFixed(1)} ${UNITS[unit]}`
}

export const rate = (value) => (value === null ? "–" : `${bytes(value)}/s`)

export const duration = (milliseconds) => {
  if (milliseconds < 1000) {
    return `${Math.round(milliseconds)} ms`
  }
  if (milliseconds < 60_000) {
    return `${(milliseconds / 1000).toFixed(1)} s`
  }
  const seconds = Math.round(milliseconds / 1000)
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`
}

/** Short times in milliseconds. */
export const latency = (milliseconds) =>
  milliseconds >= 100 ? duration(milliseconds) : `${milliseconds.toFixed(milliseconds < 1 ? 2 : 1)} ms`

export const time = (ms) => new Date(ms).toISOString().slice(0, 19).replace("T", " ")
