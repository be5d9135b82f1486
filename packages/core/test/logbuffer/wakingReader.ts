/** Races in one thread: memory that changes at the moment when a certain word of it is read. */
import { AtomicBuffer } from "../../src/memory/AtomicBuffer.ts"

export interface WakingReader {
  readonly buffer: AtomicBuffer
  /** Runs a kernel over `buffer`. */
  readonly run: <A>(kernel: () => A) => A
}

/** The same memory as `buffer`, in which `wake` happens just before the word at `offset` is read. */
export const wakingReader = (buffer: AtomicBuffer, offset: number, wake: () => void): WakingReader => {
  const int32 = new Proxy(buffer.int32, {
    get: (words, name) => {
      if (name === String(offset / 4)) {
        wake()
      }
      return Reflect.get(words, name, words) as unknown
    }
  })
  return {
    buffer: Object.assign(Object.create(AtomicBuffer.prototype) as AtomicBuffer, buffer, { int32 }),
    run: (kernel) => {
      const load = Atomics.load
      // An Atomics load takes no proxy.
      Atomics.load = ((words: Int32Array, index: number) =>
        words === int32 ? int32[index] : load(words, index)) as typeof load
      try {
        return kernel()
      } finally {
        Atomics.load = load
      }
    }
  }
}
