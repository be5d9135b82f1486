/** What one seed means for a store: how it is set up, how it ends its lives, and what its disk does to it. */
import type { SeededRandom } from "../../../transport/src/simulation/SeededRandom.ts"
import type { FaultyOperation } from "../../../store/src/mapped/SimulatedDisk.ts"
import type { StoreOptions } from "../../../store/src/engine/StoreOptions.ts"

export interface StoreScenario {
  readonly options: Partial<StoreOptions>
  /** Whether a machine may stop, so that only what is on the device is promised. */
  readonly isMachineCrashing: boolean
  readonly capacityBytes: number
  /** Chances a call of the disk. */
  readonly faults: Readonly<Record<FaultyOperation, number>>
  readonly lives: number
  readonly bodyLengthMax: number
  /** Whether time passes so far that files of the log expire. */
  readonly isCleaning: boolean
  /** Whether bits flip between two lives. */
  readonly isFlipping: boolean
}

const KIB = 1024
const ROOMY = 1 << 24

export const scenarioOf = (random: SeededRandom): StoreScenario => {
  const isFaulty = random.chance(0.6)
  const some = (probability: number, rate: number): number =>
    isFaulty && random.chance(probability) ? rate * random.next() : 0
  return {
    options: {
      flushDiskType: random.pick(["SYNC_FLUSH", "ASYNC_FLUSH"] as const),
      transientStorePoolEnable: random.chance(0.25),
      mappedFileSizeCommitLog: random.pick([4 * KIB, 8 * KIB, 16 * KIB]),
      mappedFileSizeConsumeQueue: 20 * random.pick([8, 20, 64]),
      messageIndexEnable: random.chance(0.8),
      flushCommitLogLeastPages: random.pick([0, 1]),
      maxMessageSize: 2 * KIB,
      enableConsumeQueueExt: random.chance(0.3),
      mappedFileSizeConsumeQueueExt: random.pick([100, 20 * 16 + 4, 20 * 64 + 4])
    },
    isMachineCrashing: random.chance(0.6),
    capacityBytes: random.chance(0.2) ? random.between(100 * KIB, 400 * KIB) : ROOMY,
    faults: {
      create: some(0.4, 0.05),
      reserve: some(0.4, 0.05),
      write: some(0.5, 0.05),
      sync: some(0.4, 0.02),
      replace: some(0.3, 0.05),
      prefetch: some(0.5, 0.5)
    },
    lives: random.between(2, 6),
    bodyLengthMax: random.pick([40, 300, 600]),
    isCleaning: random.chance(0.25),
    isFlipping: random.chance(0.25)
  }
}
