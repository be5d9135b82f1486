/** Waits until subscribers have read all of a publication, for as long as there are any. */
import type { Client } from "@millrace/transport/Client"
import type { Publication } from "@millrace/transport/Publication"
import type { TransportError } from "@millrace/transport/TransportError"
import * as Effect from "effect/Effect"

const POLL_INTERVAL = "5 millis"

/**
 * Gives the number of bytes of log that nobody has read when the last subscriber leaves: 0 when all is read. While there
 * are subscribers their position counters show how far they are; when the last one has left, the driver puts the limit
 * of the publication to where the fastest had come.
 */
export const drained = Effect.fnUntraced(function* (
  client: Client["Service"],
  publication: Publication
): Effect.fn.Return<number, TransportError> {
  const end = yield* publication.position
  for (;;) {
    const isConnected = yield* publication.isConnected
    const limit = yield* publication.positionLimit
    if (!isConnected) {
      return Math.max(0, end - limit)
    }
    const positions = yield* subscriberPositions(client, publication.registrationId)
    if (positions.length > 0 && positions.every((position) => position >= end)) {
      return 0
    }
    yield* Effect.sleep(POLL_INTERVAL)
  }
})

/** Type id of the counters that hold the position of a subscriber, as every Aeron driver has them. */
const SUBSCRIBER_POSITION_TYPE_ID = 4

const subscriberPositions = (client: Client["Service"], publicationId: bigint) =>
  Effect.map(client.counters, (counters) =>
    counters
      .filter(({ referenceId, typeId }) => typeId === SUBSCRIBER_POSITION_TYPE_ID && referenceId === publicationId)
      .map(({ value }) => Number(value))
  )
