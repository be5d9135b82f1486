/** What happened between two samples, as so much a second. */

/** Nothing where there is no sample before; 0 where a count began anew. */
export const wholePerSecond = (now: number, before: number | undefined, elapsedMs: number): number | null =>
  before === undefined || !(elapsedMs > 0) ? null : Math.max(0, Math.round(((now - before) * 1000) / elapsedMs))
