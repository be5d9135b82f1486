/** Bits of a record's sysFlag. */
export const TRANSACTION_MASK = 3 << 2
export const TRANSACTION_PREPARED = 1 << 2
export const TRANSACTION_COMMIT = 2 << 2
export const TRANSACTION_ROLLBACK = 3 << 2
export const BORN_HOST_IPV6 = 1 << 4
export const STORE_HOST_IPV6 = 1 << 5

/** Only normal and committed messages have a place in a consume queue. */
export const hasQueueEntry = (sysFlag: number): boolean => {
  const transaction = sysFlag & TRANSACTION_MASK
  return transaction === 0 || transaction === TRANSACTION_COMMIT
}
