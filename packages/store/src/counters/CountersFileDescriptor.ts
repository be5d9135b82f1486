/**
 * `config/counters.dat`: what the process that has a store open says of itself, for whoever looks from outside. It is no
 * part of the data: made anew with each opening, removed with the closing, left by a process that is killed (then its
 * heartbeat has stopped), and not there for a store in memory or one that is only read. RocketMQ does not know it.
 *
 * ```
 *  +---------------------------------+ 0
 *  |  Metadata (COUNT records)       |   records as in any counters of Aeron's: type id and label
 *  +---------------------------------+ COUNT * 512
 *  |  Values (COUNT records)         |
 *  +---------------------------------+ COUNT * 640
 * ```
 *
 * The length of the file says how many there are; a counter is found by its type id. All of them are written once a
 * second, the heartbeat last: whoever finds the same heartbeat before and after has read one second's figures. Little-endian.
 */
import * as CountersDescriptor from "@millrace/core/kernel/counters/CountersDescriptor"

/** When the counters were written last: milliseconds since the epoch. */
export const HEARTBEAT = 1300
/** The process that has the store open. */
export const PID = 1301
/** When it had opened the store: milliseconds since the epoch. */
export const OPENED = 1302
/** Messages put since then. */
export const PUT_MESSAGES = 1303
/** Bytes by which the log has grown since then. */
export const PUT_BYTES = 1304
/** Messages read by queue since then. */
export const GET_MESSAGES = 1305
/** Bytes of their records. */
export const GET_BYTES = 1306
/** Calls refused since then. */
export const REFUSALS = 1307
/** Behind the last record of the log. */
export const MAX_POSITION = 1308
/** Up to where it can be read: with a transient pool less than all. */
export const COMMITTED_POSITION = 1309
/** Up to where it is on the device. */
export const FLUSHED_POSITION = 1310
/** Up to where it is in queues and index. */
export const DISPATCHED_POSITION = 1311
/** Syncs of the log, the queues and the index since then. */
export const SYNCS = 1312
/** Nanoseconds that they took, all together. */
export const SYNC_TIME_NS = 1313
/** When the last second with syncs ended: milliseconds since the epoch; 0 before the first. */
export const LAST_SYNCS = 1314
/** Nanoseconds that half of the syncs of that second took at most. */
export const SYNC_P50_NS = 1315
/** Nanoseconds that 99 of 100 of them took at most. */
export const SYNC_P99_NS = 1316
/** Nanoseconds that the longest of them took. */
export const SYNC_MAX_NS = 1317
/** Readers that wait for a message. */
export const WAITING_READERS = 1318
/** 1 while the store takes messages. */
export const WRITEABLE = 1319

/** Counters of the file, and their labels, in the order of their ids. */
export const LABELS: ReadonlyArray<readonly [typeId: number, label: string]> = [
  [HEARTBEAT, "store heartbeat (ms)"],
  [PID, "store process"],
  [OPENED, "store opened (ms)"],
  [PUT_MESSAGES, "store messages put"],
  [PUT_BYTES, "store bytes put"],
  [GET_MESSAGES, "store messages read"],
  [GET_BYTES, "store bytes read"],
  [REFUSALS, "store calls refused"],
  [MAX_POSITION, "store log end"],
  [COMMITTED_POSITION, "store log committed"],
  [FLUSHED_POSITION, "store log flushed"],
  [DISPATCHED_POSITION, "store log dispatched"],
  [SYNCS, "store syncs"],
  [SYNC_TIME_NS, "store time in syncs (ns)"],
  [LAST_SYNCS, "store last second with syncs (ms)"],
  [SYNC_P50_NS, "store sync p50 of that second (ns)"],
  [SYNC_P99_NS, "store sync p99 of that second (ns)"],
  [SYNC_MAX_NS, "store sync max of that second (ns)"],
  [WAITING_READERS, "store readers that wait"],
  [WRITEABLE, "store takes messages"]
]

const RECORDS_LENGTH = CountersDescriptor.METADATA_RECORD_LENGTH + CountersDescriptor.VALUE_RECORD_LENGTH

/** Length of the file in bytes. */
export const FILE_LENGTH = LABELS.length * RECORDS_LENGTH

/** Longest file that is looked at: later ones may have more counters. */
export const FILE_LENGTH_MAX = 1024 * RECORDS_LENGTH

/** How many counters a file has; -1 where its length is not that of any. */
export const countOf = (fileLength: number): number =>
  fileLength > 0 && fileLength <= FILE_LENGTH_MAX && fileLength % RECORDS_LENGTH === 0
    ? fileLength / RECORDS_LENGTH
    : -1
