/** Reads of what may not be in memory, as the service does them: everything is brought in before it is touched. */
import type { FileFailure } from "../../../store/src/mapped/FileSystem.ts"
import type { QueueState } from "../../../store/src/consumequeue/QueueTable.ts"
import * as ColdReads from "../../../store/src/reading/ColdReads.ts"
import * as GetMessage from "../../../store/src/reading/GetMessage.ts"
import type { SimulatedStore } from "../../../store/test/fixtures/SimulatedStore.ts"
import { check } from "../SimulationFailure.ts"

const NS_PER_MS = 1_000_000
const LIMITS = { countMax: 8, bytesMax: 1 << 20 }
/** Entries first, then their records, then what a long one has behind its first part. */
const STEPS_MAX = 4

/** Number of messages read; -1 where the device did not give something, which is not touched then. */
export const read = (store: SimulatedStore, { queue }: QueueState, offset: number): number => {
  const { commitLog } = store.engine
  const coldNow = () => ColdReads.ofMessages(commitLog, queue, offset, LIMITS.countMax, store.nowMs * NS_PER_MS)
  for (let step = 0; step < STEPS_MAX; step++) {
    const ranges = coldNow()
    if (ranges.length > 0 && !bringIn(store, ranges)) {
      check(coldNow().length > 0, "what the device did not give stays cold", () => `${queue.topic} at ${offset}`)
      return -1
    }
  }
  let count = 0
  const outcome = GetMessage.get(commitLog, queue, offset, LIMITS, undefined, () => void count++)
  // A full device has what is old removed while it is brought in.
  const isGone = offset < queue.minOffset && outcome.status === "OFFSET_TOO_SMALL"
  check(isGone || outcome.status === "FOUND", "what was brought in is read", () => `${outcome.status} at ${offset}`)
  return count
}

const bringIn = (store: SimulatedStore, ranges: ReadonlyArray<ColdReads.ColdRange>): boolean => {
  let failure: FileFailure | undefined = undefined
  let waiting = 0
  for (const range of ranges) {
    const isStarted = ColdReads.bringIn(range, store.nowMs * NS_PER_MS, (failed) => {
      waiting--
      failure ??= failed
    })
    waiting += isStarted ? 1 : 0
  }
  while (waiting > 0) {
    store.run(0)
  }
  return failure === undefined
}
