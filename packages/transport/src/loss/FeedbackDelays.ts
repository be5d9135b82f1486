/** How long receivers wait before they ask for lost data. */
import type { FeedbackDelay } from "./LossDetector.ts"

/** One receiver: at once, or after a fixed delay; then again after a multiple of it. */
export const unicast = (delayNs: number, retryRatio: number): FeedbackDelay => {
  const retryDelayNs = Math.max(delayNs, 1000) * retryRatio
  return { delayNs: () => delayNs, retryDelayNs: () => retryDelayNs }
}

/** `reliable=false`: lost data is given up as soon as it is missed. */
export const immediate: FeedbackDelay = { delayNs: () => 0, retryDelayNs: () => 0 }

/**
 * A group: a random delay, so that of all who miss the same data a few ask and the others see the answer. The
 * distribution is that of RFC 5401 with the assumed number of receivers.
 */
export const multicast = (maxBackoffNs: number, groupSize: number, random: () => number): FeedbackDelay => {
  const lambda = Math.log(groupSize) + 1
  const span = Math.expm1(lambda)
  // Uniform x in [0, e^lambda - 1) gives a delay in [0, maxBackoff) whose density grows exponentially.
  const delayNs = (): number => (maxBackoffNs / lambda) * Math.log1p(random() * span)
  return { delayNs, retryDelayNs: delayNs }
}
