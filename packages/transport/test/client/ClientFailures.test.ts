/** How a client ends by itself. */
import { assert, describe, it } from "@effect/vitest"
import { BroadcastTransmitter } from "@millrace/core/kernel/broadcast/BroadcastTransmitter"
import * as OfferResult from "@millrace/core/kernel/logbuffer/OfferResult"
import { ClientProxy } from "../../src/command/ClientProxy.ts"
import { HeapDriver } from "../driver/HeapDriver.ts"
import { HeapClient } from "./HeapClient.ts"

const setUp = () => {
  const driver = new HeapDriver()
  return { driver, client: new HeapClient(driver) }
}

describe("ClientConductor", () => {
  it("fails everything when the driver gives no sign of life", () => {
    const { client, driver } = setUp()
    const publication = client.addPublication()
    const subscription = client.addSubscription()
    client.step()
    const image = subscription.current[0]!
    for (let passed = 0; passed < 11_500; passed += 500) {
      driver.clock.advanceMs(500)
      client.conductor.doWork(driver.clock.nanoTime())
    }
    assert.strictEqual(client.failures[0]!._tag, "DriverTimeout")
    assert.strictEqual(publication.offer(new Uint8Array(1), 0, 1), OfferResult.CLOSED)
    assert.strictEqual(image.end, "Lost")
    assert.isTrue(subscription.isClosed)
    // What was read or claimed a moment ago stays readable for the linger time.
    const isUnmapped = () => client.mapped.every(({ state }) => state.isClosed)
    assert.isFalse(isUnmapped())
    driver.clock.advanceMs(3_000)
    client.conductor.doWork(driver.clock.nanoTime())
    assert.isTrue(isUnmapped())
  })

  it("leaves nothing at a driver that was only held up, once that goes on", () => {
    const { client, driver } = setUp()
    client.addPublication()
    client.addSubscription()
    for (let passed = 0; passed < 11_500; passed += 500) {
      driver.clock.advanceMs(500)
      client.conductor.doWork(driver.clock.nanoTime())
    }
    assert.strictEqual(client.failures[0]!._tag, "DriverTimeout")
    driver.pass(3000)
    const types: Array<number> = []
    driver.counters.forEach(({ typeId }) => types.push(typeId))
    assert.deepStrictEqual(
      types.filter((typeId) => typeId !== 0),
      []
    )
  })

  it("fails when another driver has taken the place of one that is silent, and not while it is not", () => {
    const { client, driver } = setUp()
    client.addPublication()
    client.isDriverReplaced = true
    client.pass(5000)
    assert.deepStrictEqual(client.failures, [])
    for (let passed = 0; passed < 3000; passed += 500) {
      driver.clock.advanceMs(500)
      client.conductor.doWork(driver.clock.nanoTime())
    }
    assert.strictEqual(client.failures[0]!._tag, "DriverReplaced")
  })

  it("fails at once when the driver says that it ended", () => {
    const { client, driver } = setUp()
    client.addPublication()
    driver.conductor.onClose()
    driver.clock.advanceMs(500)
    client.conductor.doWork(driver.clock.nanoTime())
    assert.deepStrictEqual(client.failures, [{ _tag: "DriverEnded" }])
  })

  it("fails when the driver has timed it out", () => {
    const { client, driver } = setUp()
    client.addPublication()
    for (let passed = 0; passed < 12_000; passed += 500) {
      driver.clock.advanceMs(500)
      driver.tick()
    }
    // The client's own clock says how long it did not run; with that not too long the driver's word counts.
    const { conductor } = client
    Reflect.set(conductor, "nowNs", driver.clock.nanoTime())
    conductor.doWork(driver.clock.nanoTime())
    assert.deepStrictEqual(client.failures, [{ _tag: "ClientTimeout", clientId: conductor.clientId }])
  })

  it("fails when it did not run for longer than the driver waits", () => {
    const { client, driver } = setUp()
    client.addPublication()
    driver.clock.advanceMs(10_001)
    client.conductor.doWork(driver.clock.nanoTime())
    assert.deepStrictEqual(client.failures, [{ _tag: "ServiceTimeout", intervalMs: 10_001, limitMs: 10_000 }])
    // The driver is told, so that nobody waits for a client that has given up.
    driver.pass(1000)
    assert.strictEqual(driver.counter(11, client.conductor.clientId), undefined)
  })

  it("fails when it was lapped", () => {
    const { client, driver } = setUp()
    client.addSubscription()
    const proxy = new ClientProxy(new BroadcastTransmitter(driver.toClients.buffer()))
    for (let i = 0; i < 10_000; i++) {
      proxy.onOperationSuccess(BigInt(-i))
    }
    client.conductor.doWork(driver.clock.nanoTime())
    assert.deepStrictEqual(client.failures, [{ _tag: "Lapped" }])
  })
})
