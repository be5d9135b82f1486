/** How long receivers wait before they ask for lost data. */
import type { FeedbackDelay } from "./LossDetector.ts"

/** One receiver: at once, or after a fixed delay; then again after a multiple of it. */
export const unicast = (delayNs: number, retryRatio: number): FeedbackDelay => {
  const retryDelayNs = Math.max(delayNs, 1000) * retryRatio
  return { delayNs: () => delayNs, retryDelayNs: () => retryDelayNs }
}

/** `reliable=false`: lost data is given up as soon as it is missed. */
export const immediate: FeedbackDelay = { delayNs: () => 0, retryDelayNs: () => 0 }
