/** What both processes of the benchmark must agree on. */

export const LENGTH = 32
export const STREAM_ID = 1001
/** Messages of one run. */
export const COUNT = 5_000_000
export const SMOKE_COUNT = 20_000
/** Messages handed to one call of the publication. */
export const PUBLISH_COUNT = 4096
export const RAW_LOG_FILE = "raw.logbuffer"
export const POSITION_FILE = "position"
