/**
 * The life of a piece of memory. Every window over it shares this one object, so that closing the region is seen by
 * each kernel at its next call.
 *
 * A kernel asserts the state once a call, before it reads or writes: a view that was detached does not always throw
 * (`view[0]` is `undefined`, `view[0] = 5` is dropped, a CRC of it is 0). Its parts below, which are given a buffer and an
 * offset (`Int64`, `FrameDescriptor`, `HeaderWriter`), are no entries: whoever calls them has asserted. Flyweights may be
 * called by anybody, field by field, and go through `AtomicBuffer.view`, which asserts.
 */
export interface RegionState {
  /** What the region holds, for messages: a path, or a name for heap memory. */
  readonly name: string
  isClosed: boolean
}

/** Thrown by a kernel that is called after its region was closed. The glue turns it into the package's typed error. */
export class RegionClosed extends Error {
  readonly _tag = "RegionClosed"
  readonly region: string

  constructor(region: string) {
    super(`region ${region} is closed: an object that was kept after its scope ended was used`)
    this.region = region
  }
}

export const assertOpen = (state: RegionState): void => {
  if (state.isClosed) {
    throw new RegionClosed(state.name)
  }
}
