/** Each check fails when the store is broken in the way that it is there for: no part of the product is touched. */
import { assert, describe, it } from "vitest"
import type { SimulatedStore } from "../../../store/test/fixtures/SimulatedStore.ts"
import { DamagedLog } from "../../../store/src/recovery/Recovery.ts"
import { SimulationFailure } from "../../src/SimulationFailure.ts"
import * as StoreContents from "../../src/store/StoreContents.ts"
import * as StoreSimulation from "../../src/store/StoreSimulation.ts"

const STEPS = 40
const SEEDS = 12

const failureOf = (run: () => unknown): string | undefined => {
  try {
    run()
    return undefined
  } catch (error) {
    if (!(error instanceof SimulationFailure)) {
      throw error
    }
    return error.check
  }
}

/** The check that fails first when every life is broken so. */
const foundBy = (lives: Omit<StoreSimulation.StoreLives, "seed">): string => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const found = failureOf(() => StoreSimulation.run({ ...lives, seed, steps: STEPS }))
    if (found !== undefined) {
      return found
    }
  }
  return "nothing"
}

/** Does something to the store each time it was opened. */
const afterOpen =
  (act: (store: SimulatedStore) => void) =>
  (store: SimulatedStore): void => {
    const open = store.open.bind(store)
    store.open = () => {
      open()
      act(store)
      return store
    }
  }

describe("the checks of the simulated store", { timeout: 60_000 }, () => {
  it("see a device that only says that it has synced", () => {
    assert.include(["what was promised is there", "a crash is no damage"], foundBy({ isLying: true }))
  })

  it("see a file that is gone", () => {
    const found = foundBy({
      sabotage: (store) => {
        const kill = store.kill.bind(store)
        store.kill = () => {
          kill()
          const [path] = store.disk.paths.filter((name) => name.includes("/commitlog/")).toSorted()
          const isOnly = store.disk.paths.filter((name) => name.includes("/commitlog/")).length === 1
          if (isOnly && path !== undefined) {
            store.disk.remove(path)
          }
        }
      }
    })
    assert.strictEqual(found, "what was promised is there")
  })

  it("see a message that nobody has put", () => {
    const message = { topic: "topic0", queueId: 0, body: StoreContents.bodyOf(999_999, 20), keys: "key999999" }
    const found = foundBy({
      sabotage: afterOpen((store) => {
        store.tryPut(message)
        store.run(20)
      })
    })
    assert.strictEqual(found, "nothing is there that was not put")
  })

  it("see a message that is not as it was put", () => {
    const message = { topic: "topic0", queueId: 0, body: Buffer.from("3 other"), keys: "key3" }
    const found = foundBy({
      sabotage: afterOpen((store) => {
        store.tryPut(message)
        store.run(20)
      })
    })
    assert.include(["messages are as they were put", "each message is there once"], found)
  })

  it("see an index that has lost its keys", () => {
    const found = foundBy({
      sabotage: afterOpen(({ engine }) => {
        engine.index.lookup = () => []
      })
    })
    assert.strictEqual(found, "the index knows every key")
  })

  it("see an entry whose unit is gone", () => {
    const found = foundBy({
      sabotage: afterOpen(({ engine }) => {
        for (const { queue } of engine.queues.all()) {
          queue.ext?.restart(-1)
        }
      })
    })
    assert.strictEqual(found, "an entry has its tags code")
  })

  it("see a read of what the device did not give", () => {
    const found = foundBy({
      sabotage: afterOpen(({ disk, engine }) => {
        disk.fault = (operation) => (operation === "prefetch" ? "EIO" : undefined)
        for (const files of [engine.commitLog.files, ...engine.queues.files()]) {
          files.cold.onFailed = () => undefined
        }
      })
    })
    assert.strictEqual(found, "what the device did not give stays cold")
  })

  it("see a queue that ends where it does not go on", () => {
    const found = foundBy({
      sabotage: afterOpen(({ engine }) => {
        for (const state of engine.queues.all()) {
          state.nextOffset++
        }
      })
    })
    assert.strictEqual(found, "queues and log agree")
  })

  it("see damage that is cut as if it were an unfinished write", () => {
    const found = foundBy({
      sabotage: (store) => {
        const open = store.open.bind(store)
        store.open = () => {
          try {
            return open()
          } catch (error) {
            if (!(error instanceof DamagedLog)) {
              throw error
            }
            const length = store.options.mappedFileSizeCommitLog
            const file = store.disk.open(error.file, length)
            const from = error.position % length
            file.clear(from, length - from)
            file.sync(from, length - from)
            file.close()
            return open()
          }
        }
      }
    })
    assert.strictEqual(found, "damage before good messages is refused")
  })

  it("see a store that does not go on", () => {
    const found = foundBy({
      sabotage: (store) => {
        store.disk.fault = (operation) => (operation === "create" || operation === "reserve" ? "ENOSPC" : undefined)
      }
    })
    assert.include(["a store goes on when its disk does", "a store opens when its disk lets it"], found)
  })
})
