/**
 * What was read, cut and rebuilt when a store was opened.
 *
 * @since 0.1.0
 */
import type { RecoveryReport as KernelReport } from "./recovery/Recovery.ts"

/**
 * The report of an opening: how the last process ended, what was read, what was cut at the end of the log and why, and
 * what of the queues was rebuilt.
 *
 * @category models
 * @since 0.1.0
 */
export type RecoveryReport = KernelReport
