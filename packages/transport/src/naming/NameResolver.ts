/**
 * The port through which the driver looks names up. A look-up can take long, so it is begun in one tick and found done
 * in a later one.
 */
import type { CountersManager } from "@millrace/core/kernel/counters/CountersManager"

export type Resolution =
  | { readonly _tag: "Resolved"; readonly address: Uint8Array }
  /** `detail` is what the system said. */
  | { readonly _tag: "Unknown"; readonly detail: string }

export interface PendingResolution {
  /** Undefined while the name is being looked up. */
  poll(): Resolution | undefined
}

export interface NameResolver {
  /** Called once, by the conductor, before anything else. Throws when the resolver cannot begin. */
  init?(counters: CountersManager, nowNs: number): void
  /**
   * Looks a host name up. `parameter` names where it stands (`endpoint`, `interface`, …); `isReResolution` says that it
   * was resolved before and does not answer any more.
   */
  resolve(host: string, parameter: string, isReResolution: boolean): PendingResolution
  /** The resolver's part of each tick of the conductor. */
  doWork?(nowNs: number): number
  /** For parks that should end when something arrives; always the same array. */
  readonly descriptors?: ReadonlyArray<number>
  close?(): void
}

export const resolved = (resolution: Resolution): PendingResolution => ({ poll: () => resolution })
