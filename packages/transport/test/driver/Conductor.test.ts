import { assert, describe, it } from "@effect/vitest"
import { AgentTermination } from "@millrace/core/kernel/agent/Agent"
import * as LogBufferMetadata from "@millrace/core/kernel/logbuffer/LogBufferMetadata"
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import * as RecordDescriptor from "@millrace/core/kernel/ringbuffer/RecordDescriptor"
import * as CommandType from "../../src/command/CommandType.ts"
import * as ErrorCode from "../../src/command/ErrorCode.ts"
import type { ErrorResponse } from "../../src/command/ErrorResponse.ts"
import type { ImageBuffersReady } from "../../src/command/ImageBuffersReady.ts"
import type { PublicationBuffersReady } from "../../src/command/PublicationBuffersReady.ts"
import type { PublicationError } from "../../src/command/PublicationError.ts"
import * as SystemCounters from "../../src/driver/SystemCounters.ts"
import { HeapClient, readAll } from "../client/HeapClient.ts"
import { HeapDriver, named } from "./HeapDriver.ts"
import {
  CHANNEL,
  connected,
  PUBLISHER_LIMIT,
  PUBLISHER_POSITION,
  STREAM,
  SUBSCRIBER_POSITION
} from "./IpcConnection.ts"

const CLIENT_HEARTBEAT = 11

const errorOf = (driver: HeapDriver): ErrorResponse => named(driver.tick(), "onError")[0] as ErrorResponse

