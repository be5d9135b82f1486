import { assert, describe, it } from "@effect/vitest"
import { NULL_COUNTER_ID } from "@millrace/core/kernel/counters/CountersDescriptor"
import type { UserCounter } from "../../src/client/UserCounter.ts"
import * as ErrorCode from "../../src/command/ErrorCode.ts"
import { HeapDriver } from "../driver/HeapDriver.ts"
import { HeapClient, STREAM } from "./HeapClient.ts"

const TYPE_ID = 1001
const key = Uint8Array.of(1, 2, 3)

const setUp = () => {
  const driver = new HeapDriver()
  return { driver, client: new HeapClient(driver), other: new HeapClient(driver) }
}

const add = (client: HeapClient, label = "orders"): UserCounter =>
  client.answer<UserCounter>((handlers) => client.conductor.userCounters.add(TYPE_ID, key, label, handlers))

const addStatic = (client: HeapClient, registrationId: bigint): UserCounter =>
  client.answer<UserCounter>((handlers) =>
    client.conductor.userCounters.addStatic(TYPE_ID, key, "static orders", registrationId, handlers)
  )

describe("user counters of a client", () => {
  it("are there for everybody with their type, key and label, and count", () => {
    const { client, driver } = setUp()
    const counter = add(client)
    assert.isTrue(counter.set(5n))
    assert.strictEqual(counter.getAndAdd(-7n), 5n)
    const record = driver.counter(TYPE_ID, counter.registrationId)!
    assert.strictEqual(record.value, -2n)
    assert.strictEqual(record.label, "orders")
    assert.strictEqual(record.ownerId, client.conductor.clientId)
    assert.deepStrictEqual(record.key.slice(0, 3), key)
  })

  it("are closed once, and keep their last value without touching what comes after them", () => {
    const { client, driver } = setUp()
    const counter = add(client)
    counter.set(9n)
    client.conductor.userCounters.close(counter)
    client.conductor.userCounters.close(counter)
    client.step()
    assert.strictEqual(driver.counter(TYPE_ID, counter.registrationId), undefined)
    assert.isFalse(counter.set(1n))
    assert.strictEqual(counter.getAndAdd(1n), undefined)
    assert.strictEqual(counter.value, 9n)
  })

  it("are closed with their client", () => {
    const { client, driver } = setUp()
    const counter = add(client)
    client.conductor.onClose()
    driver.pass(1000)
    assert.isTrue(counter.isClosed)
    assert.strictEqual(driver.counter(TYPE_ID, counter.registrationId), undefined)
  })

  it("come and go before the eyes of every client", () => {
    const { client, other } = setUp()
    const counter = add(client)
    other.step()
    const { counterId, registrationId } = counter
    // Those of a client's own heartbeat are among them.
    const events = () => other.counterEvents.filter(([, id]) => id === registrationId)
    assert.deepStrictEqual(events(), [["+", registrationId, counterId]])
    client.conductor.userCounters.close(counter)
    client.step()
    other.step()
    assert.deepStrictEqual(events(), [
      ["+", registrationId, counterId],
      ["-", registrationId, counterId]
    ])
  })

  it("are removed when nobody waits for them any more", () => {
    const { client, driver } = setUp()
    const cancel = client.conductor.userCounters.add(TYPE_ID, key, "late", {
      onSuccess: () => assert.fail("was cancelled"),
      onFailure: () => assert.fail("was cancelled")
    })
    cancel()
    client.step()
    client.step()
    const types: Array<number> = []
    driver.counters.forEach(({ typeId }) => types.push(typeId))
    assert.notInclude(types, TYPE_ID)
  })

  it("are one for all who name the same static counter, and outlive their clients", () => {
    const { client, driver, other } = setUp()
    const first = addStatic(client, 77n)
    first.set(3n)
    const second = addStatic(other, 77n)
    assert.strictEqual(second.counterId, first.counterId)
    assert.strictEqual(second.value, 3n)
    client.conductor.userCounters.close(first)
    client.conductor.onClose()
    other.conductor.onClose()
    driver.pass(1000)
    const id = driver.counters.findByTypeIdAndRegistrationId(TYPE_ID, 77n)
    assert.notStrictEqual(id, NULL_COUNTER_ID)
    assert.strictEqual(driver.counters.value(id), 3n)
  })

  it("refuse to be static where one that is not has their type and registration id", () => {
    const { client } = setUp()
    const counter = add(client)
    const refused = client.refusal<UserCounter>((handlers) =>
      client.conductor.userCounters.addStatic(TYPE_ID, key, "static", counter.registrationId, handlers)
    )
    assert(refused._tag === "Refused")
    assert.strictEqual(refused.code, ErrorCode.GENERIC_ERROR)
    assert.include(refused.message, `counterId=${counter.counterId}`)
  })
})

describe("the next session id", () => {
  it("is one that no publication of the stream gets by itself", () => {
    const { client } = setUp()
    const sessionId = client.answer<number>((handlers) => client.conductor.nextSessionId(STREAM, handlers))
    const publication = client.addPublication()
    assert.notStrictEqual(publication.sessionId, sessionId)
    const chosen = client.addPublication(`aeron:ipc?session-id=${sessionId}`, true)
    assert.strictEqual(chosen.sessionId, sessionId)
  })
})
