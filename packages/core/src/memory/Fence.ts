const cell = new Int32Array(new SharedArrayBuffer(4))

/**
 * Keeps every access before it before every access after it, plain ones included. An `Atomics.store` alone does not on
 * arm64: it is a release, which later plain stores may pass, as an `Atomics.load` is an acquire that earlier plain loads
 * may pass. A release store followed by an acquire load is passed in neither direction.
 */
export const full = (): void => {
  Atomics.store(cell, 0, 0)
  Atomics.load(cell, 0)
}
