import { assert, describe, it } from "@effect/vitest"
import { AtomicCounter } from "../../src/counters/AtomicCounter.ts"
import { NULL_COUNTER_ID } from "../../src/counters/CountersDescriptor.ts"
import { CountersManager } from "../../src/counters/CountersManager.ts"
import * as Peers from "../Peers.ts"
import { allocationOf, METADATA_LENGTH, READY_ID, STOP_ID, VALUES_LENGTH } from "./StressCounters.ts"

const WRITERS = 3

describe("counters under stress", () => {
  for (const mode of ["workers", "processes"] as const) {
    it(`loses no addition and shows no torn position in ${mode}`, async () => {
      const count = Math.ceil(Peers.countOr(300_000) / WRITERS)
      const shared = Peers.share(mode, 128 * (WRITERS + 1))
      try {
        const values = shared.region.buffer()
        const positions = Array.from({ length: WRITERS }, (_, i) => new AtomicCounter(values, i + 1))
        const writers = positions.map(({ id }) =>
          shared.start(import.meta.url, "./counterWriter.peer.ts", { shared: 0, own: id, count, seed: Peers.seed })
        )
        const seen = positions.map(() => 0)
        while (writers.some((writer) => writer.isRunning())) {
          for (let round = 0; round < 1000; round++) {
            positions.forEach((position, i) => {
              const value = position.getVolatile()
              if (value < seen[i]! || value % 32 !== 0) {
                assert.fail(`position ${i} went from ${seen[i]} to ${value}`)
              }
              seen[i] = value
            })
          }
          await Peers.turn()
        }
        const ends = await Promise.all(writers.map((writer) => writer.result))
        assert.deepStrictEqual(
          positions.map((position) => position.getVolatile()),
          ends as ReadonlyArray<number>
        )
        assert.strictEqual(new AtomicCounter(values, 0).get(), BigInt(3 * count * WRITERS))
      } finally {
        shared.remove()
      }
    })

    it(`shows readers in ${mode} no counter that is partly the one before it`, async () => {
      const count = Math.ceil(Peers.countOr(100_000) / 10)
      const shared = Peers.share(mode, METADATA_LENGTH + VALUES_LENGTH)
      try {
        const manager = new CountersManager(
          shared.region.buffer(0, METADATA_LENGTH),
          shared.region.buffer(METADATA_LENGTH, VALUES_LENGTH),
          () => 0,
          0
        )
        assert.strictEqual(manager.allocate({ typeId: 0, label: "stop" }), STOP_ID)
        assert.strictEqual(manager.allocate({ typeId: 0, label: "ready" }), READY_ID)
        const readers = [0, 1].map(() =>
          shared.start(import.meta.url, "./counterReader.peer.ts", { valuesLength: VALUES_LENGTH })
        )
        while (manager.value(READY_ID) < 2n && readers.every((reader) => reader.isRunning())) {
          await Peers.turn()
        }
        const random = Peers.random(Peers.seed)
        const live: Array<number> = []
        for (let registrationId = 1n; registrationId <= BigInt(count); registrationId++) {
          const id = manager.allocate(allocationOf(registrationId))
          if (id !== NULL_COUNTER_ID) {
            live.push(id)
          }
          if (live.length > 0 && (id === NULL_COUNTER_ID || random() % 2 === 0)) {
            manager.free(live.splice(random() % live.length, 1)[0]!)
          }
          if (random() % 16 === 0) {
            await Peers.turn()
          }
        }
        manager.setValue(STOP_ID, 1n)
        const reads = (await Promise.all(readers.map((reader) => reader.result))) as ReadonlyArray<number>
        assert.isAbove(Math.max(...reads), 0, "nothing was read, so this run shows nothing")
      } finally {
        shared.remove()
      }
    })
  }
})
