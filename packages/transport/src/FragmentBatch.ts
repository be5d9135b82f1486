/**
 * Messages of one image in one buffer: the fast face of a subscription.
 *
 * @since 0.1.0
 */
import type { FragmentBatch as FragmentBatchKernel } from "@millrace/core/kernel/logbuffer/FragmentBatch"

/**
 * For each message its offset and length in `buffer`, the position behind it, flags and reserved value. Fragmented
 * messages are in it assembled; padding never shows.
 *
 * **Details**
 *
 * An owned batch may be kept. A borrowed one is the log itself: it is valid until the next pull, and the driver does not
 * clean its bytes before.
 *
 * @category models
 * @since 0.1.0
 */
export type FragmentBatch = FragmentBatchKernel
