import { assert, describe, it } from "@effect/vitest"
import { FragmentBatch } from "@millrace/core/kernel/logbuffer/FragmentBatch"
import * as OfferResult from "@millrace/core/kernel/logbuffer/OfferResult"
import type { ClientPublication } from "../../src/client/ClientPublication.ts"
import type { SubscriptionImages } from "../../src/client/SubscriptionImages.ts"
import * as CommandType from "../../src/command/CommandType.ts"
import { ClientProxy } from "../../src/command/ClientProxy.ts"
import * as ErrorCode from "../../src/command/ErrorCode.ts"
import { BroadcastTransmitter } from "@millrace/core/kernel/broadcast/BroadcastTransmitter"
import { HeapDriver } from "../driver/HeapDriver.ts"
import { CHANNEL, HeapClient, readAll, STREAM } from "./HeapClient.ts"

const encoder = new TextEncoder()

const setUp = () => {
  const driver = new HeapDriver()
  return { driver, client: new HeapClient(driver) }
}

const offer = (publication: ReturnType<HeapClient["addPublication"]>, text: string): number => {
  const bytes = encoder.encode(text)
  return publication.offer(bytes, 0, bytes.length)
}

/** Writes a frame length that cannot be. */
const corrupt = (publication: ClientPublication, termOffset: number): void => {
  publication.log.buffers.terms[0].int32[termOffset / 4] = 7
}

/** Types of the counters that are not the driver's own; 11 is the client's heartbeat. */
const counterTypes = (driver: HeapDriver): ReadonlyArray<number> => {
  const types: Array<number> = []
  driver.counters.forEach(({ typeId }) => types.push(typeId))
  return types.filter((typeId) => typeId !== 0)
}

