/**
 * Loads and stores of 32-bit words that another thread or process relies on.
 *
 * JavaScript has two kinds of access: `Atomics`, which are sequentially consistent, and plain ones, about whose order
 * the language promises nothing. On x64 the processor itself keeps loads in order with loads and stores with stores,
 * an aligned 32-bit access is never torn, and V8 does not move typed array accesses across each other, so there a
 * plain access is already an acquire load or a release store at a tenth of the price (0.7 ns against 9 to 13). That
 * is a fact about this engine on this architecture: `test/memory/Ordering.stress.test.ts` checks it between real threads
 * and processes. Everywhere else the same functions are `Atomics`.
 *
 * What neither form gives on x64 is order between a store and a later load of another word (Dekker's algorithm).
 * Nothing in Millrace needs it; whoever does uses `Atomics` by name.
 */
export const plainAccessIsOrdered = process.arch === "x64"

/**
 * Whether a 32-bit compare-and-set of one half of a 64-bit word is one step with the 64-bit ones that others make of the
 * whole word, in this or another program. On x64 both are locked instructions on one cache line, which its processor
 * owns alone meanwhile; no other architecture promises that, nor does the language. Between producers of either kind
 * `test/ringbuffer/ManyToOneRingBuffer.stress.test.ts` checks it.
 */
export const halfWordAtomicsAreCoherent = process.arch === "x64"

/** Reads a word that publishes others: what its writer stored before it is visible to every later load. */
export const loadAcquire = (words: Int32Array<ArrayBufferLike>, index: number): number =>
  plainAccessIsOrdered ? words[index]! : Atomics.load(words, index)

/** Publishes: whoever sees this value through `loadAcquire` sees every store made before it. */
export const storeRelease = (words: Int32Array<ArrayBufferLike>, index: number, value: number): void => {
  if (plainAccessIsOrdered) {
    words[index] = value
  } else {
    Atomics.store(words, index, value)
  }
}
