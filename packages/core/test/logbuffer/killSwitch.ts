/**
 * A writer that dies at a chosen store. Every store into a term counts as one step, an array of bytes as two halves;
 * at the chosen step `Killed` is thrown, so that everything before it is in the log and nothing after.
 */
import { LogBuffers } from "../../src/logbuffer/LogBuffers.ts"
import { AtomicBuffer } from "../../src/memory/AtomicBuffer.ts"

class Killed extends Error {}

const proxies = new WeakSet<object>()

export class KillSwitch {
  readonly log: LogBuffers
  private stepsLeft = Infinity

  constructor(log: LogBuffers) {
    const terms = log.terms.map((term) => this.watch(term)) as unknown as LogBuffers["terms"]
    this.log = Object.assign(Object.create(LogBuffers.prototype) as LogBuffers, log, { terms })
  }

  /** Runs until the store after `steps` others. @returns true when it was killed, false when it came to its end */
  run(steps: number, writer: () => unknown): boolean {
    const store = Atomics.store
    this.stepsLeft = steps
    // Where plain stores are not ordered, a release store is an Atomics one, which takes no proxy.
    Atomics.store = ((array: Int32Array, index: number, value: number) =>
      proxies.has(array) ? (array[index] = value) : store(array, index, value)) as typeof store
    try {
      writer()
      return false
    } catch (error) {
      if (error instanceof Killed) {
        return true
      }
      throw error
    } finally {
      Atomics.store = store
      this.stepsLeft = Infinity
    }
  }

  private step(): void {
    if (this.stepsLeft === 0) {
      throw new Killed()
    }
    this.stepsLeft -= 1
  }

  private watch(term: AtomicBuffer): AtomicBuffer {
    return Object.assign(Object.create(AtomicBuffer.prototype) as AtomicBuffer, term, {
      bytes: this.watchArray(term.bytes),
      int32: this.watchArray(term.int32),
      int64: this.watchArray(term.int64)
    })
  }

  private watchArray<Target extends Uint8Array | Int32Array | BigInt64Array>(array: Target): Target {
    const proxy = new Proxy(array, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target) as unknown
        if (name === "set") {
          return (source: Uint8Array, offset: number) => {
            const half = source.length >> 1
            this.step()
            ;(target as Uint8Array).set(source.subarray(0, half), offset)
            this.step()
            ;(target as Uint8Array).set(source.subarray(half), offset + half)
          }
        }
        return typeof value === "function" ? (value as () => unknown).bind(target) : value
      },
      set: (target, name, value) => {
        this.step()
        return Reflect.set(target, name, value)
      }
    })
    proxies.add(proxy)
    return proxy
  }
}
