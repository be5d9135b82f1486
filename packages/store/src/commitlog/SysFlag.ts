/** Bits of a record's sysFlag. */
/** The body is compressed; by what, three further bits say: 0 zlib as old clients wrote it, 1 LZ4, 2 Zstandard, 3 zlib. */
export const COMPRESSED = 1 << 0
export const COMPRESSION_TYPE_SHIFT = 8
export const COMPRESSION_TYPE_MASK = 7 << COMPRESSION_TYPE_SHIFT
export const TRANSACTION_MASK = 3 << 2
export const TRANSACTION_PREPARED = 1 << 2
export const TRANSACTION_COMMIT = 2 << 2
export const TRANSACTION_ROLLBACK = 3 << 2
export const BORN_HOST_IPV6 = 1 << 4
export const STORE_HOST_IPV6 = 1 << 5

/** The body is a batch that a client has put together: one record for several messages. */
export const INNER_BATCH = 1 << 7

export const isInnerBatch = (sysFlag: number): boolean => (sysFlag & INNER_BATCH) !== 0

/** Only normal and committed messages have a place in a queue. */
export const hasQueueEntry = (sysFlag: number): boolean => {
  const transaction = sysFlag & TRANSACTION_MASK
  return transaction === 0 || transaction === TRANSACTION_COMMIT
}