describe("ClientConductor", () => {
  it("carries messages from a publication to a subscription", () => {
    const { client } = setUp()
    const publication = client.addPublication()
    assert.strictEqual(offer(publication, "too early"), OfferResult.NOT_CONNECTED)
    const subscription = client.addSubscription()
    client.step()
    assert.isTrue(publication.isConnected)
    assert.isAbove(offer(publication, "one"), 0)
    assert.isAbove(offer(publication, ""), 0)
    assert.isAbove(offer(publication, "x".repeat(5000)), 0)
    assert.deepStrictEqual(readAll(subscription), ["one", "", "x".repeat(5000)])
  })

  it("counts requests and answers as work, heartbeats not", () => {
    const { client, driver } = setUp()
    const tick = () => client.conductor.doWork(driver.clock.nanoTime())
    let isAnswered = false
    client.conductor.addSubscription(CHANNEL, STREAM, {
      onSuccess: () => (isAnswered = true),
      onFailure: (failure) => assert.fail(JSON.stringify(failure))
    })
    assert.strictEqual(tick(), 1)
    assert.strictEqual(tick(), 0)
    driver.tick()
    assert.isAbove(tick(), 0)
    assert.isTrue(isAnswered)
    driver.clock.advanceMs(600)
    driver.tick()
    assert.strictEqual(tick(), 0)
  })

  it("carries them between two clients", () => {
    const { client, driver } = setUp()
    const other = new HeapClient(driver)
    const subscription = other.addSubscription()
    const publication = client.addPublication()
    other.step()
    client.step()
    offer(publication, "across")
    assert.deepStrictEqual(readAll(subscription), ["across"])
  })

  it("is pressed back at the limit and goes on when the subscriber has read", () => {
    const { client } = setUp()
    const publication = client.addPublication(CHANNEL, true)
    const subscription = client.addSubscription()
    client.step()
    const message = "x".repeat(1000)
    let accepted = 0
    while (offer(publication, message) >= 0) {
      accepted++
    }
    assert.strictEqual(offer(publication, message), OfferResult.BACK_PRESSURED)
    assert.strictEqual(readAll(subscription).length, accepted)
    client.step()
    assert.isAbove(offer(publication, message), 0)
  })

  it("holds the driver off a borrowed batch until it is given back", () => {
    const { client, driver } = setUp()
    const publication = client.addPublication()
    const subscription = client.addSubscription()
    client.step()
    for (let i = 0; i < 4; i++) {
      offer(publication, `borrowed ${"x".repeat(1200)}`)
    }
    const batch = new FragmentBatch(8)
    const image = subscription.read(batch, Infinity)!
    for (let i = 0; i < 10; i++) {
      driver.tick()
    }
    assert.include(new TextDecoder().decode(batch.message(3)), "borrowed")
    image.release()
    driver.tick()
    assert.strictEqual(batch.message(3)[0], 0)
  })

  it("ends an image at its end of stream when the publication is closed and drained", () => {
    const { client } = setUp()
    const publication = client.addPublication()
    const subscription = client.addSubscription()
    client.step()
    offer(publication, "last")
    const image = subscription.current[0]!
    client.conductor.closePublication(publication, false)
    assert.strictEqual(offer(publication, "late"), OfferResult.CLOSED)
    client.pass(2000)
    assert.isFalse(image.isClosed)
    assert.deepStrictEqual(readAll(subscription), ["last"])
    assert.isTrue(image.isEndOfStream)
    client.pass(2000)
    assert.strictEqual(image.end, "EndOfStream")
    assert.isFalse(subscription.isConnected)
  })

  it("ends an image as revoked when its publication is", () => {
    const { client } = setUp()
    const publication = client.addPublication(CHANNEL, true)
    const subscription = client.addSubscription()
    client.step()
    offer(publication, "never read")
    const image = subscription.current[0]!
    client.conductor.closePublication(publication, true)
    client.pass(2000)
    assert.strictEqual(image.end, "Revoked")
  })

  it("loses an image that is rejected", () => {
    const { client } = setUp()
    const publication = client.addPublication()
    const subscription = client.addSubscription()
    client.step()
    offer(publication, "unread")
    const image = subscription.current[0]!
    client.answer<void>((handlers) => client.conductor.rejectImage(image, "no", handlers))
    assert.strictEqual(image.end, "Lost")
    assert.strictEqual(client.publicationErrors[0]!.message, "no")
  })

  it("closes an image at a corrupt frame, after what stands before it, and reads the others on", () => {
    const { client } = setUp()
    const [bad, good] = [client.addPublication(CHANNEL, true), client.addPublication(CHANNEL, true)]
    const subscription = client.addSubscription()
    client.step()
    const image = subscription.current.find(({ sessionId }) => sessionId === bad.sessionId)!
    offer(bad, "before")
    offer(bad, "overwritten")
    corrupt(bad, 64)
    offer(good, "other")
    assert.deepStrictEqual(readAll(subscription).toSorted(), ["before", "other"])
    assert.strictEqual(image.end, "Corrupt")
    assert.strictEqual(image.position, 64)
    assert.strictEqual(image.corruption!.termOffset, 64)
    assert.deepStrictEqual(client.corruptImages, [image])
    assert.deepStrictEqual(
      subscription.current.map(({ sessionId }) => sessionId),
      [good.sessionId]
    )
    offer(good, "after")
    assert.deepStrictEqual(readAll(subscription), ["after"])
  })

  it("has the driver take a corrupt image away, so that it holds up no publisher", () => {
    const { client } = setUp()
    const publication = client.addPublication()
    const subscription = client.addSubscription()
    client.step()
    offer(publication, "overwritten")
    corrupt(publication, 0)
    assert.deepStrictEqual(readAll(subscription), [])
    client.pass(4000)
    assert.isFalse(publication.isConnected)
    assert.strictEqual(client.publicationErrors[0]!.message, "corrupt frame at position 0")
    assert.deepStrictEqual(client.failures, [])
  })

  it("leaves a corrupt image that may be left behind to the driver", () => {
    const { client } = setUp()
    const publication = client.addPublication()
    const subscription = client.addSubscription(`${CHANNEL}?tether=false`)
    const other = client.addSubscription()
    client.step()
    offer(publication, "overwritten")
    corrupt(publication, 0)
    assert.deepStrictEqual(readAll(subscription), [])
    client.pass(1000)
    assert.isFalse(subscription.isConnected)
    assert.isTrue(other.isConnected)
    assert.deepStrictEqual(client.publicationErrors, [])
  })

  it("keeps an unused log mapped for the linger time, and shares one mapping", () => {
    const { client } = setUp()
    const publication = client.addPublication()
    const subscription = client.addSubscription()
    client.step()
    assert.strictEqual(client.mapped.length, 1)
    client.conductor.closeSubscription(subscription)
    client.conductor.closePublication(publication, false)
    client.pass(2500)
    assert.isFalse(client.mapped[0]!.state.isClosed)
    client.pass(2000)
    assert.isTrue(client.mapped[0]!.state.isClosed)
  })

  it("shows that it lives, with its name in the counter's label", () => {
    const { client, driver } = setUp()
    client.addSubscription()
    client.pass(60_000)
    assert.deepStrictEqual(client.failures, [])
    const heartbeat = driver.counter(11, client.conductor.clientId)!
    assert.strictEqual(heartbeat.label, `client-heartbeat: id=${client.conductor.clientId} name=heap`)
    assert.strictEqual(heartbeat.value, BigInt(driver.clock.nowMs))
  })

  it("tells the driver when it closes, and unmaps everything", () => {
    const { client, driver } = setUp()
    const publication = client.addPublication()
    client.conductor.onClose()
    assert.isTrue(publication.isClosed)
    assert.isTrue(client.mapped.every(({ state }) => state.isClosed))
    driver.pass(1000)
    assert.strictEqual(driver.counter(11, client.conductor.clientId), undefined)
    assert.strictEqual(
      client.refusal<SubscriptionImages>((handlers) => client.conductor.addSubscription(CHANNEL, 1, handlers))._tag,
      "Closed"
    )
  })

  it("hands on why the driver refused", () => {
    const { client } = setUp()
    const refused = client.refusal<ClientPublication>((handlers) =>
      client.conductor.addPublication("aeron:ipc?term-length=5k", STREAM, false, handlers)
    )
    assert(refused._tag === "Refused")
    assert.strictEqual(refused.code, ErrorCode.GENERIC_ERROR)
    assert.include(refused.message, "term-length")
  })

  it("gives up a request that is not answered", () => {
    const { client, driver } = setUp()
    client.addSubscription()
    let failure: unknown
    client.conductor.addPublication(CHANNEL, STREAM, false, {
      onSuccess: () => assert.fail("was answered"),
      onFailure: (refused) => (failure = refused)
    })
    driver.logFactory.delayTicks = Infinity
    client.pass(11_000)
    assert.deepStrictEqual(failure, { _tag: "NoResponse", waitedMs: 10_500 })
  })

  it("removes what the driver made for a request after it was given up", () => {
    const { client, driver } = setUp()
    const failures: Array<unknown> = []
    const handlers = { onSuccess: () => assert.fail("was answered"), onFailure: (why: unknown) => failures.push(why) }
    // The driver answers one command after the other: the log that is not there yet holds up the second as well.
    driver.logFactory.delayTicks = 23
    client.conductor.addPublication(CHANNEL, STREAM, false, handlers)
    client.conductor.addSubscription(CHANNEL, STREAM, handlers)
    client.pass(11_000)
    assert.strictEqual(failures.length, 2)
    assert.strictEqual(driver.logFactory.logs.size, 0)
    client.pass(5000)
    assert.strictEqual(driver.logFactory.logs.size, 0)
    assert.deepStrictEqual(counterTypes(driver), [11])
    assert.strictEqual(failures.length, 2)
  })

  it("fails a request once, though the client ends or the driver refuses it afterwards", () => {
    const { client, driver } = setUp()
    const failures: Array<string> = []
    const handlers = {
      onSuccess: () => assert.fail("was answered"),
      onFailure: ({ _tag }: { readonly _tag: string }) => failures.push(_tag)
    }
    driver.logFactory.delayTicks = 23
    driver.logFactory.failure = { isStorageSpace: false, message: "too late" }
    client.conductor.addPublication(CHANNEL, STREAM, false, handlers)
    client.pass(12_000)
    client.conductor.addSubscription("aeron:ipc", STREAM, handlers)()
    client.conductor.onClose()
    assert.deepStrictEqual(failures, ["NoResponse"])
  })

  it("removes what was made for a request that nobody waits for any more", () => {
    const { client, driver } = setUp()
    const ignore = { onSuccess: () => assert.fail("was answered"), onFailure: () => {} }
    client.conductor.addPublication(CHANNEL, STREAM, false, ignore)()
    client.conductor.addSubscription(CHANNEL, STREAM, ignore)()
    client.pass(5000)
    assert.strictEqual(driver.logFactory.logs.size, 0)
    assert.deepStrictEqual(counterTypes(driver), [11])
  })

  it("refuses a request when the ring of commands is full, and sends removals later", () => {
    const { client, driver } = setUp()
    const publication = client.addPublication()
    const filler = new Uint8Array(4000)
    while (driver.ring.write(CommandType.CLIENT_KEEPALIVE, filler, 0, filler.length)) {
      // Until nothing fits any more.
    }
    while (driver.ring.write(CommandType.CLIENT_KEEPALIVE, filler, 0, 16)) {
      // The rest.
    }
    let failure: unknown
    client.conductor.addSubscription(CHANNEL, STREAM, {
      onSuccess: () => assert.fail("was answered"),
      onFailure: (refused) => (failure = refused)
    })
    assert.deepStrictEqual(failure, { _tag: "CommandsFull" })
    client.conductor.closePublication(publication, false)
    for (let i = 0; i < 500; i++) {
      driver.tick()
    }
    client.pass(5000)
    assert.strictEqual(driver.logFactory.logs.size, 0)
  })

  it("refuses a publication whose log cannot be mapped, and gives it back", () => {
    const { client, driver } = setUp()
    client.mappingError = new Error("ENOMEM")
    const refused = client.refusal<ClientPublication>((handlers) =>
      client.conductor.addPublication(CHANNEL, STREAM, false, handlers)
    )
    assert.strictEqual(refused._tag, "Unmappable")
    client.pass(4000)
    assert.strictEqual(driver.logFactory.logs.size, 0)
  })

  it("does without an image whose log is gone already, and fails when it cannot be mapped", () => {
    const { client } = setUp()
    const subscription = client.addSubscription()
    // What a revoked publication leaves: the driver announced the image and deleted the log before this client looked.
    client.mappingError = Object.assign(new Error("no such file"), { code: "ENOENT" })
    client.conductor.addPublication(CHANNEL, STREAM, true, { onSuccess: () => {}, onFailure: () => {} })
    client.step()
    assert.deepStrictEqual(client.failures, [])
    assert.isFalse(subscription.isConnected)
    client.mappingError = Object.assign(new Error("out of memory"), { code: "ENOMEM" })
    client.conductor.addPublication(CHANNEL, STREAM, true, { onSuccess: () => {}, onFailure: () => {} })
    client.step()
    assert.strictEqual(client.failures[0]!._tag, "Corrupt")
  })

  it("hands on the failure of a channel that it uses, and no other", () => {
    const { client, driver } = setUp()
    const subscription = client.addSubscription()
    const proxy = new ClientProxy(new BroadcastTransmitter(driver.toClients.buffer()))
    const { channelStatusId } = subscription
    proxy.onError(BigInt(channelStatusId + 1), ErrorCode.CHANNEL_ENDPOINT_ERROR, "of others")
    proxy.onError(BigInt(channelStatusId), ErrorCode.CHANNEL_ENDPOINT_ERROR, "cable cut")
    client.step()
    assert.deepStrictEqual(client.channelErrors, [`${CHANNEL}: cable cut`])
  })

  it("counts responses that it does not know, and goes on", () => {
    const { client, driver } = setUp()
    new BroadcastTransmitter(driver.toClients.buffer()).transmit(0x0fff, new Uint8Array(8), 0, 8)
    client.addSubscription()
    assert.strictEqual(client.conductor.unknownResponseCount, 1)
  })

  it("leaves to others what was answered to them", () => {
    const { client, driver } = setUp()
    const other = new HeapClient(driver)
    client.addPublication()
    client.addSubscription()
    other.step()
    assert.deepStrictEqual(other.failures, [])
    assert.strictEqual(other.mapped.length, 0)
  })
})
