/** What the conductor looks after by time: called each timer interval, dropped and closed once its life has ended. */
export interface ManagedResource {
  onTimeEvent(nowNs: number, nowMs: number): void
  readonly hasReachedEndOfLife: boolean
  close(): void
}

/** Gives every resource its time event; those whose life has ended leave the list and are closed. */
export const checkAll = (resources: Array<ManagedResource>, nowNs: number, nowMs: number): void => {
  for (let i = resources.length - 1; i >= 0; i--) {
    const resource = resources[i]!
    resource.onTimeEvent(nowNs, nowMs)
    if (resource.hasReachedEndOfLife) {
      const last = resources.pop()!
      if (i < resources.length) {
        resources[i] = last
      }
      resource.close()
    }
  }
}
