import { assert, describe, it } from "vitest"
import type { MessageInput } from "../../src/commitlog/MessageInput.ts"
import { RecordCursor } from "../../src/commitlog/RecordCursor.ts"
import type { QueueEntry } from "../../src/consumequeue/ConsumeQueue.ts"
import { PutRefusal } from "../../src/engine/PutResult.ts"
import * as GetMessage from "../../src/reading/GetMessage.ts"
import { randomOf, SimulatedStore } from "../fixtures/SimulatedStore.ts"

const SEEDS = Number(process.env["MILLRACE_SIMULATION_SEEDS"] ?? 15)

const idOf = (body: Uint8Array) => Number(Buffer.from(body).toString("latin1").split(" ")[0])

const message = (id: number, random: () => number): MessageInput => ({
  topic: `topic${Math.floor(random() * 2)}`,
  queueId: Math.floor(random() * 2),
  body: Buffer.from(`${id} ${"x".repeat(Math.floor(random() * 600))}`),
  keys: `key${id}`,
  tags: id % 2 === 0 ? "even" : "odd"
})

/** Every message of the store by its number, each read through its queue. */
const readAll = ({ engine }: SimulatedStore): Map<number, number> => {
  const found = new Map<number, number>()
  for (const { queue } of engine.queues.all()) {
    for (let offset = queue.minOffset; offset < queue.maxOffset;) {
      const limits = { countMax: 10, bytesMax: 1 << 20 }
      const outcome = GetMessage.get(engine.commitLog, queue, offset, limits, undefined, (record, queueOffset) => {
        assert.strictEqual(record.queueOffset, queueOffset)
        assert.strictEqual(record.queueId, queue.queueId)
        assert.strictEqual(record.topic, queue.topic)
        const id = idOf(record.bytes.subarray(record.bodyAt, record.bodyAt + record.bodyLength))
        assert.isFalse(found.has(id), `message ${id} is there twice`)
        found.set(id, record.physicalOffset)
      })
      assert.strictEqual(outcome.status, "FOUND")
      offset = outcome.nextOffset
    }
  }
  return found
}

/** The index finds each message by its key. */
const checkIndex = (seed: number, { engine }: SimulatedStore, found: ReadonlyMap<number, number>) => {
  for (const [id, position] of found) {
    const file = engine.commitLog.files.find(position)!
    const { topic } = new RecordCursor().wrap(file.read(0, file.length), position - file.fromOffset)
    const lookup = { topic, key: `key${id}`, countMax: 64, begin: 0, end: Number.MAX_SAFE_INTEGER }
    assert.include(engine.index.lookup(lookup), position, `seed ${seed}: key${id}`)
  }
}

/** The log and its queues say the same: each entry's record stands where it says, and ends within the log. */
const checkLinks = ({ engine }: SimulatedStore) => {
  const entry: QueueEntry = { position: 0, size: 0, tagsCode: 0 }
  for (const { nextOffset, queue } of engine.queues.all()) {
    assert.strictEqual(nextOffset, queue.maxOffset)
    for (let offset = queue.minOffset; offset < queue.maxOffset; offset++) {
      assert.isTrue(queue.read(offset, entry))
      assert.isAtMost(entry.position + entry.size, engine.commitLog.maxOffset)
    }
  }
}

