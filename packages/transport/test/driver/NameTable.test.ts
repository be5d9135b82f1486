/** Names of a table, which a counter switches while streams go by them. */
import { assert, describe, it } from "@effect/vitest"
import * as SystemCounters from "../../src/driver/SystemCounters.ts"
import { CsvTableResolver, ENTRY_TYPE_ID } from "../../src/naming/CsvTableResolver.ts"
import { readAll } from "../client/HeapClient.ts"
import type { HeapDriver } from "./HeapDriver.ts"
import { HeapNetwork } from "./HeapNetwork.ts"

const FIRST_HOST = 0n
const SECOND_HOST = 1n
const NOWHERE = -1n

const newWorld = (): HeapNetwork =>
  new HeapNetwork(31, {}, (next) => new CsvTableResolver("server,10.0.0.2,10.0.0.3", next))

/** As a tool does that maps the counters. */
const turn = ({ counters }: HeapDriver, value: bigint): void => {
  counters.forEach(({ id, typeId }) => {
    if (typeId === ENTRY_TYPE_ID) {
      Atomics.store(counters.values.int64, (id * 128) / 8, value)
    }
  })
}

describe("a table of names", () => {
  it("moves a stream whose receiver is silent to the host that is switched on", () => {
    const world = newWorld()
    const publication = world.publisher.addPublication("aeron:udp?endpoint=server:40456")
    const first = world.subscriber.addSubscription("aeron:udp?endpoint=10.0.0.2:40456")
    world.run(500)
    assert.isTrue(publication.isConnected)
    turn(world.sender, SECOND_HOST)
    world.run(3000)
    // Who answers is not looked up again.
    assert.strictEqual(world.sender.systemCounter(SystemCounters.RESOLUTION_CHANGES), 0)
    world.subscriber.conductor.closeSubscription(first)
    const second = world.subscriber.addSubscription("aeron:udp?endpoint=10.0.0.3:40456")
    world.run(20_000, 10)
    assert.strictEqual(world.sender.systemCounter(SystemCounters.RESOLUTION_CHANGES), 1)
    assert.isTrue(publication.isConnected)
    publication.offer(new Uint8Array(8), 0, 8)
    world.run(50)
    assert.lengthOf(readAll(second), 1)
    turn(world.sender, FIRST_HOST)
  })

  it("refuses a name that is switched off, and takes it again when it is on", () => {
    const world = newWorld()
    const channel = "aeron:udp?endpoint=server:40456"
    turn(world.sender, NOWHERE)
    const refusal = world.publisher.refusal((handlers) =>
      world.publisher.conductor.addPublication(channel, 1001, false, handlers)
    )
    assert.include(
      JSON.stringify(refusal, (_key, value) => (typeof value === "bigint" ? `${value}` : value)),
      "server:40456"
    )
    turn(world.sender, FIRST_HOST)
    world.subscriber.addSubscription("aeron:udp?endpoint=10.0.0.2:40456")
    const publication = world.publisher.addPublication(channel)
    world.run(500)
    assert.isTrue(publication.isConnected)
  })
})
