/** What the driver's options and a channel choose together: flow control, congestion control, ports, retransmits. */
import * as FrameType from "@millrace/core/kernel/frame/FrameType"
import * as HeaderDescriptor from "@millrace/core/kernel/frame/HeaderDescriptor"
import * as NakFrame from "@millrace/core/kernel/frame/NakFrame"
import { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import { assert, describe, it } from "@effect/vitest"
import { SocketAddress } from "../../src/channel/SocketAddress.ts"
import type { ClientPublication } from "../../src/client/ClientPublication.ts"
import * as ErrorCode from "../../src/command/ErrorCode.ts"
import type { DriverSettings } from "../../src/driver/DriverSettings.ts"
import * as SystemCounters from "../../src/driver/SystemCounters.ts"
import { readAll, STREAM } from "../client/HeapClient.ts"
import { HeapNetwork, RECEIVER_ADDRESS } from "./HeapNetwork.ts"

const ENDPOINT = "aeron:udp?endpoint=10.0.0.2:40456"
const SUBSCRIPTION: DriverSettings["subscription"] = {
  isReliable: true,
  isTether: true,
  isRejoin: true,
  isSparse: false,
  congestionControl: "static",
  receiverWindowLength: 128 * 1024,
  untetheredWindowLimitTimeoutNs: 5e9,
  untetheredLingerTimeoutNs: undefined,
  untetheredRestingTimeoutNs: 10e9
}
const FLOW_CONTROL: DriverSettings["flowControl"] = {
  unicast: "unicast",
  multicast: "max",
  unicastWindowMultiple: 16,
  multicastWindowMultiple: 4,
  receiverTimeoutNs: 5e9,
  groupTag: -1n,
  groupMinSize: 0
}

const RECEIVER = new SocketAddress(RECEIVER_ADDRESS, 40_456)

const bytes = new TextEncoder().encode("x".repeat(1000))

const offer = (publication: ClientPublication): number => publication.offer(bytes, 0, bytes.length)

const labels = ({ counters }: HeapNetwork["sender"]): ReadonlyArray<string> =>
  Array.from({ length: counters.capacity }, (_, id) => id)
    .filter((id) => counters.state(id) === 1)
    .map((id) => counters.label(id))

const counterNamed = ({ counters }: HeapNetwork["sender"], name: string): number => {
  const id = Array.from({ length: counters.capacity }, (_, index) => index).find(
    (index) => counters.state(index) === 1 && counters.label(index).startsWith(`${name}: `)
  )
  return Number(counters.value(id!))
}

describe("flow control of the options", () => {
  it("waits for as many receivers as it says, and shows how many there are", () => {
    const world = new HeapNetwork(1, { flowControl: { ...FLOW_CONTROL, unicast: "min", groupMinSize: 1 } })
    const publication = world.publisher.addPublication(ENDPOINT)
    world.run(500)
    assert.strictEqual(counterNamed(world.sender, "fc-receivers"), 0)
    assert.isFalse(publication.isConnected)
    const subscription = world.subscriber.addSubscription(ENDPOINT)
    world.run(500)
    assert.strictEqual(counterNamed(world.sender, "fc-receivers"), 1)
    assert.isTrue(publication.isConnected)
    assert.isAbove(offer(publication), 0)
    world.run(50)
    assert.strictEqual(readAll(subscription).length, 1)
    world.publisher.conductor.closePublication(publication, false)
    world.run(12_000, 10)
    assert.isFalse(labels(world.sender).some((label) => label.startsWith("fc-receivers")))
  })

  it.each([
    [7n, "|gtag=7", true],
    [7n, "|gtag=8", false],
    [7n, "", false]
  ])("with the tag %s has %j for a member: %s", (groupTag, parameters, isMember) => {
    const world = new HeapNetwork(2, {
      flowControl: { ...FLOW_CONTROL, unicast: "tagged", groupMinSize: 1, groupTag }
    })
    const publication = world.publisher.addPublication(ENDPOINT)
    world.subscriber.addSubscription(`${ENDPOINT}${parameters}`)
    world.run(1000)
    assert.strictEqual(publication.isConnected, isMember)
    assert.strictEqual(counterNamed(world.sender, "fc-receivers"), isMember ? 1 : 0)
  })

  it("takes the tag of the receiver's driver where its channel has none", () => {
    const world = new HeapNetwork(3, {
      flowControl: { ...FLOW_CONTROL, unicast: "tagged", groupMinSize: 1, groupTag: 9n },
      receiverGroupTag: 9n
    })
    const publication = world.publisher.addPublication(ENDPOINT)
    world.subscriber.addSubscription(ENDPOINT)
    world.run(1000)
    assert.isTrue(publication.isConnected)
  })
})

describe("congestion control of the options", () => {
  it("is that of receivers whose channel has no cc", () => {
    const world = new HeapNetwork(5, { subscription: { ...SUBSCRIPTION, congestionControl: "cubic" } })
    const publication = world.publisher.addPublication(ENDPOINT)
    world.subscriber.addSubscription(ENDPOINT)
    world.subscriber.addSubscription("aeron:udp?endpoint=10.0.0.2:40457|cc=static")
    world.publisher.addPublication("aeron:udp?endpoint=10.0.0.2:40457")
    world.run(500)
    assert.isTrue(publication.isConnected)
    const windows = labels(world.receiver).filter((label) => label.startsWith("rcv-cc-cubic-wnd: "))
    assert.strictEqual(windows.length, 1)
    assert.include(windows[0], "10.0.0.2:40456")
  })
})

describe("ports of the options", () => {
  const RANGE = { low: 20_700, high: 20_701 }
  const WILDCARD = "aeron:udp?endpoint=10.0.0.2:0"

  const portsOf = (world: HeapNetwork): ReadonlyArray<string> =>
    labels(world.receiver)
      .filter((label) => label.startsWith("rcv-local-sockaddr"))
      .map((label) => label.split(":").at(-1)!)

  it("are given to receivers that say 0, once each, and an error names the range when there is none left", () => {
    const world = new HeapNetwork(6, { receiverPorts: RANGE })
    const first = world.subscriber.addSubscription(WILDCARD)
    world.subscriber.addSubscription(WILDCARD)
    assert.deepStrictEqual(portsOf(world), ["20700", "20701"])
    const failure = world.subscriber.refusal((handlers) =>
      world.subscriber.conductor.addSubscription(WILDCARD, STREAM, handlers)
    )
    assert(failure._tag === "Refused")
    assert.strictEqual(failure.code, ErrorCode.GENERIC_ERROR)
    assert.include(failure.message, `no available ports in range 20700 20701 channel=${WILDCARD}`)
    world.subscriber.conductor.closeSubscription(first)
    world.run(1500)
    world.subscriber.addSubscription(WILDCARD)
    assert.deepStrictEqual(portsOf(world).toSorted(), ["20700", "20701"])
  })

  it("are not given while a channel or another socket has them", () => {
    const world = new HeapNetwork(7, { receiverPorts: RANGE })
    world.subscriber.addSubscription("aeron:udp?endpoint=10.0.0.2:20700")
    world.subscriber.addSubscription(WILDCARD)
    assert.deepStrictEqual(portsOf(world), ["20700", "20701"])
  })

  it("carry streams like any other", () => {
    const world = new HeapNetwork(8, { receiverPorts: RANGE })
    const subscription = world.subscriber.addSubscription(WILDCARD)
    const publication = world.publisher.addPublication("aeron:udp?endpoint=10.0.0.2:20700")
    world.run(300)
    assert.isAbove(offer(publication), 0)
    world.run(20)
    assert.strictEqual(readAll(subscription).length, 1)
  })
})

describe("retransmits of the options", () => {
  /** A receiver that has everything asks for another piece of it each millisecond. Returns the bytes sent again. */
  const besiege = (overrides: Partial<DriverSettings>, ms: number): number => {
    const world = new HeapNetwork(9, overrides)
    const subscription = world.subscriber.addSubscription(ENDPOINT)
    const publication = world.publisher.addPublication(`${ENDPOINT}|term-length=1m`)
    let source: SocketAddress | undefined
    world.network.tap = (frame, from) => {
      source = HeaderDescriptor.type(frame, 0) === FrameType.DATA ? from : source
    }
    let received = 0
    let sent = 0
    for (let passed = 0; passed < 3000 && received < 300; passed++) {
      sent += sent < 300 && offer(publication) > 0 ? 1 : 0
      world.run(1)
      received += readAll(subscription).length
    }
    assert.strictEqual(received, 300)
    const [fileName = ""] = world.sender.logFactory.logs.keys()
    const { initialTermId } = new LogBuffers(world.sender.logFactory.map(fileName))
    const nak = new HeapRegion("NAK", NakFrame.HEADER_LENGTH).buffer()
    let piece = 0
    world.run(ms, 1, () => {
      NakFrame.write(nak, 0, publication.sessionId, STREAM, initialTermId, 1056 * (piece++ % 280), 16_384)
      world.network.send(RECEIVER, source!, nak, 0, NakFrame.HEADER_LENGTH)
    })
    return world.sender.systemCounter(SystemCounters.RETRANSMITTED_BYTES)
  }

  it("are no more bytes a second than they say, however many NAKs come", () => {
    assert.isAbove(besiege({ retransmitRate: 0 }, 1000), 1_000_000)
    const limited = besiege({ retransmitRate: 200_000 }, 1000)
    assert.isAtMost(limited, 220_000)
    assert.isAbove(limited, 150_000)
  })

  it("wait as long as they say", () => {
    assert.strictEqual(besiege({ retransmitDelayNs: 60e9 }, 100), 0)
  })
})
