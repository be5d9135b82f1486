/** Sends back every message of a stream, on another one. */
import * as ExclusivePublication from "@millrace/transport/ExclusivePublication"
import * as Subscription from "@millrace/transport/Subscription"
import type { MessageHandler } from "@millrace/transport/Subscription"
import * as Effect from "effect/Effect"
import type { PongConfig } from "./TrafficConfig.ts"

/** Looks from one turn of the event loop to the next: about two milliseconds. */
const LOOKS_PER_TURN = 65_536
/** Turns without a message after which an echo rests between them: well over a second. */
const TURNS_BEFORE_REST = 500
const REST = "1 millis"

/** Answers until it is interrupted. While messages come it spins, so that an answer goes out at once. */
export const echo = Effect.fnUntraced(function* (config: Omit<PongConfig, "driverDirectory">) {
  const subscription = yield* Subscription.make({ channel: config.channel, streamId: config.streamId })
  const publication = yield* ExclusivePublication.make({ channel: config.pongChannel, streamId: config.pongStreamId })
  let refused: Uint8Array | undefined
  let answered = 0
  const answer: MessageHandler = (bytes, offset, length) => {
    const message = bytes.subarray(offset, offset + length)
    if (publication.offerUnsafe(message) < 0) {
      refused = message.slice()
    }
    answered++
  }
  /** Ends early when a message could not be answered at once. Each look takes one, so that none is refused behind it. */
  const turn = (): void => {
    for (let looks = 0; looks < LOOKS_PER_TURN && refused === undefined; looks++) {
      if (subscription.pollUnsafe(answer, 1) < 0) {
        return
      }
    }
  }
  let turnsWithout = 0
  for (;;) {
    answered = 0
    turn()
    if (refused !== undefined) {
      yield* publication.publish(refused)
      refused = undefined
    }
    turnsWithout = answered > 0 ? 0 : turnsWithout + 1
    // Fails when the subscription has ended.
    yield* subscription.poll(answer, 1)
    yield* turnsWithout > TURNS_BEFORE_REST ? Effect.sleep(REST) : Effect.yieldNow
  }
})
