/** What the processes of the benchmark beside Java must agree on. */

export type Role = "publishBatches" | "publishArrays" | "subscribeBatches" | "subscribeStream" | "ping" | "pong"

/** How many messages the next run has; none ends the process. */
export interface Run {
  readonly count: number
}

/** Messages of one call of ours. */
export const BATCH_COUNT = 4096
export const STREAM_ID = 1001
export const PING_STREAM_ID = 1002
export const PONG_STREAM_ID = 1003
