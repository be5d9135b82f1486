/**
 * Order between plain accesses of several words, where an `Atomics` access of one of them does not give it. On arm64 an
 * `Atomics.store` is a release, which later plain stores may pass, and an `Atomics.load` an acquire, which earlier plain
 * loads may pass; a release store followed by an acquire load is passed by nothing, in either direction. Where the
 * processor keeps plain accesses in order (see `Ordering`) there is nothing to do: the pair would cost 22 ns there.
 */
import { plainAccessIsOrdered } from "./Ordering.ts"

const cell = new Int32Array(new SharedArrayBuffer(4))

const full = (): void => {
  Atomics.store(cell, 0, 0)
  Atomics.load(cell, 0)
}

const nothing = (): void => {}

/** Every store before it is visible before any store after it. */
export const stores: () => void = plainAccessIsOrdered ? nothing : full

/** Every load before it was made before any load after it. */
export const loads: () => void = plainAccessIsOrdered ? nothing : full
