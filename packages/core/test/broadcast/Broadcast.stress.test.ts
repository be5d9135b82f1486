import { assert, describe, it } from "@effect/vitest"
import * as BroadcastDescriptor from "../../src/broadcast/BroadcastDescriptor.ts"
import { BroadcastTransmitter } from "../../src/broadcast/BroadcastTransmitter.ts"
import * as Peers from "../Peers.ts"
import { encode, END_TYPE_ID, READY_INDEX, TYPE_ID } from "./StressBroadcast.ts"

const CAPACITY = 16 * 1024
const BUFFER_LENGTH = CAPACITY + BroadcastDescriptor.TRAILER_LENGTH
/** After how many messages each receiver pauses: one keeps up, the others fall behind. */
const PAUSES = [1_000_000, 50, 1]

interface Result {
  readonly received: number
  readonly lapped: number
  readonly last: number
}

const transmitAll = async (
  shared: Peers.SharedRegion,
  receivers: ReadonlyArray<Peers.Peer>,
  messageCount: number
): Promise<void> => {
  const transmitter = new BroadcastTransmitter(shared.region.buffer(0, BUFFER_LENGTH))
  const ready = shared.region.buffer(BUFFER_LENGTH).int32
  const bytes = new Uint8Array(256)
  const view = new DataView(bytes.buffer)
  const random = Peers.random(Peers.seed)
  while (Atomics.load(ready, READY_INDEX) < receivers.length && receivers.every((receiver) => receiver.isRunning())) {
    await Peers.turn()
  }
  for (let sequence = 0; sequence < messageCount; sequence++) {
    transmitter.transmit(TYPE_ID, bytes, 0, encode(bytes, view, sequence))
    // Bursts of different lengths, with time in between for those who keep up.
    if (random() % 64 === 0) {
      Peers.pause()
    }
  }
  while (receivers.some((receiver) => receiver.isRunning())) {
    transmitter.transmit(END_TYPE_ID, bytes, 0, 0)
    await Peers.turn()
    Peers.pause()
  }
}

describe("a broadcast under stress", () => {
  for (const mode of ["workers", "processes"] as const) {
    it(`hands on no torn or repeated message in ${mode}, and leaves none out without saying so`, async () => {
      const messageCount = Peers.countOr(100_000)
      const shared = Peers.share(mode, BUFFER_LENGTH + 64)
      try {
        const receivers = PAUSES.map((pauseEvery) =>
          shared.start(import.meta.url, "./broadcastReceiver.peer.ts", { capacity: BUFFER_LENGTH, pauseEvery })
        )
        await transmitAll(shared, receivers, messageCount)
        const results = (await Promise.all(receivers.map((receiver) => receiver.result))) as ReadonlyArray<Result>
        for (const { lapped, last, received } of results) {
          assert.isAbove(received, 0)
          assert.isAtMost(last, messageCount - 1)
          assert.isTrue(received === messageCount || lapped > 0, "messages are missing and nothing was said")
        }
        assert.isAbove(results.at(-1)!.lapped, 0, "the slowest was lapped, or this run shows nothing")
      } finally {
        shared.remove()
      }
    })
  }
})
