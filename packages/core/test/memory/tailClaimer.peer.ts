import { Int64Halves } from "../../src/memory/Int64Halves.ts"
import * as Peers from "../Peers.ts"
import * as SharedTails from "./SharedTails.ts"

Peers.peer<{ readonly way: "low" | "whole"; readonly tailCount: number }>((region, { tailCount, way }) => {
  const memory = region.buffer()
  const tail = new Int64Halves()
  let claimed = 0
  SharedTails.meet(memory, 4)
  for (let index = 0; index < tailCount; index++) {
    const offset = SharedTails.tailOffset(index)
    const start = SharedTails.startOf(index)
    for (;;) {
      tail.loadMonotonic(memory, offset)
      const claim = (tail.high * 2 ** 32 + (tail.low >>> 0) - start) / SharedTails.CLAIM_LENGTH
      if (claim >= SharedTails.CLAIMS) {
        break
      }
      // The last claim before the carry moves both halves.
      const carries = (tail.low >>> 0) + SharedTails.CLAIM_LENGTH >= 2 ** 32
      const isOurs =
        way === "low" && !carries
          ? tail.compareAndAddLow(memory, offset, SharedTails.CLAIM_LENGTH)
          : tail.compareAndAdd(memory, offset, SharedTails.CLAIM_LENGTH)
      if (isOurs) {
        Atomics.add(memory.bytes, SharedTails.claimIndex(tailCount, index, claim), 1)
        claimed++
      }
    }
  }
  return claimed
})
