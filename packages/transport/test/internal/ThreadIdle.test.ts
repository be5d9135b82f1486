import { assert, describe, it } from "@effect/vitest"
import * as IdleStrategy from "@millrace/core/IdleStrategy"
import { idleOf } from "../../src/internal/threadIdle.ts"

const idles = {
  idle: IdleStrategy.park(),
  sharedIdle: IdleStrategy.sleeping(1),
  conductorIdle: IdleStrategy.sleeping(2),
  sharedNetworkIdle: IdleStrategy.sleeping(3),
  senderIdle: IdleStrategy.sleeping(4),
  receiverIdle: IdleStrategy.sleeping(5)
}

describe("a thread of a driver", () => {
  it.each([
    ["the only one", true, [], 1],
    ["the conductor's", false, [], 2],
    ["that of sender and receiver", false, ["sender", "receiver"], 3],
    ["the sender's", false, ["sender"], 4],
    ["the receiver's", false, ["receiver"], 5]
  ] as const)("that is %s idles by its own strategy, or else by that of all", (_name, isOnlyThread, roles, sleepNs) => {
    assert.deepStrictEqual(idleOf(idles, isOnlyThread, roles), IdleStrategy.sleeping(sleepNs))
    assert.deepStrictEqual(idleOf({ idle: idles.idle }, isOnlyThread, roles), idles.idle)
    assert.isUndefined(idleOf({}, isOnlyThread, roles))
  })
})
