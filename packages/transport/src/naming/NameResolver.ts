/** The port through which the driver looks names up. A look-up can take long, so it is begun in one tick and found done in a later one. */

export type Resolution =
  | { readonly _tag: "Resolved"; readonly address: Uint8Array }
  /** `detail` is what the system said. */
  | { readonly _tag: "Unknown"; readonly detail: string }

export interface PendingResolution {
  /** Undefined while the name is being looked up. */
  poll(): Resolution | undefined
}

export interface NameResolver {
  /**
   * Looks a host name up. `parameter` names where it stands (`endpoint`, `interface`, …); `isReResolution` says that it
   * was resolved before and does not answer any more.
   */
  resolve(host: string, parameter: string, isReResolution: boolean): PendingResolution
}
