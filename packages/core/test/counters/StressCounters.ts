/** Allocations of the counters' stress test: every field follows from the registration id. */
export const CAPACITY = 8
export const METADATA_LENGTH = CAPACITY * 512
export const VALUES_LENGTH = CAPACITY * 128
/** The first counter says when the readers are to stop, the second how many are reading. */
export const STOP_ID = 0
export const READY_ID = 1

export const allocationOf = (registrationId: bigint) => ({
  typeId: Number(registrationId % 2000n),
  label: `counter ${registrationId} ${"x".repeat(Number(registrationId % 300n))}`,
  key: new Uint8Array(112).fill(Number(registrationId % 256n)),
  value: -registrationId,
  registrationId,
  ownerId: registrationId * 3n,
  referenceId: registrationId * 5n
})