describe("driver Conductor", () => {
  it("gives its counters Aeron's ids and owns them itself", () => {
    const driver = new HeapDriver()
    assert.strictEqual(driver.counters.label(SystemCounters.ERRORS), "Errors: version=0.0.0 commit=test")
    assert.strictEqual(driver.counters.label(SystemCounters.IMAGES_REJECTED), "Images rejected")
    assert.strictEqual(driver.counters.ownerId(SystemCounters.BYTES_SENT), -1n)
    assert.strictEqual(driver.counters.registrationId(SystemCounters.NATIVE_RESOURCE_PROXY_FAILS), 45n)
  })

  it("answers a new client with its heartbeat counter before anything else", () => {
    const driver = new HeapDriver()
    const client = driver.newClient()
    client.addSubscription(CHANNEL, STREAM)
    const responses = driver.tick()
    assert.deepStrictEqual(
      responses.map(({ name }) => name),
      ["onCounterReady", "onSubscriptionReady"]
    )
    const heartbeat = driver.counter(CLIENT_HEARTBEAT, client.clientId)!
    assert.strictEqual(heartbeat.label, `client-heartbeat: id=${client.clientId}`)
    assert.strictEqual(heartbeat.value, BigInt(driver.clock.nowMs))
    assert.strictEqual(heartbeat.ownerId, client.clientId)
  })

  it("shows that it lives at start and at each timer interval", () => {
    const driver = new HeapDriver()
    assert.strictEqual(driver.ring.consumerHeartbeatMs, driver.clock.nowMs)
    driver.clock.advanceMs(999)
    driver.tick()
    assert.strictEqual(driver.ring.consumerHeartbeatMs, driver.clock.nowMs - 999)
    driver.clock.advanceMs(1)
    driver.tick()
    assert.strictEqual(driver.ring.consumerHeartbeatMs, driver.clock.nowMs)
  })

  it("says by its heartbeat that it has ended, and frees every log", () => {
    const { driver } = connected()
    assert.strictEqual(driver.logFactory.logs.size, 1)
    driver.conductor.onClose()
    assert.strictEqual(driver.ring.consumerHeartbeatMs, -1)
    assert.strictEqual(driver.logFactory.logs.size, 0)
  })

  it("gives up a log that is still being made when it ends", () => {
    const driver = new HeapDriver()
    driver.logFactory.delayTicks = 3
    driver.newClient().addPublication(CHANNEL, STREAM)
    driver.tick()
    assert.strictEqual(driver.logFactory.underWay, 1)
    driver.conductor.onClose()
    assert.strictEqual(driver.logFactory.underWay, 0)
  })

  it("ends everything of a client that shows no life, and says so", () => {
    const { client, driver, log, publicationId, ready, subscriptionId } = connected()
    const other = driver.newClient()
    other.addSubscription(CHANNEL, STREAM)
    driver.tick()
    const responses = driver.pass(14_000, [other])
    assert.deepStrictEqual(named(responses, "onClientTimeout"), [client.clientId])
    assert.strictEqual(driver.systemCounter(SystemCounters.CLIENT_TIMEOUTS), 1)
    assert.strictEqual(LogBufferMetadata.endOfStreamPosition(log.metadata), 0)
    assert.strictEqual(driver.counter(CLIENT_HEARTBEAT, client.clientId), undefined)
    assert.strictEqual(driver.counter(SUBSCRIBER_POSITION, subscriptionId), undefined)
    assert.strictEqual(driver.counter(PUBLISHER_LIMIT, publicationId), undefined)
    assert.isFalse(driver.logFactory.logs.has(ready.logFile))
  })

  it("keeps a client that shows life", () => {
    const { client, driver } = connected()
    assert.deepStrictEqual(named(driver.pass(30_000, [client]), "onClientTimeout"), [])
  })

  it("ends a client that closes at the next timer, without a timeout", () => {
    const { client, driver } = connected()
    client.clientClose()
    const responses = driver.pass(1000)
    assert.deepStrictEqual(named(responses, "onClientTimeout"), [])
    assert.strictEqual(named(responses, "onUnavailableCounter").length, 1)
    assert.strictEqual(driver.systemCounter(SystemCounters.CLIENT_TIMEOUTS), 0)
  })

  it("keeps reading other duties while a log is being made, and answers in order", () => {
    const driver = new HeapDriver()
    const client = driver.newClient()
    driver.logFactory.delayTicks = 2
    const publicationId = client.addPublication(CHANNEL, STREAM)
    const subscriptionId = client.addSubscription(CHANNEL, STREAM)
    assert.deepStrictEqual(driver.tick(), [])
    assert.deepStrictEqual(driver.tick(), [])
    const responses = driver.tick()
    assert.strictEqual(
      (named(responses, "onPublicationReady")[0] as PublicationBuffersReady).correlationId,
      publicationId
    )
    assert.strictEqual(
      (named(responses, "onAvailableImage")[0] as ImageBuffersReady).subscriptionRegistrationId,
      subscriptionId
    )
  })

  it("answers STORAGE_SPACE with what is needed and what is there, and keeps nothing", () => {
    const driver = new HeapDriver()
    const client = driver.newClient()
    driver.logFactory.failure = { isStorageSpace: true, message: "200704 bytes are needed, 4096 are available" }
    const publicationId = client.addPublication(CHANNEL, STREAM)
    assert.deepStrictEqual(errorOf(driver), {
      offendingCorrelationId: publicationId,
      code: ErrorCode.STORAGE_SPACE,
      message: "200704 bytes are needed, 4096 are available"
    })
    assert.strictEqual(driver.counter(PUBLISHER_POSITION, publicationId), undefined)
  })

  it("refuses a publication when the counters are used up, and gives back what it took", () => {
    const driver = new HeapDriver()
    const client = driver.newClient()
    const free = driver.counters.capacity - 46 - 1
    for (let i = 0; i < free - 1; i++) {
      client.addCounter(1000, new Uint8Array(0), "filler")
      driver.tick()
    }
    client.addPublication(CHANNEL, STREAM)
    const error = errorOf(driver)
    assert.strictEqual(error.code, ErrorCode.GENERIC_ERROR)
    assert.include(error.message, "no room for another counter")
    driver.pass(3000, [client])
    assert.strictEqual(driver.logFactory.logs.size, 0)
  })

  it.each([
    ["aeron:ipc?term-length=5k", ErrorCode.GENERIC_ERROR, "term-length"],
    ["aeron:ipc?mtu", ErrorCode.INVALID_CHANNEL, "channel=mtu"],
    ["aeron:ipc?init-term-id=1", ErrorCode.INVALID_CHANNEL, "init-term-id"],
    ["aeron:ipc?session-id=tag:9", ErrorCode.INVALID_CHANNEL, "session-id"],
    ["aeron-spy:aeron:ipc", ErrorCode.INVALID_CHANNEL, "spies are invalid"],
    ["aeron:ipc?control-mode=response", ErrorCode.NOT_SUPPORTED, "control-mode=response"],
    ["http://x", ErrorCode.INVALID_CHANNEL, "aeron:"]
  ])("refuses a publication on %s", (channel, code, text) => {
    const driver = new HeapDriver()
    const client = driver.newClient()
    const correlationId = client.addPublication(channel, STREAM)
    const error = errorOf(driver)
    assert.strictEqual(error.offendingCorrelationId, correlationId)
    assert.strictEqual(error.code, code)
    assert.include(error.message, text)
    assert.strictEqual(driver.errors.length, 1)
  })

  it.each([
    ["aeron:ipc?mtu=8192", "mtu"],
    ["aeron:ipc?term-length=128k", "term-length"],
    ["aeron:ipc?session-id=42", "session-id"],
    ["aeron:ipc?init-term-id=1|term-id=1|term-offset=0", "init-term-id"],
    ["aeron:ipc?ssc=true", "ssc"]
  ])("refuses to share a publication whose parameters differ from %s", (channel, parameter) => {
    const { client, driver } = connected()
    client.addPublication(channel, STREAM)
    assert.include(errorOf(driver).message, `different '${parameter}'`)
  })

  it.each([
    ["publication", (client: ReturnType<HeapDriver["newClient"]>) => client.removePublication(99n, false), 3],
    ["subscription", (client: ReturnType<HeapDriver["newClient"]>) => client.removeSubscription(99n), 2],
    ["counter", (client: ReturnType<HeapDriver["newClient"]>) => client.removeCounter(99n), 5]
  ])("refuses to remove an unknown %s", (kind, remove, code) => {
    const driver = new HeapDriver()
    remove(driver.newClient())
    const error = errorOf(driver)
    assert.strictEqual(error.code, code)
    assert.strictEqual(error.message, `unknown ${kind}: 99`)
  })

  it("refuses commands it does not know and commands that are cut short, and goes on", () => {
    const driver = new HeapDriver()
    driver.ring.write(0x77, new Uint8Array(16), 0, 16)
    assert.strictEqual(errorOf(driver).code, ErrorCode.UNKNOWN_COMMAND_TYPE_ID)
    driver.ring.write(CommandType.ADD_PUBLICATION, new Uint8Array(20), 0, 20)
    assert.strictEqual(errorOf(driver).code, ErrorCode.MALFORMED_COMMAND)
    driver.ring.write(CommandType.ADD_PUBLICATION, new Uint8Array(3), 0, 3)
    assert.strictEqual(errorOf(driver).offendingCorrelationId, -1n)
    driver.newClient().addSubscription(CHANNEL, STREAM)
    assert.strictEqual(named(driver.tick(), "onSubscriptionReady").length, 1)
  })

  it.each([3, 2 ** 31 - 1, -3])("goes on with its streams when a client wrote a command of %s bytes", (length) => {
    const driver = new HeapDriver()
    const client = new HeapClient(driver)
    const subscription = client.addSubscription()
    const publication = client.addPublication()
    const ring: AtomicBuffer = Reflect.get(driver.ring, "buffer")
    const offset = driver.ring.tryClaim(CommandType.ADD_SUBSCRIPTION, 40)
    ring.int32[RecordDescriptor.lengthIndex(offset - RecordDescriptor.HEADER_LENGTH)] = length
    const payload = new TextEncoder().encode("x".repeat(1000))
    let offered = 0
    for (let turn = 0; turn < 200; turn++) {
      offered += publication.offer(payload, 0, payload.length) > 0 ? 1 : 0
      client.step()
      readAll(subscription)
    }
    assert.isAbove(offered, 190)
    client.pass(15_000)
    assert.deepStrictEqual(client.failures, [])
    assert.strictEqual(driver.errors.length, 1)
    assert.include(String(driver.errors[0]), `record length at offset ${offset - 8} is ${Math.abs(length)}`)
  })

  it("refuses destinations of every kind", () => {
    const driver = new HeapDriver()
    const client = driver.newClient()
    const channel = "aeron:udp?endpoint=localhost:1"
    for (const send of [
      () => client.addDestination(1n, channel),
      () => client.removeDestination(1n, channel),
      () => client.removeDestinationById(1n, 2n),
      () => client.addReceiveDestination(1n, channel),
      () => client.removeReceiveDestination(1n, channel)
    ]) {
      send()
      assert.strictEqual(errorOf(driver).code, ErrorCode.NOT_SUPPORTED)
    }
  })

  it("tells a publisher that a subscriber rejected its stream, and keeps it away for a while", () => {
    const { client, driver, image, log, publicationId } = connected()
    client.rejectImage(image.correlationId, 0, "no thank you")
    const responses = driver.tick()
    const error = named(responses, "onPublicationError")[0] as PublicationError
    assert.strictEqual(error.registrationId, publicationId)
    assert.strictEqual(error.code, ErrorCode.IMAGE_REJECTED)
    assert.strictEqual(error.message, "no thank you")
    assert.match(
      String(driver.errors[0]),
      /^WARN a publication is refused by a receiver: .* errorMessage=no thank you$/
    )
    assert.strictEqual(named(responses, "onUnavailableImage").length, 1)
    assert.strictEqual(named(responses, "onOperationSuccess").length, 1)
    assert.isFalse(LogBufferMetadata.isConnected(log.metadata))
    assert.deepStrictEqual(named(driver.pass(9000, [client]), "onAvailableImage"), [])
    assert.strictEqual(named(driver.pass(3000, [client]), "onAvailableImage").length, 1)
    assert.strictEqual(driver.systemCounter(SystemCounters.IMAGES_REJECTED), 1)
  })

  it("refuses to reject an image that is not there, or with a reason too long", () => {
    const { client, driver, image } = connected()
    client.rejectImage(999n, 0, "x")
    assert.include(errorOf(driver).message, "unable to resolve image for correlationId=999")
    client.rejectImage(image.correlationId, 0, "x".repeat(1024))
    assert.include(errorOf(driver).message, "1023 bytes")
  })

  it("ends by a command when that is allowed, and not otherwise", () => {
    const driver = new HeapDriver()
    const client = driver.newClient()
    client.terminateDriver(new Uint8Array(0))
    driver.tick()
    driver.isTerminationAllowed = true
    client.terminateDriver(new Uint8Array(0))
    assert.throws(() => driver.tick(), AgentTermination)
  })

  it("counts cycles that took too long and keeps the longest", () => {
    const driver = new HeapDriver()
    driver.clock.advanceMs(250)
    driver.tick()
    assert.strictEqual(driver.systemCounter(SystemCounters.CONDUCTOR_MAX_CYCLE_TIME), 250e6)
    assert.strictEqual(driver.systemCounter(SystemCounters.CONDUCTOR_CYCLE_TIME_THRESHOLD_EXCEEDED), 1)
  })
})
