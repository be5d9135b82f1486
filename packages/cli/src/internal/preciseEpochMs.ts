/**
 * Milliseconds since 1970 with their fractions, from the monotonic clock: processes of one machine that started after the
 * last step of the wall clock agree on it.
 */
export const preciseEpochMs = (): number => performance.timeOrigin + performance.now()
