import { assert, describe, it } from "@effect/vitest"
import { CountersManager } from "@millrace/core/kernel/counters/CountersManager"
import * as CountersDescriptor from "@millrace/core/kernel/counters/CountersDescriptor"
import { FragmentBatch } from "@millrace/core/kernel/logbuffer/FragmentBatch"
import { AssertionError } from "@millrace/core/kernel/memory/Assert"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import { ClientHeartbeat } from "../../src/client/ClientHeartbeat.ts"
import { HeapDriver } from "../driver/HeapDriver.ts"
import { CHANNEL, HeapClient } from "./HeapClient.ts"

const MESSAGE = new Uint8Array(32)

const setUp = () => {
  const driver = new HeapDriver()
  const client = new HeapClient(driver)
  const publication = client.addPublication(CHANNEL, true)
  const subscription = client.addSubscription()
  client.step()
  publication.offer(MESSAGE, 0, MESSAGE.length)
  return { client, publication, subscription, image: subscription.current[0]! }
}

describe("ImageReader", () => {
  it("stands where it was closed, and reads no more", () => {
    const { client, image, publication, subscription } = setUp()
    const batch = new FragmentBatch(8)
    assert.strictEqual(image.read(batch, Infinity), 1)
    assert.strictEqual(image.endOfStreamPosition, Infinity)
    assert.strictEqual(image.activeTransportCount, 0)
    publication.offer(MESSAGE, 0, MESSAGE.length)
    client.conductor.closeSubscription(subscription)
    client.step()
    assert.deepStrictEqual([image.end, image.position, image.endOfStreamPosition], ["Closed", 64, 64])
    assert.deepStrictEqual([image.isEndOfStream, image.isPublicationRevoked], [false, false])
    assert.strictEqual(image.activeTransportCount, 0)
    image.takeBack(batch, 0)
    image.release()
    image.close("Unavailable")
    assert.strictEqual(image.read(batch, Infinity), 0)
    assert.strictEqual(
      image.pollBlock(() => assert.fail("a block of a closed image"), 1024),
      0
    )
    assert.deepStrictEqual([image.end, image.position], ["Closed", 64])
  })

  it("hands on what its reader's caller did wrong, and stays open", () => {
    const { image, subscription } = setUp()
    const owned = new FragmentBatch(8).toOwned()
    assert.throws(() => subscription.readOne(image, owned, Infinity), AssertionError)
    const failing = (): never => {
      throw new RangeError("handler")
    }
    assert.throws(() => subscription.pollBlock(image, failing, 1024), RangeError)
    assert.isFalse(image.isClosed)
  })

  it("is told of to those who listen as it comes and goes, until they do not", () => {
    const { client, publication, subscription } = setUp()
    const events: Array<string> = []
    const listener = {
      onAvailableImage: ({ sessionId }: { readonly sessionId: number }) => events.push(`+${sessionId}`),
      onUnavailableImage: ({ sessionId }: { readonly sessionId: number }) => events.push(`-${sessionId}`)
    }
    subscription.addListener(listener)
    const second = client.addPublication(CHANNEL, true)
    client.step()
    assert.isDefined(subscription.remove(subscription.current[0]!.correlationId, "Closed"))
    assert.isUndefined(subscription.remove(-1n, "Closed"))
    subscription.removeListener(listener)
    subscription.remove(subscription.current[0]!.correlationId, "Closed")
    assert.deepStrictEqual(events, [`+${second.sessionId}`, `-${publication.sessionId}`])
  })
})

describe("ClientHeartbeat", () => {
  const setUpCounters = () => {
    const values = new HeapRegion("values", 1024).buffer()
    const counters = new CountersManager(new HeapRegion("metadata", 4096).buffer(), values, () => 0, 0)
    return { counters, heartbeat: new ClientHeartbeat(counters, 5n, " name=test") }
  }
  const label = "client-heartbeat: id=5"

  it("beats without a counter until the driver has made one, and then in that", () => {
    const { counters, heartbeat } = setUpCounters()
    assert.isTrue(heartbeat.beat(1000))
    const id = counters.allocate({ typeId: 11, label, registrationId: 5n })
    assert.isTrue(heartbeat.beat(2000))
    assert.isTrue(heartbeat.beat(3000))
    assert.strictEqual(counters.value(id), 3000n)
    assert.strictEqual(counters.label(id), `${label} name=test`)
  })

  it("says that the driver has forgotten the client, also when another has its place", () => {
    const { counters, heartbeat } = setUpCounters()
    const id = counters.allocate({ typeId: 11, label, registrationId: 5n })
    assert.isTrue(heartbeat.beat(1000))
    counters.free(id)
    assert.isFalse(heartbeat.beat(2000))
    assert.strictEqual(counters.allocate({ typeId: 11, label, registrationId: 6n }), id)
    assert.isFalse(heartbeat.beat(3000))
    assert.strictEqual(counters.value(id), 0n)
  })

  it("leaves a label alone whose length is none", () => {
    const { counters, heartbeat } = setUpCounters()
    const id = counters.allocate({ typeId: 11, label, registrationId: 5n })
    const lengthAt = CountersDescriptor.metadataOffset(id) + CountersDescriptor.LABEL_LENGTH_OFFSET
    counters.metadata.view.setInt32(lengthAt, 381, true)
    assert.isTrue(heartbeat.beat(1000))
    assert.strictEqual(counters.metadata.view.getInt32(lengthAt, true), 381)
  })
})
