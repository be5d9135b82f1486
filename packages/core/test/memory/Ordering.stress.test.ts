import { availableParallelism } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import * as Peers from "../Peers.ts"
import { LENGTH, LITMUS, type Litmus, STOP } from "./Litmus.ts"

/**
 * Observes a running writer at least `count` times, and counts what was seen. With a second processor it goes on until
 * it has met the writer half-way: as long as one of the two sleeps, nothing is said about their order.
 */
const observe = async (litmus: Litmus, words: Int32Array<ArrayBufferLike>, count: number) => {
  const counts = new Map<string, number>()
  while (!words.some((word) => word !== 0)) {
    await Peers.turn()
  }
  const isMet = () =>
    availableParallelism() === 1 || !litmus.allowed.includes("claimed") || (counts.get("claimed") ?? 0) > 0
  for (let seen = 0; seen < count || !isMet(); seen += 10_000) {
    await Peers.turn()
    for (let index = 0; index < 10_000; index++) {
      const outcome = litmus.observe(words)
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
    }
  }
  Atomics.store(words, STOP, 1)
  return counts
}

describe("ordered access between threads and processes", () => {
  for (const [name, litmus] of Object.entries(LITMUS)) {
    for (const mode of ["workers", "processes"] as const) {
      it(`keeps ${name} to its allowed outcomes, in ${mode}`, async () => {
        const memory = Peers.share(mode, LENGTH)
        try {
          const words = memory.region.buffer().int32
          const writer = memory.start(import.meta.url, "./litmusWriter.peer.ts", { name })
          const counts = await observe(litmus, words, Peers.countOr(1_000_000))
          assert.isAbove(Number(await writer.result), 1)
          for (const outcome of counts.keys()) {
            assert.include(litmus.allowed, outcome)
          }
          for (const outcome of litmus.forbidden) {
            assert.isUndefined(counts.get(outcome))
          }
        } finally {
          memory.remove()
        }
      })
    }
  }
})
