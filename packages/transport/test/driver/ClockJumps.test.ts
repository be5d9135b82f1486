import { assert, describe, it } from "@effect/vitest"
import { HeapClient } from "../client/HeapClient.ts"
import { HeapDriver } from "./HeapDriver.ts"

const HOUR_MS = 3_600_000
const HEARTBEAT_TYPE_ID = 11

const setUp = () => {
  const driver = new HeapDriver()
  const client = new HeapClient(driver)
  client.addPublication()
  return { driver, client }
}

describe("a wall clock that is set", () => {
  for (const [direction, jumpMs] of [
    ["forward", HOUR_MS],
    ["back", -HOUR_MS]
  ] as const) {
    it(`${direction} ends neither a client nor what it has of its driver`, () => {
      const { client, driver } = setUp()
      driver.clock.nowMs += jumpMs
      client.pass(15_000)
      assert.deepStrictEqual(client.failures, [])
      assert.isDefined(driver.counter(HEARTBEAT_TYPE_ID, client.conductor.clientId))
    })

    it(`${direction} keeps no client that is dead`, () => {
      const { client, driver } = setUp()
      driver.clock.nowMs += jumpMs
      client.pass(1_000)
      driver.clock.nowMs -= jumpMs
      driver.pass(13_000)
      assert.isUndefined(driver.counter(HEARTBEAT_TYPE_ID, client.conductor.clientId))
    })

    it(`${direction} hides no driver that is dead`, () => {
      const { client, driver } = setUp()
      driver.clock.nowMs += jumpMs
      client.pass(1_000)
      driver.clock.nowMs -= jumpMs
      for (let passed = 0; passed < 13_000; passed += 500) {
        driver.clock.advanceMs(500)
        client.conductor.doWork(driver.clock.nanoTime())
      }
      assert.deepStrictEqual(
        client.failures.map(({ _tag }) => _tag),
        ["DriverTimeout"]
      )
    })
  }
})
