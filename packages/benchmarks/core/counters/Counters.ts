import { CountersManager } from "@millrace/core/kernel/counters/CountersManager"
import type { AtomicCounter } from "@millrace/core/kernel/counters/AtomicCounter"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import { group, type Case } from "#harness/Group"

const CAPACITY = 64

const makeManager = (): CountersManager => {
  const metadata = new HeapRegion("metadata", CAPACITY * 512).buffer()
  const values = new HeapRegion("values", CAPACITY * 128).buffer()
  return new CountersManager(metadata, values, () => 0, 0)
}

// Kept a small integer: a larger number would be garbage of the benchmark itself.
let checksum = 0

const onCounter = (step: (counter: AtomicCounter, i: number) => void): Case => ({
  allocation: true,
  open: () => {
    const counter = makeManager().newCounter({ typeId: 1, label: "bench" })!
    return {
      run: (count) => {
        for (let i = 0; i < count; i++) {
          step(counter, i)
        }
      }
    }
  }
})

const withCounters = (step: (manager: CountersManager) => void): Case => ({
  allocation: true,
  open: () => {
    const manager = makeManager()
    for (let i = 0; i < CAPACITY / 2; i++) {
      manager.allocate({ typeId: 4, label: `sub-pos: ${i} 12345 1001 aeron:ipc`, registrationId: BigInt(i) })
    }
    return {
      run: (count) => {
        for (let i = 0; i < count; i++) {
          step(manager)
        }
      }
    }
  }
})

export default group("core/counters/Counters", {
  baseline: "get-and-add",
  cases: {
    // What every writer would pay without the numbers: one 64-bit atomic addition.
    "get-and-add": onCounter((counter) => {
      counter.getAndAdd(1n)
    }),
    "add-release": onCounter((counter) => counter.addRelease(1)),
    "set-release": onCounter((counter, i) => counter.setRelease(i * 32)),
    "get-volatile": onCounter((counter) => {
      checksum = counter.getVolatile() | 0
    }),
    get: onCounter((counter) => {
      checksum = (checksum + (counter.get() === 1n ? 1 : 0)) | 0
    }),
    "read-record": withCounters((manager) => {
      checksum = (checksum + manager.read(7)!.label.length) | 0
    }),
    "list-32": withCounters((manager) => {
      checksum = (checksum + manager.forEach(() => {})) | 0
    }),
    "allocate-and-free": withCounters((manager) => {
      manager.free(manager.allocate({ typeId: 1, label: "short-lived" }))
    })
  }
})
