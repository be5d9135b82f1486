/** What happened between two samples, as so much a second. */

/** Nothing where there is no sample before; 0 where a count began anew. */
export const perSecond = (now: number, before: number | undefined, elapsedMs: number): number | null =>
  before === undefined || !(elapsedMs > 0) ? null : Math.max(0, ((now - before) * 1000) / elapsedMs)

/** Whole ones, as JSON has them. */
export const wholePerSecond = (now: number, before: number | undefined, elapsedMs: number): number | null => {
  const rate = perSecond(now, before, elapsedMs)
  return rate === null ? null : Math.round(rate)
}
