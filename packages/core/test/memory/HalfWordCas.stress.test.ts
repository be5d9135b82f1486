import { assert, describe, it } from "@effect/vitest"
import { halfWordAtomicsAreCoherent } from "../../src/memory/Ordering.ts"
import * as Peers from "../Peers.ts"
import * as SharedTails from "./SharedTails.ts"

/**
 * Four threads or processes claim 8 bytes at a time from tails that start just below a carry, one tail after the other.
 * Allowed: a claim is of one of them; a claim before the carry is of nobody, because others had carried the tail over
 * before its claimer looked at the high half again. Forbidden: a claim of two; a claim of nobody behind the carry.
 */
describe.skipIf(!halfWordAtomicsAreCoherent)("a compare-and-set of the low half among those of the whole word", () => {
  for (const mode of ["workers", "processes"] as const) {
    it(`gives each claim to one of four, of which two compare the whole word, in ${mode}`, async () => {
      const tailCount = Math.ceil(Peers.countOr(200_000) / SharedTails.CLAIMS)
      const shared = Peers.share(mode, SharedTails.regionLength(tailCount))
      try {
        const memory = shared.region.buffer()
        SharedTails.start(memory, tailCount)
        const peers = (["low", "whole", "low", "whole"] as const).map((way) =>
          shared.start(import.meta.url, "./tailClaimer.peer.ts", { way, tailCount })
        )
        const claimed = await Promise.all(peers.map((peer) => peer.result as Promise<number>))
        const nobodys = SharedTails.check(memory, tailCount)
        assert.strictEqual(
          claimed.reduce((sum, count) => sum + count, 0),
          tailCount * SharedTails.CLAIMS - nobodys
        )
      } finally {
        shared.remove()
      }
    })
  }
})
