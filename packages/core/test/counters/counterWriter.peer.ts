import { AtomicCounter } from "../../src/counters/AtomicCounter.ts"
import * as Peers from "../Peers.ts"

/** Adds to a counter that everybody adds to, and moves a position of its own in steps that carry into the high half. */
Peers.peer<{ readonly shared: number; readonly own: number; readonly count: number; readonly seed: number }>(
  (region, { count, own, seed, shared }) => {
    const values = region.buffer()
    const sum = new AtomicCounter(values, shared)
    const position = new AtomicCounter(values, own)
    const random = Peers.random(seed + own)
    let at = 0
    for (let i = 0; i < count; i++) {
      sum.getAndAdd(3n)
      at += (random() >>> 1) * 32
      position.setRelease(at)
    }
    return at
  }
)
