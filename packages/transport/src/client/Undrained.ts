/**
 * What a publication had accepted when its driver went away, and nobody is known to have: over IPC, what its slowest
 * subscriber had not read; over UDP, what the driver had not sent.
 */
import type { CountersReader } from "@millrace/core/kernel/counters/CountersReader"
import { SENDER_POSITION_TYPE_ID, SUBSCRIBER_POSITION_TYPE_ID } from "../driver/StreamCounters.ts"
import type { ClientPublication } from "./ClientPublication.ts"

/** Bytes of log, headers and padding among them. 0 without a subscriber. */
export const undrainedLength = (counters: CountersReader, publication: ClientPublication): number => {
  const { closedPosition, originalRegistrationId } = publication
  let drained = Infinity
  counters.forEach(({ referenceId, registrationId, typeId, value }) => {
    const isSender = typeId === SENDER_POSITION_TYPE_ID && registrationId === originalRegistrationId
    // Of a subscriber over UDP this is the id of its image, which no publication has.
    const isSubscriber = typeId === SUBSCRIBER_POSITION_TYPE_ID && referenceId === originalRegistrationId
    if (isSender || isSubscriber) {
      drained = Math.min(drained, Number(value))
    }
  })
  return drained === Infinity ? 0 : Math.max(0, closedPosition - drained)
}