/** Runs a random life of a store, with crashes, and says what was promised and what is there. */
const simulate = (
  seed: number,
  flushDiskType: "SYNC_FLUSH" | "ASYNC_FLUSH",
  isMachineCrash: boolean,
  isLying: boolean = false,
  transientStorePoolEnable: boolean = false
) => {
  const random = randomOf(seed + 1)
  const store = new SimulatedStore(seed, { flushDiskType, transientStorePoolEnable }, 1 << 24, isLying).open()
  const promised = new Set<number>()
  const known = new Set<number>()
  let id = 0
  for (let life = 0; life < 4; life++) {
    const steps = 5 + Math.floor(random() * 40)
    for (let step = 0; step < steps; step++) {
      const messages = Array.from({ length: 1 + Math.floor(random() * 5) }, () => message(id++, random))
      const results = store.put(...messages)
      messages.forEach(({ body }, index) => {
        const number = idOf(body)
        known.add(number)
        const { length, position } = results[index]!
        if (!isMachineCrash && !transientStorePoolEnable) {
          promised.add(number)
        }
        store.engine.flush.whenFlushed(position + length, (failure) => {
          assert.isUndefined(failure)
          promised.add(number)
        })
      })
      if (random() < 0.6) {
        store.run(Math.floor(random() * 60))
      }
    }
    if (random() < 0.2) {
      store.close()
      for (const number of known) {
        promised.add(number)
      }
    } else if (isMachineCrash && random() < 0.8) {
      store.crash()
    } else {
      store.kill()
    }
    store.open()
    const found = readAll(store)
    for (const number of promised) {
      assert.isTrue(found.has(number), `seed ${seed}: message ${number} was promised and is gone`)
    }
    for (const number of found.keys()) {
      assert.isTrue(known.has(number), `seed ${seed}: message ${number} was never put`)
    }
    checkLinks(store)
    checkIndex(seed, store, found)
    // What came through is on the device now: recovery has read it, and a later crash must not take it.
    store.run(200)
    for (const number of found.keys()) {
      known.add(number)
    }
    known.forEach((number) => {
      if (!found.has(number)) {
        known.delete(number)
      }
    })
  }
}

describe("StoreEngine on a simulated disk", () => {
  for (const flushDiskType of ["SYNC_FLUSH", "ASYNC_FLUSH"] as const) {
    it(`keeps everything when its process is killed (${flushDiskType})`, () => {
      for (let seed = 1; seed <= SEEDS; seed++) {
        simulate(seed, flushDiskType, false)
      }
    })
    it(`keeps what was on the device when the machine stops (${flushDiskType})`, () => {
      for (let seed = 1; seed <= SEEDS; seed++) {
        simulate(seed, flushDiskType, true)
      }
    })
  }

  it("keeps what was on the device when its records went through buffers, whether process or machine ends", () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      simulate(seed, seed % 2 === 0 ? "SYNC_FLUSH" : "ASYNC_FLUSH", seed % 3 === 0, false, true)
    }
  })

  it("notices a device that only says that it has synced", () => {
    assert.throws(() => {
      for (let seed = 1; seed <= SEEDS; seed++) {
        simulate(seed, "SYNC_FLUSH", true, true)
      }
    }, /was promised and is gone|damaged/)
  })

  it("refuses puts and says why when the device is full, and takes them again when there is room", () => {
    const store = new SimulatedStore(1, { cleanFileForciblyEnable: false }, 60_000).open()
    const random = randomOf(1)
    let refused: PutRefusal | undefined = undefined
    for (let id = 0; id < 500 && refused === undefined; id++) {
      const outcome = store.tryPut(message(id, random))
      refused = outcome instanceof PutRefusal ? outcome : undefined
      store.run(0)
    }
    assert.isDefined(refused)
    store.kill()
    store.open()
    checkLinks(store)
  })

  it("fails who waits, takes no more and promises nothing after a failed sync", () => {
    const store = new SimulatedStore(3).open()
    const random = randomOf(3)
    const promised = new Set<number>()
    const failures: Array<string> = []
    let id = 0
    const put = () => {
      const messages = [message(id++, random)]
      const outcome = store.tryPut(...messages)
      if (outcome instanceof PutRefusal) {
        return outcome
      }
      const number = idOf(messages[0]!.body)
      store.engine.flush.whenFlushed(outcome[0]!.position + outcome[0]!.length, (failure) => {
        if (failure === undefined) {
          promised.add(number)
        } else {
          failures.push(failure.code)
        }
      })
      return undefined
    }
    for (let count = 0; count < 10; count++) {
      assert.isUndefined(put())
      store.run(5)
    }
    let isFailing = true
    store.disk.fault = (operation, path) =>
      isFailing && operation === "sync" && path.includes("commitlog") ? "EIO" : undefined
    assert.isUndefined(put())
    store.run(20)
    assert.deepStrictEqual(failures, ["EIO"])
    isFailing = false
    store.run(500)
    assert.instanceOf(put(), PutRefusal)
    assert.strictEqual(promised.size, 10)
    store.crash()
    store.open()
    const found = readAll(store)
    for (const number of promised) {
      assert.isTrue(found.has(number))
    }
  })
})
