/** Waits until subscribers have read all of a publication, for as long as there are any. */
import type { Client } from "@millrace/transport/Client"
import type { Publication } from "@millrace/transport/Publication"
import type { TransportError } from "@millrace/transport/TransportError"
import * as Effect from "effect/Effect"

const POLL_INTERVAL = "5 millis"
/** A driver that was idle looks at its publications after 50 ms at the latest. */
const LIMIT_SETTLES = "150 millis"

/** Type ids of counters, as every Aeron driver has them. */
const SENDER_POSITION_TYPE_ID = 2
const SUBSCRIBER_POSITION_TYPE_ID = 4

/**
 * Gives the number of bytes of log that nobody has read when the last subscriber leaves: 0 when all is read. While there
 * are subscribers on this machine their position counters show how far they are; a network publication has that of its
 * sender, and what was sent its driver repeats for a while after we are gone. When the last subscriber has left, the
 * driver puts the limit of the publication to where the fastest had come.
 */
export const drained = Effect.fnUntraced(function* (
  client: Client["Service"],
  publication: Publication
): Effect.fn.Return<number, TransportError> {
  const end = yield* publication.position
  for (;;) {
    if (!(yield* publication.isConnected)) {
      yield* Effect.sleep(LIMIT_SETTLES)
      return Math.max(0, end - (yield* publication.positionLimit))
    }
    const positions = readPositions(yield* client.counters, publication.originalRegistrationId)
    if (positions.length > 0 && positions.every((position) => position >= end)) {
      return 0
    }
    yield* Effect.sleep(POLL_INTERVAL)
  }
})

type Counters = Effect.Success<Client["Service"]["counters"]>

const readPositions = (counters: Counters, publicationId: bigint): ReadonlyArray<number> =>
  counters
    .filter(({ referenceId, registrationId, typeId }) =>
      typeId === SENDER_POSITION_TYPE_ID
        ? registrationId === publicationId
        : typeId === SUBSCRIBER_POSITION_TYPE_ID && referenceId === publicationId
    )
    .map(({ value }) => Number(value))
