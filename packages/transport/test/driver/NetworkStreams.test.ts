/** Streams between two drivers over a simulated network: content, order, and what both sides count. */
import { assert, describe, it } from "@effect/vitest"
import * as DataFrame from "@millrace/core/kernel/frame/DataFrame"
import { frameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import * as FrameFlags from "@millrace/core/kernel/frame/FrameFlags"
import * as FrameType from "@millrace/core/kernel/frame/FrameType"
import * as HeaderDescriptor from "@millrace/core/kernel/frame/HeaderDescriptor"
import * as StatusMessageFrame from "@millrace/core/kernel/frame/StatusMessageFrame"
import * as LossReportReader from "@millrace/core/kernel/lossreport/LossReportReader"
import * as OfferResult from "@millrace/core/kernel/logbuffer/OfferResult"
import { any, SocketAddress } from "../../src/channel/SocketAddress.ts"
import type { ClientPublication } from "../../src/client/ClientPublication.ts"
import type { SubscriptionImages } from "../../src/client/SubscriptionImages.ts"
import * as ErrorCode from "../../src/command/ErrorCode.ts"
import * as SystemCounters from "../../src/driver/SystemCounters.ts"
import { readAll } from "../client/HeapClient.ts"
import { HeapNetwork } from "./HeapNetwork.ts"

const ENDPOINT = "aeron:udp?endpoint=10.0.0.2:40456"
const encoder = new TextEncoder()

const connect = (
  world: HeapNetwork,
  options: { readonly subscription?: string; readonly publication?: string; readonly isExclusive?: boolean } = {}
): { readonly publication: ClientPublication; readonly subscription: SubscriptionImages } => {
  const subscription = world.subscriber.addSubscription(`${ENDPOINT}${options.subscription ?? ""}`)
  const publication = world.publisher.addPublication(
    `${ENDPOINT}${options.publication ?? ""}`,
    options.isExclusive ?? false
  )
  world.run(50)
  return { publication, subscription }
}

const offer = (publication: ClientPublication, text: string): number => {
  const bytes = encoder.encode(text)
  return publication.offer(bytes, 0, bytes.length)
}

/** Sends `count` numbered messages of `length` bytes while the world runs, and returns what arrived. */
const carry = (
  world: HeapNetwork,
  { publication, subscription }: ReturnType<typeof connect>,
  count: number,
  length: number,
  limitMs = 60_000
): ReadonlyArray<string> => {
  const received: Array<string> = []
  let sent = 0
  for (let passed = 0; passed < limitMs && received.length < count; passed++) {
    while (sent < count && offer(publication, `${sent}`.padEnd(length, ".")) >= 0) {
      sent++
    }
    world.run(1)
    received.push(...readAll(subscription))
  }
  return received
}

const numbered = (count: number, length: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `${index}`.padEnd(length, "."))

const counterOf = (world: HeapNetwork, side: "sender" | "receiver", id: number): number => world[side].systemCounter(id)

describe("network streams", () => {
  it("connect by SETUP and status message, and carry messages", () => {
    const world = new HeapNetwork(1)
    const streams = connect(world)
    assert.isTrue(streams.publication.isConnected)
    assert.strictEqual(streams.subscription.current[0]!.sourceIdentity, "10.0.0.1:40000")
    assert.deepStrictEqual(carry(world, streams, 100, 50), numbered(100, 50))
    assert.isAbove(counterOf(world, "sender", SystemCounters.STATUS_MESSAGES_RECEIVED), 0)
    assert.isAbove(counterOf(world, "receiver", SystemCounters.BYTES_RECEIVED), 0)
    assert.deepStrictEqual(world.sender.errors, [])
    assert.deepStrictEqual(world.receiver.errors, [])
  })

  it("connect when the subscriber comes later, by name too", () => {
    const world = new HeapNetwork(2)
    const publication = world.publisher.addPublication("aeron:udp?endpoint=receiver:40456")
    world.run(500)
    assert.strictEqual(offer(publication, "x"), OfferResult.NOT_CONNECTED)
    const subscription = world.subscriber.addSubscription(ENDPOINT)
    world.run(300)
    assert.deepStrictEqual(carry(world, { publication, subscription }, 10, 20), numbered(10, 20))
  })

  it("leave no log that is still being made when a driver ends", () => {
    const world = new HeapNetwork(20)
    world.subscriber.addSubscription(ENDPOINT)
    world.publisher.addPublication(ENDPOINT)
    for (const { logFactory } of [world.sender, world.receiver]) {
      logFactory.delayTicks = 1000
    }
    world.sender.newClient().addExclusivePublication(ENDPOINT, 1002)
    world.run(300)
    for (const { conductor, logFactory } of [world.sender, world.receiver]) {
      assert.strictEqual(logFactory.underWay, 1)
      conductor.onClose()
      assert.strictEqual(logFactory.underWay, 0)
      assert.strictEqual(logFactory.logs.size, 0)
    }
  })

  it("carry fragmented messages and rotate terms", () => {
    const world = new HeapNetwork(3)
    const streams = connect(world)
    assert.deepStrictEqual(carry(world, streams, 200, 5000), numbered(200, 5000))
    assert.isAbove(streams.publication.position(), 3 * 64 * 1024)
  })

  it.each([1, 2, 3, 4, 5])("lose nothing on a network that loses, repeats and reorders, seed %s", (seed) => {
    const world = new HeapNetwork(seed)
    const streams = connect(world, { isExclusive: seed % 2 === 0 })
    Object.assign(world.network.faults, {
      lossRate: 0.1,
      duplicateRate: 0.05,
      delayMinNs: 100_000,
      delayMaxNs: 5_000_000
    })
    assert.deepStrictEqual(carry(world, streams, 1000, 700), numbered(1000, 700))
    assert.isAbove(counterOf(world, "receiver", SystemCounters.NAK_MESSAGES_SENT), 0)
    assert.isAbove(counterOf(world, "sender", SystemCounters.RETRANSMITS_SENT), 0)
    assert.strictEqual(
      world.receiver.counter(20, streams.subscription.current[0]!.correlationId)?.label.split(":")[0],
      "rcv-naks-sent"
    )
  })

  it("count the bytes that are sent and sent again, without those that padding only stands for", () => {
    const world = new HeapNetwork(21)
    const streams = connect(world, { isExclusive: true })
    let bytes = 0
    world.network.faults.drops = (frame, source) => {
      const type = HeaderDescriptor.type(frame, 0)
      if (source.host === "10.0.0.1" && (type === FrameType.DATA || type === FrameType.PAD)) {
        bytes += frame.bytes.length
        return world.network.options.random() < 0.1
      }
      return false
    }
    const before = counterOf(world, "sender", SystemCounters.BYTES_SENT)
    assert.deepStrictEqual(carry(world, streams, 1000, 1100), numbered(1000, 1100))
    // Every term ends in padding, since no whole number of frames fills one.
    assert.isAbove(streams.publication.position(), 10 * 64 * 1024)
    const resent = counterOf(world, "sender", SystemCounters.RETRANSMITTED_BYTES)
    assert.isAbove(resent, 0)
    assert.strictEqual(counterOf(world, "sender", SystemCounters.BYTES_SENT) - before + resent, bytes)
  })

  it("learn of a lost last frame by the next heartbeat", () => {
    const world = new HeapNetwork(6)
    const { publication, subscription } = connect(world)
    world.network.faults.drops = (frame) =>
      HeaderDescriptor.type(frame, 0) === FrameType.DATA && !DataFrame.isHeartbeat(frame, 0)
    offer(publication, "last")
    world.run(20)
    world.network.faults.drops = () => false
    assert.deepStrictEqual(readAll(subscription), [])
    world.run(150)
    assert.deepStrictEqual(readAll(subscription), ["last"])
  })

  it("report what was lost, once", () => {
    const world = new HeapNetwork(7)
    const { publication, subscription } = connect(world)
    let isDropping = true
    world.network.faults.drops = (frame) =>
      isDropping && HeaderDescriptor.type(frame, 0) === FrameType.DATA && DataFrame.termOffset(frame, 0) === 64
    offer(publication, "a".repeat(20))
    world.run(5)
    offer(publication, "b".repeat(20))
    world.run(5)
    offer(publication, "c".repeat(20))
    world.run(50)
    isDropping = false
    world.run(50)
    assert.strictEqual(readAll(subscription).length, 3)
    const losses: Array<readonly [count: bigint, bytes: bigint, streamId: number]> = []
    LossReportReader.read(world.lossReport.buffer(), ({ observationCount, streamId, totalBytesLost }) =>
      losses.push([observationCount, totalBytesLost, streamId])
    )
    assert.deepStrictEqual(losses, [[1n, 64n, 1001]])
  })

  it("give lost data up with reliable=false", () => {
    const world = new HeapNetwork(8)
    const streams = connect(world, { subscription: "|reliable=false" })
    world.network.faults.lossRate = 0.1
    const received = carry(world, streams, 1000, 500, 3000)
    assert.isBelow(received.length, 1000)
    assert.isAbove(received.length, 700)
    assert.strictEqual(counterOf(world, "receiver", SystemCounters.NAK_MESSAGES_SENT), 0)
    assert.isAbove(counterOf(world, "receiver", SystemCounters.LOSS_GAP_FILLS), 0)
    const numbers = received.map((text) => Number.parseInt(text, 10))
    assert.deepStrictEqual(
      numbers,
      numbers.toSorted((a, b) => a - b)
    )
  })

  it("press a publisher back when the subscriber does not read", () => {
    const world = new HeapNetwork(9)
    const { publication, subscription } = connect(world)
    let sent = 0
    for (let passed = 0; passed < 1000; passed++) {
      while (offer(publication, "x".repeat(1000)) >= 0) {
        sent++
      }
      world.run(1)
    }
    assert.strictEqual(offer(publication, "x"), OfferResult.BACK_PRESSURED)
    assert.isBelow(sent, 100)
    assert.isAbove(counterOf(world, "sender", SystemCounters.SENDER_FLOW_CONTROL_LIMITS), 0)
    assert.strictEqual(counterOf(world, "receiver", SystemCounters.FLOW_CONTROL_OVER_RUNS), 0)
    // Half is in the receiver's log, half in the sender's: it follows as the first is read.
    let received = readAll(subscription).length
    assert.isAbove(received, 0)
    assert.isBelow(received, sent)
    for (let passed = 0; passed < 500 && received < sent; passed++) {
      world.run(1)
      received += readAll(subscription).length
    }
    assert.strictEqual(received, sent)
    assert.isAbove(offer(publication, "x"), 0)
  })

  it("grow a cubic window and shrink it upon loss", () => {
    const world = new HeapNetwork(10)
    const streams = connect(world, { subscription: "|cc=cubic" })
    const image = streams.subscription.current[0]!
    const counters = world.receiver.counters
    const windowId = Array.from({ length: counters.capacity }, (_, id) => id).find(
      (id) => counters.state(id) === 1 && counters.label(id).startsWith("rcv-cc-cubic-wnd: ")
    )!
    const windows: Array<number> = []
    const watch = (): number => windows.push(Number(counters.value(windowId)))
    world.run(3000, 1, watch)
    const grown = windows.at(-1)!
    assert.isAbove(grown, 10 * 1408)
    windows.length = 0
    world.network.faults.lossRate = 0.2
    const received: Array<string> = []
    let sent = 0
    for (let passed = 0; passed < 60_000 && received.length < 500; passed++) {
      while (sent < 500 && offer(streams.publication, `${sent}`.padEnd(500, ".")) >= 0) {
        sent++
      }
      world.run(1, 1, watch)
      received.push(...readAll(streams.subscription))
    }
    assert.deepStrictEqual(received, numbered(500, 500))
    assert.isBelow(Math.min(...windows), grown)
    assert.isFalse(image.isClosed)
  })

  it("measure the round trip when they shall", () => {
    const world = new HeapNetwork(17, { isMeasuringRtt: true })
    connect(world, { subscription: "|cc=cubic" })
    Object.assign(world.network.faults, { delayMinNs: 3_000_000, delayMaxNs: 3_000_000 })
    world.run(1000)
    const { counters } = world.receiver
    const id = Array.from({ length: counters.capacity }, (_, index) => index).find(
      (index) => counters.state(index) === 1 && counters.label(index).startsWith("rcv-cc-cubic-rtt: ")
    )!
    assert.isAtLeast(Number(counters.value(id)), 6_000_000)
    assert.isAtMost(Number(counters.value(id)), 10_000_000)
  })

  it("end the image after its last message when the publication is closed", () => {
    const world = new HeapNetwork(11)
    const { publication, subscription } = connect(world)
    offer(publication, "last words")
    const image = subscription.current[0]!
    world.publisher.conductor.closePublication(publication, false)
    world.run(1500)
    assert.deepStrictEqual(readAll(subscription), ["last words"])
    assert.isTrue(image.isEndOfStream)
    world.run(4000)
    assert.strictEqual(image.end, "EndOfStream")
    world.run(12_000, 10)
    assert.strictEqual(world.sender.logFactory.logs.size, 0)
    assert.strictEqual(world.receiver.logFactory.logs.size, 0)
  })

  it("keep the tail for a later subscriber when an earlier one has left", () => {
    const world = new HeapNetwork(18)
    const { publication, subscription } = connect(world)
    world.subscriber.conductor.closeSubscription(subscription)
    world.run(1500)
    const later = world.subscriber.addSubscription(ENDPOINT)
    world.run(1500)
    world.network.faults.drops = (frame) => HeaderDescriptor.type(frame, 0) === FrameType.DATA
    assert.isAbove(offer(publication, "last words"), 0)
    world.run(20)
    world.publisher.conductor.closePublication(publication, false)
    world.run(3000)
    world.network.faults.drops = () => false
    world.run(500)
    assert.deepStrictEqual(readAll(later), ["last words"])
  })

  it("end soon after the last subscriber has said that it has everything", () => {
    const world = new HeapNetwork(19)
    const { publication } = connect(world)
    world.publisher.conductor.closePublication(publication, false)
    world.run(4000)
    assert.strictEqual(world.sender.logFactory.logs.size, 0)
  })

  it("revoke at once", () => {
    const world = new HeapNetwork(12)
    const { publication, subscription } = connect(world, { isExclusive: true })
    const image = subscription.current[0]!
    world.publisher.conductor.closePublication(publication, true)
    world.run(4000)
    assert.strictEqual(image.end, "Revoked")
    assert.strictEqual(counterOf(world, "receiver", SystemCounters.PUBLICATION_IMAGES_REVOKED), 1)
  })

  it("say that they have ended when they are revoked before they are whole", () => {
    const world = new HeapNetwork(22)
    const { publication } = connect(world, { isExclusive: true })
    world.network.faults.drops = (frame) =>
      HeaderDescriptor.type(frame, 0) === FrameType.DATA && !DataFrame.isHeartbeat(frame, 0)
    offer(publication, "lost")
    world.run(20)
    world.publisher.conductor.closePublication(publication, true)
    // The linger time is 5 seconds: the end of stream that the receiver says ends it sooner.
    world.run(4500)
    assert.strictEqual(world.sender.logFactory.logs.size, 0)
  })

  it("tell a publisher that its stream was rejected", () => {
    const world = new HeapNetwork(13)
    const { publication, subscription } = connect(world)
    const image = subscription.current[0]!
    world.subscriber.answer<void>((handlers) => world.subscriber.conductor.rejectImage(image, "no thank you", handlers))
    world.run(1500)
    const [error, ...more] = world.publisher.publicationErrors
    assert.deepStrictEqual(more, [])
    assert.strictEqual(error!.message, "no thank you")
    assert.strictEqual(error!.code, ErrorCode.IMAGE_REJECTED)
    assert.match(String(world.sender.errors[0]), /^WARN a publication is refused .* errorMessage=no thank you$/)
    assert.isFalse(publication.isConnected)
    assert.isAbove(counterOf(world, "receiver", SystemCounters.ERROR_FRAMES_SENT), 1)
  })

  it("disconnect when the receiver goes silent, and connect again when it is back", () => {
    const world = new HeapNetwork(14)
    const { publication, subscription } = connect(world)
    world.network.faults.isPartitioned = () => true
    world.run(7000)
    assert.isFalse(publication.isConnected)
    assert.strictEqual(offer(publication, "x"), OfferResult.NOT_CONNECTED)
    world.run(6000)
    assert.isFalse(subscription.isConnected)
    world.network.faults.isPartitioned = () => false
    world.run(3000)
    assert.isTrue(publication.isConnected)
    assert.isTrue(subscription.isConnected)
    assert.isAbove(offer(publication, "again"), 0)
    world.run(50)
    assert.deepStrictEqual(readAll(subscription), ["again"])
  })

  it("are described again and again while nobody answers whom they were described to", () => {
    const world = new HeapNetwork(23)
    const { publication } = connect(world)
    const receiverId = 9n
    let setups = 0
    world.network.faults.drops = (frame) => {
      const type = HeaderDescriptor.type(frame, 0)
      setups += type === FrameType.SETUP ? 1 : 0
      return type !== FrameType.SM || StatusMessageFrame.receiverId(frame, 0) !== receiverId
    }
    world.run(7000)
    assert.isFalse(publication.isConnected)
    assert.strictEqual(setups, 0)
    const question = frameBuffer(new Uint8Array(64))
    StatusMessageFrame.write(question, 0, FrameFlags.SM_SETUP, publication.sessionId, 1001, 0, 0, 0, receiverId)
    const [from, to] = [Uint8Array.of(10, 0, 0, 2), Uint8Array.of(10, 0, 0, 1)]
    world.network.send(
      new SocketAddress(from, 40_456),
      new SocketAddress(to, 40_000),
      question,
      0,
      StatusMessageFrame.HEADER_LENGTH
    )
    world.run(1000)
    assert.isAbove(setups, 5)
  })

  it("share one image between two subscriptions, the slower of which sets the pace", () => {
    const world = new HeapNetwork(15)
    const { publication, subscription } = connect(world)
    offer(publication, "before")
    world.run(10)
    const second = world.subscriber.addSubscription(ENDPOINT)
    world.run(10)
    assert.deepStrictEqual(readAll(subscription), ["before"])
    offer(publication, "both")
    world.run(10)
    assert.deepStrictEqual(readAll(second).at(-1), "both")
    assert.deepStrictEqual(readAll(subscription), ["both"])
    assert.strictEqual(world.receiver.logFactory.logs.size, 1)
  })

  it("answer garbage and strangers with silence, and count it", () => {
    const world = new HeapNetwork(16)
    connect(world)
    const stranger = world.network.host(Uint8Array.of(10, 9, 9, 9)).open({
      local: any(4),
      remote: undefined,
      receiveBufferLength: 0,
      sendBufferLength: 0
    })
    const target = new SocketAddress(Uint8Array.of(10, 0, 0, 2), 40_456)
    const before = counterOf(world, "receiver", SystemCounters.INVALID_PACKETS)
    for (const length of [1, 7, 8, 31, 32, 100, 1408]) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 37 + 11) & 0xff)
      stranger.send({ bytes, view: new DataView(bytes.buffer) }, 0, length, target)
    }
    world.run(5)
    assert.isAbove(counterOf(world, "receiver", SystemCounters.INVALID_PACKETS), before)
    assert.strictEqual(
      stranger.poll(() => assert.fail("an answer came"), 10),
      0
    )
    assert.deepStrictEqual(world.receiver.errors, [])
  })
})
