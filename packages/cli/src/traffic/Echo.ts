/** Sends back every message of a stream, on another one. */
import * as ExclusivePublication from "@millrace/transport/ExclusivePublication"
import * as Subscription from "@millrace/transport/Subscription"
import * as Effect from "effect/Effect"
import type { PongConfig } from "./TrafficConfig.ts"

/** Looks without a message after which an echo rests between looks: well over a second of them. */
const LOOKS_BEFORE_REST = 4_000_000
const REST = "1 millis"
const POLL_LIMIT = 16

/** Answers until it is interrupted. While messages come it spins, so that an answer goes out at once. */
export const echo = Effect.fnUntraced(function* (config: Omit<PongConfig, "driverDirectory">) {
  const subscription = yield* Subscription.make({ channel: config.channel, streamId: config.streamId })
  const publication = yield* ExclusivePublication.make({ channel: config.pongChannel, streamId: config.pongStreamId })
  let refused: Uint8Array | undefined
  const poll = subscription.poll((bytes, offset, length) => {
    const message = bytes.subarray(offset, offset + length)
    if (publication.offerUnsafe(message) < 0) {
      refused = message.slice()
    }
  }, POLL_LIMIT)
  let looks = 0
  for (;;) {
    const count = yield* poll
    if (refused !== undefined) {
      yield* publication.publish(refused)
      refused = undefined
    }
    looks = count > 0 ? 0 : looks + 1
    if (looks > LOOKS_BEFORE_REST) {
      yield* Effect.sleep(REST)
    }
  }
})
