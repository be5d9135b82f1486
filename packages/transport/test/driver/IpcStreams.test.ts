import { assert, describe, it } from "@effect/vitest"
import * as LogBufferMetadata from "@millrace/core/kernel/logbuffer/LogBufferMetadata"
import type { ImageBuffersReady } from "../../src/command/ImageBuffersReady.ts"
import type { PublicationBuffersReady } from "../../src/command/PublicationBuffersReady.ts"
import * as SystemCounters from "../../src/driver/SystemCounters.ts"
import { HeapDriver, named, TERM_LENGTH } from "./HeapDriver.ts"
import {
  CHANNEL,
  connected,
  publish,
  PUBLISHER_LIMIT,
  PUBLISHER_POSITION,
  STREAM,
  SUBSCRIBER_POSITION
} from "./IpcConnection.ts"

const WINDOW = TERM_LENGTH / 2

describe("driver IpcStreams", () => {
  it("links a publication and a subscription whichever comes first", () => {
    const first = connected()
    assert.strictEqual(first.image.subscriptionRegistrationId, first.subscriptionId)
    const driver = new HeapDriver()
    const client = driver.newClient()
    const publicationId = client.addPublication(CHANNEL, STREAM)
    driver.tick()
    client.addSubscription(CHANNEL, STREAM)
    const image = named(driver.tick(), "onAvailableImage")[0] as ImageBuffersReady
    assert.strictEqual(image.correlationId, publicationId)
    assert.strictEqual(image.sourceIdentity, "aeron:ipc")
  })

  it("allocates position counters with Aeron's types, labels, keys and owners", () => {
    const { client, driver, image, publicationId, ready, subscriptionId } = connected()
    const stream = `${publicationId} ${ready.sessionId} ${STREAM} ${CHANNEL}`
    const position = driver.counter(PUBLISHER_POSITION, publicationId)!
    const limit = driver.counter(PUBLISHER_LIMIT, publicationId)!
    const subscriber = driver.counter(SUBSCRIBER_POSITION, subscriptionId)!
    assert.strictEqual(position.label, `pub-pos (concurrent): ${stream}`)
    assert.strictEqual(limit.label, `pub-lmt: ${stream}`)
    assert.strictEqual(subscriber.label, `sub-pos: ${subscriptionId} ${ready.sessionId} ${STREAM} ${CHANNEL} @0`)
    assert.strictEqual(subscriber.referenceId, publicationId)
    assert.strictEqual(subscriber.id, image.subscriberPositionId)
    assert.strictEqual(limit.id, ready.publisherLimitId)
    assert.isBelow(position.id, limit.id)
    assert.strictEqual(position.ownerId, client.clientId)
    const key = new DataView(limit.key.buffer, limit.key.byteOffset)
    assert.strictEqual(key.getBigInt64(0, true), publicationId)
    assert.strictEqual(key.getInt32(8, true), ready.sessionId)
    assert.strictEqual(key.getInt32(12, true), STREAM)
    assert.strictEqual(key.getInt32(16, true), CHANNEL.length)
    assert.strictEqual(Buffer.from(limit.key).toString("latin1", 20, 20 + CHANNEL.length), CHANNEL)
  })

  it("describes a log in its metadata as Aeron's driver does", () => {
    const { log, publicationId, ready } = connected("aeron:ipc?mtu=4096|pub-wnd=8k|linger=1s|tags=1,77|alias=x")
    const metadata = LogBufferMetadata.read(log.metadata)
    assert.strictEqual(metadata.correlationId, publicationId)
    assert.strictEqual(metadata.sessionId, ready.sessionId)
    assert.strictEqual(metadata.streamId, STREAM)
    assert.strictEqual(metadata.mtuLength, 4096)
    assert.strictEqual(metadata.termLength, TERM_LENGTH)
    assert.strictEqual(metadata.publicationWindowLength, 8192)
    assert.strictEqual(metadata.lingerTimeoutNs, 1_000_000_000n)
    assert.strictEqual(metadata.entityTag, 77n)
    assert.strictEqual(metadata.type, 0)
    assert.isTrue(metadata.isConnected)
  })

  it("shares a concurrent publication and never an exclusive one", () => {
    const { client, driver, ready } = connected()
    const secondId = client.addPublication(CHANNEL, STREAM)
    const exclusiveId = client.addExclusivePublication(CHANNEL, STREAM)
    const [second, exclusive] = named(driver.tick(), "onPublicationReady") as ReadonlyArray<PublicationBuffersReady>
    assert.strictEqual(second!.correlationId, secondId)
    assert.strictEqual(second!.registrationId, ready.registrationId)
    assert.strictEqual(second!.sessionId, ready.sessionId)
    assert.strictEqual(exclusive!.registrationId, exclusiveId)
    assert.notStrictEqual(exclusive!.sessionId, ready.sessionId)
    assert.isTrue(driver.responses.some((response) => response.isExclusive === true))
    assert.strictEqual(driver.counter(PUBLISHER_POSITION, exclusiveId)!.label.split(":")[0], "pub-pos (exclusive)")
  })

  it("lets a publisher go half a term beyond its slowest subscriber", () => {
    const { client, driver, image, log, publicationId } = connected()
    client.addSubscription(CHANNEL, STREAM)
    const slow = named(driver.tick(), "onAvailableImage")[0] as ImageBuffersReady
    const end = publish(log, 4000)
    driver.setPosition(image.subscriberPositionId, end)
    driver.tick()
    assert.strictEqual(driver.counter(PUBLISHER_LIMIT, publicationId)!.value, BigInt(WINDOW))
    const end2 = publish(log, 7000)
    driver.setPosition(slow.subscriberPositionId, end2)
    driver.setPosition(image.subscriberPositionId, end2)
    driver.tick()
    assert.strictEqual(driver.counter(PUBLISHER_LIMIT, publicationId)!.value, BigInt(end2 + WINDOW))
    assert.strictEqual(driver.counter(PUBLISHER_POSITION, publicationId)!.value, BigInt(end2))
  })

  it("zeroes the log behind the slowest subscriber", () => {
    const { driver, image, log } = connected()
    const end = publish(log, WINDOW / 4)
    assert.notStrictEqual(log.terms[0].int32[0], 0)
    driver.setPosition(image.subscriberPositionId, end)
    driver.tick()
    assert.isTrue(log.terms[0].bytes.subarray(0, end).every((byte) => byte === 0))
  })

  it("joins a later subscriber at the slowest one's position", () => {
    const { client, driver, image, log } = connected()
    const end = publish(log, 1000)
    driver.setPosition(image.subscriberPositionId, end)
    driver.tick()
    client.addSubscription(CHANNEL, STREAM)
    const late = named(driver.tick(), "onAvailableImage")[0] as ImageBuffersReady
    assert.strictEqual(driver.counters.value(late.subscriberPositionId), BigInt(end))
  })

  it("disconnects a publisher whose last subscriber goes, and lets it go no further", () => {
    const { client, driver, image, log, publicationId, subscriptionId } = connected()
    const end = publish(log, 1000)
    driver.setPosition(image.subscriberPositionId, end)
    driver.tick()
    client.removeSubscription(subscriptionId)
    driver.tick()
    assert.isFalse(LogBufferMetadata.isConnected(log.metadata))
    assert.strictEqual(driver.counter(PUBLISHER_LIMIT, publicationId)!.value, BigInt(end))
    assert.strictEqual(driver.counter(SUBSCRIBER_POSITION, subscriptionId), undefined)
  })

  it("drains a removed publication, then tells its subscribers, then frees the log", () => {
    const { client, driver, image, log, publicationId, ready, subscriptionId } = connected()
    const end = publish(log, 1000)
    client.removePublication(publicationId, false)
    driver.tick()
    assert.strictEqual(LogBufferMetadata.endOfStreamPosition(log.metadata), end)
    assert.deepStrictEqual(named(driver.pass(3000, [client]), "onUnavailableImage"), [])
    driver.setPosition(image.subscriberPositionId, end)
    assert.deepStrictEqual(named(driver.pass(1000, [client]), "onUnavailableImage"), [
      { correlationId: publicationId, subscriptionRegistrationId: subscriptionId, streamId: STREAM, channel: CHANNEL }
    ])
    assert.isTrue(driver.logFactory.logs.has(ready.logFile))
    driver.pass(2000, [client])
    assert.isFalse(driver.logFactory.logs.has(ready.logFile))
    assert.strictEqual(driver.counter(PUBLISHER_POSITION, publicationId), undefined)
  })

  it("tries again to free a log that could not be freed, and counts that", () => {
    const { client, driver, publicationId } = connected()
    driver.logFactory.freeRefusals = 2
    client.removePublication(publicationId, false)
    driver.pass(4000, [client])
    assert.strictEqual(driver.systemCounter(SystemCounters.FREE_FAILS), 2)
    assert.strictEqual(driver.logFactory.logs.size, 0)
  })

  it("revokes a publication without draining it", () => {
    const { client, driver, log, publicationId } = connected()
    publish(log, 1000)
    client.removePublication(publicationId, true)
    const responses = driver.pass(1000, [client])
    assert.isTrue(LogBufferMetadata.isPublicationRevoked(log.metadata))
    assert.strictEqual(named(responses, "onUnavailableImage").length, 1)
    assert.strictEqual(driver.systemCounter(SystemCounters.PUBLICATIONS_REVOKED), 1)
  })

  it("gives a subscriber of a rejected stream nothing again that it had read", () => {
    const { client, driver, image, log } = connected()
    const end = publish(log, 1000)
    driver.setPosition(image.subscriberPositionId, end)
    client.rejectImage(image.correlationId, 0, "no")
    driver.tick()
    const again = named(driver.pass(15_000, [client]), "onAvailableImage") as ReadonlyArray<ImageBuffersReady>
    assert.strictEqual(again.length, 1)
    assert.strictEqual(driver.counters.value(again[0]!.subscriberPositionId), BigInt(end))
  })

  it("leaves behind an untethered subscriber that stays below the window, and lets it rejoin", () => {
    const { client, driver, image: untethered, log } = connected(CHANNEL, "aeron:ipc?tether=false")
    client.addSubscription(CHANNEL, STREAM)
    const tethered = named(driver.tick(), "onAvailableImage")[0] as ImageBuffersReady
    let end = 0
    while (end < WINDOW - 4096) {
      end = publish(log, 4000)
    }
    driver.setPosition(tethered.subscriberPositionId, end)
    const responses = driver.pass(7000, [client])
    assert.deepStrictEqual(
      (named(responses, "onUnavailableImage") as ReadonlyArray<{ subscriptionRegistrationId: bigint }>).map(
        ({ subscriptionRegistrationId }) => subscriptionRegistrationId
      ),
      [untethered.subscriptionRegistrationId]
    )
    const rejoined = named(driver.pass(18_000, [client]), "onAvailableImage") as ReadonlyArray<ImageBuffersReady>
    assert.strictEqual(rejoined.length, 1)
    assert.strictEqual(rejoined[0]!.subscriptionRegistrationId, untethered.subscriptionRegistrationId)
    assert.strictEqual(driver.counters.value(rejoined[0]!.subscriberPositionId), BigInt(end))
  })

  it("does not wait for a subscriber that was left behind before its publication was closed", () => {
    const { client, driver, log, publicationId } = connected(CHANNEL, "aeron:ipc?tether=false")
    client.addSubscription(CHANNEL, STREAM)
    const tethered = named(driver.tick(), "onAvailableImage")[0] as ImageBuffersReady
    let end = 0
    while (end < WINDOW - 4096) {
      end = publish(log, 4000)
    }
    driver.setPosition(tethered.subscriberPositionId, end)
    assert.strictEqual(named(driver.pass(7000, [client]), "onUnavailableImage").length, 1)
    client.removePublication(publicationId, false)
    driver.pass(8000, [client])
    assert.strictEqual(driver.logFactory.logs.size, 0)
  })
})
