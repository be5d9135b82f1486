/**
 * What publications had accepted when their driver went away, and nobody is known to have: over IPC, what the slowest
 * subscriber had not read; over UDP, what the driver had not sent.
 */
import type { CountersReader } from "@millrace/core/kernel/counters/CountersReader"
import { SENDER_POSITION_TYPE_ID, SUBSCRIBER_POSITION_TYPE_ID } from "../driver/StreamCounters.ts"

/** Behind what was read or sent, by the id that the publication has in its driver. None without a subscriber. */
export const drainedPositions = (counters: CountersReader): ReadonlyMap<bigint, number> => {
  const positions = new Map<bigint, number>()
  counters.forEach(({ referenceId, registrationId, typeId, value }) => {
    if (typeId === SENDER_POSITION_TYPE_ID || typeId === SUBSCRIBER_POSITION_TYPE_ID) {
      // Of a subscriber over UDP the reference is its image, which no publication has as its id.
      const id = typeId === SENDER_POSITION_TYPE_ID ? registrationId : referenceId
      positions.set(id, Math.min(positions.get(id) ?? Infinity, Number(value)))
    }
  })
  return positions
}
