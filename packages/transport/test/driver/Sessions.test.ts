import { assert, describe, it } from "@effect/vitest"
import { TermAppender } from "@millrace/core/kernel/logbuffer/TermAppender"
import * as ErrorCode from "../../src/command/ErrorCode.ts"
import type { ErrorResponse } from "../../src/command/ErrorResponse.ts"
import type { ImageBuffersReady } from "../../src/command/ImageBuffersReady.ts"
import type { PublicationBuffersReady } from "../../src/command/PublicationBuffersReady.ts"
import { HeapDriver, named, TERM_LENGTH } from "./HeapDriver.ts"

const CHANNEL = "aeron:ipc"
const STREAM = 1001
const WINDOW = TERM_LENGTH / 2
const PUBLISHER_LIMIT = 1

/** A driver with one publication and one subscription of one client. */
const connected = (channel = CHANNEL, subscriptionChannel = CHANNEL) => {
  const driver = new HeapDriver()
  const client = driver.newClient()
  const subscriptionId = client.addSubscription(subscriptionChannel, STREAM)
  const publicationId = client.addPublication(channel, STREAM)
  const responses = driver.tick()
  const ready = named(responses, "onPublicationReady")[0] as PublicationBuffersReady
  const image = named(responses, "onAvailableImage")[0] as ImageBuffersReady
  return { driver, client, subscriptionId, publicationId, ready, image, log: driver.log(ready.logFile) }
}

const errorOf = (driver: HeapDriver): ErrorResponse => named(driver.tick(), "onError")[0] as ErrorResponse

const publish = (log: ReturnType<HeapDriver["log"]>, length: number): number => {
  const payload = new Uint8Array(length)
  return new TermAppender(log).append(payload, 0, length)
}

describe("driver Conductor, sessions and tags", () => {
  it("refuses a session id that another publication of the stream has", () => {
    const { client, driver } = connected("aeron:ipc?session-id=42")
    client.addExclusivePublication("aeron:ipc?session-id=42", STREAM)
    const error = errorOf(driver)
    assert.strictEqual(error.code, ErrorCode.INVALID_CHANNEL)
    assert.include(error.message, "session-id=42")
  })

  it("refuses an entity tag that is in use", () => {
    const { client, driver } = connected("aeron:ipc?tags=1,7")
    client.addExclusivePublication("aeron:ipc?tags=2,7", STREAM)
    assert.include(errorOf(driver).message, "tags=7")
  })

  it("copies the session of the publication that a tag names", () => {
    const { client, driver, ready } = connected("aeron:ipc?tags=1,7")
    client.addExclusivePublication("aeron:ipc?session-id=tag:7", STREAM + 1)
    const copy = named(driver.tick(), "onPublicationReady")[0] as PublicationBuffersReady
    assert.strictEqual(copy.sessionId, ready.sessionId)
  })

  it("links a subscription of one session to that session alone", () => {
    const driver = new HeapDriver()
    const client = driver.newClient()
    const wanted = client.addSubscription("aeron:ipc?session-id=42", STREAM)
    client.addExclusivePublication(CHANNEL, STREAM)
    client.addExclusivePublication("aeron:ipc?session-id=42", STREAM)
    const images = named(driver.tick(), "onAvailableImage") as ReadonlyArray<ImageBuffersReady>
    assert.deepStrictEqual(
      images.map(({ sessionId, subscriptionRegistrationId }) => [sessionId, subscriptionRegistrationId]),
      [[42, wanted]]
    )
  })

  it("chooses session ids outside the reserved range", () => {
    const driver = new HeapDriver({ reservedSessionIdLow: 5001, reservedSessionIdHigh: 5999 })
    const client = driver.newClient()
    client.addExclusivePublication(CHANNEL, STREAM)
    client.addExclusivePublication(CHANNEL, STREAM)
    const ready = named(driver.tick(), "onPublicationReady") as ReadonlyArray<PublicationBuffersReady>
    assert.deepStrictEqual(
      ready.map(({ sessionId }) => sessionId),
      [5000, 6000]
    )
  })

  it("gives out session ids that no publication of the stream has", () => {
    const { client, driver, ready } = connected()
    client.nextAvailableSessionId(STREAM)
    const [answer] = named(driver.tick(), "onNextAvailableSessionId") as ReadonlyArray<{ sessionId: number }>
    assert.notStrictEqual(answer!.sessionId, ready.sessionId)
  })

  it("begins a stream where its channel says", () => {
    const channel = "aeron:ipc?init-term-id=-1|term-id=1|term-offset=96|term-length=64k"
    const { driver, image, log, publicationId } = connected(channel)
    const start = 2 * TERM_LENGTH + 96
    assert.strictEqual(driver.counters.value(image.subscriberPositionId), BigInt(start))
    assert.strictEqual(driver.counter(PUBLISHER_LIMIT, publicationId)!.value, BigInt(start + WINDOW))
    assert.strictEqual(publish(log, 32), start + 64)
  })
})
