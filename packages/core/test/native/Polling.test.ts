import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { assert, describe, it, onTestFinished } from "vitest"
import { DescriptorWatch, PARK_MS_MAX, PollSet } from "../../src/native/Polling.ts"
import { openPipe, WakeDescriptor } from "../../src/native/WakeDescriptor.ts"

const kinds: ReadonlyArray<readonly [string, () => WakeDescriptor]> = [
  ["of this system", () => WakeDescriptor.open()],
  ["that is a pipe", () => WakeDescriptor.attach(openPipe())]
]

const opened = (open: () => WakeDescriptor): WakeDescriptor => {
  const descriptor = open()
  onTestFinished(() => descriptor.close())
  return descriptor
}

describe.each(kinds)("WakeDescriptor %s", (_name, open) => {
  it("is readable from a wake to the next drain", () => {
    const descriptor = opened(open)
    const set = new PollSet([descriptor.fd])
    assert.strictEqual(set.park(0), 0)
    assert.isFalse(set.isReady(0))
    descriptor.wake()
    assert.strictEqual(set.park(PARK_MS_MAX), 1)
    assert.isTrue(set.isReady(0))
    descriptor.drain()
    assert.strictEqual(set.park(0), 0)
  })

  it("takes any number of wakes without blocking, and drains them all at once", () => {
    const descriptor = opened(open)
    for (let count = 0; count < 20_000; count++) {
      descriptor.wake()
    }
    descriptor.drain()
    assert.strictEqual(new PollSet([descriptor.fd]).park(0), 0)
  })

  it("does nothing after it was closed", () => {
    const descriptor = open()
    descriptor.close()
    descriptor.close()
    descriptor.wake()
    descriptor.drain()
  })
})

describe("WakeDescriptor", () => {
  it("wakes a worker that is blocked in a park", async () => {
    const descriptor = opened(() => WakeDescriptor.open())
    const worker = new Worker(new URL("fixtures/parkedWorker.ts", import.meta.url), { workerData: descriptor.handle })
    await once(worker, "message")
    descriptor.wake()
    const [readyCount] = await once(worker, "message")
    assert.strictEqual(readyCount, 1)
    await worker.terminate()
  })
})

describe("PollSet", () => {
  it("tells which of several descriptors can be read", () => {
    const descriptors = [0, 1, 2].map(() => opened(() => WakeDescriptor.open()))
    const set = new PollSet(descriptors.map(({ fd }) => fd))
    descriptors[1]!.wake()
    assert.strictEqual(set.park(PARK_MS_MAX), 1)
    assert.deepStrictEqual(
      descriptors.map((_, index) => set.isReady(index)),
      [false, true, false]
    )
  })

  it("refuses a park that could not be ended in time", () => {
    assert.throws(() => new PollSet([]).park(PARK_MS_MAX + 1), /at most 100 ms/)
    assert.throws(() => new PollSet([]).park(-1), /at most 100 ms/)
  })

  it("reports a descriptor that was closed as ready, so that its owner finds out", () => {
    const descriptor = WakeDescriptor.open()
    const set = new PollSet([descriptor.fd])
    descriptor.close()
    assert.strictEqual(set.park(0), 1)
    assert.isTrue(set.isReady(0))
  })
})

describe("DescriptorWatch", () => {
  const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

  it("calls once for each time it was armed", async () => {
    const descriptor = opened(() => WakeDescriptor.open())
    let calls = 0
    const watch = new DescriptorWatch([descriptor.fd], () => calls++)
    onTestFinished(() => watch.close())
    watch.arm()
    descriptor.wake()
    await nextTurn()
    assert.strictEqual(calls, 1)
    await nextTurn()
    assert.strictEqual(calls, 1)
    watch.arm()
    await nextTurn()
    assert.strictEqual(calls, 2)
    descriptor.drain()
    watch.arm()
    await nextTurn()
    assert.strictEqual(calls, 2)
    descriptor.wake()
    await nextTurn()
    assert.strictEqual(calls, 3)
  })

  it("is silent while disarmed and after closing", async () => {
    const descriptor = opened(() => WakeDescriptor.open())
    let calls = 0
    const watch = new DescriptorWatch([descriptor.fd], () => calls++)
    watch.arm()
    watch.disarm()
    descriptor.wake()
    await nextTurn()
    assert.strictEqual(calls, 0)
    watch.close()
    watch.close()
    await nextTurn()
    assert.strictEqual(calls, 0)
  })

  it("lets the loop end its thread with watches open", async () => {
    const worker = new Worker(new URL("fixtures/watchingWorker.ts", import.meta.url))
    await once(worker, "message")
    assert.strictEqual(await worker.terminate(), 1)
  })
})
