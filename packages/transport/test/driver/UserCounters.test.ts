import { assert, describe, it } from "@effect/vitest"
import type { ErrorResponse } from "../../src/command/ErrorResponse.ts"
import { HeapDriver, named } from "./HeapDriver.ts"

const errorOf = (driver: HeapDriver): ErrorResponse => named(driver.tick(), "onError")[0] as ErrorResponse

describe("driver Conductor, counters of clients", () => {
  it("adds, finds and removes user counters", () => {
    const driver = new HeapDriver()
    const client = driver.newClient()
    const correlationId = client.addCounter(1007, Uint8Array.of(1, 2), "mine")
    assert.strictEqual(named(driver.tick(), "onCounterReady").length, 2)
    const counter = driver.counter(1007, correlationId)!
    assert.strictEqual(counter.label, "mine")
    assert.deepStrictEqual(counter.key.slice(0, 2), Uint8Array.of(1, 2))
    client.removeCounter(correlationId)
    assert.deepStrictEqual(named(driver.tick(), "onUnavailableCounter"), [{ correlationId, counterId: counter.id }])
    assert.strictEqual(driver.counter(1007, correlationId), undefined)
  })

  it("keeps a static counter beyond its client and gives it to the next who asks", () => {
    const driver = new HeapDriver()
    const first = driver.newClient()
    first.addStaticCounter(1008, new Uint8Array(0), "static", 77n)
    const [made] = named(driver.tick(), "onStaticCounter")
    first.clientClose()
    driver.pass(2000)
    driver.newClient().addStaticCounter(1008, new Uint8Array(0), "static", 77n)
    const [found] = named(driver.tick(), "onStaticCounter")
    assert.strictEqual((found as { counterId: number }).counterId, (made as { counterId: number }).counterId)
  })

  it("refuses a static counter where a client's own counter has its ids", () => {
    const driver = new HeapDriver()
    const client = driver.newClient()
    const correlationId = client.addCounter(1009, new Uint8Array(0), "mine")
    client.addStaticCounter(1009, new Uint8Array(0), "static", correlationId)
    assert.include(errorOf(driver).message, "cannot add static counter, because a non-static counter exists")
    // Nothing is wrong with the driver.
    assert.deepStrictEqual(driver.errors, [])
  })
})
