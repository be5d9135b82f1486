/** Which UDP channels a driver takes, which it shares, and which it refuses, saying why. */
import { assert, describe, it } from "@effect/vitest"
import { SocketAddress } from "../../src/channel/SocketAddress.ts"
import type { ClientPublication } from "../../src/client/ClientPublication.ts"
import type { SubscriptionImages } from "../../src/client/SubscriptionImages.ts"
import * as ErrorCode from "../../src/command/ErrorCode.ts"
import * as SystemCounters from "../../src/driver/SystemCounters.ts"
import { type HeapClient, readAll, STREAM } from "../client/HeapClient.ts"
import { HeapNetwork, RECEIVER_ADDRESS } from "./HeapNetwork.ts"

const ENDPOINT = "aeron:udp?endpoint=10.0.0.2:40456"

const encoder = new TextEncoder()

const offer = (publication: ClientPublication, text: string): number => {
  const bytes = encoder.encode(text)
  return publication.offer(bytes, 0, bytes.length)
}

const refusal = (client: HeapClient, side: "publication" | "subscription", channel: string) => {
  const failure = client.refusal((handlers) =>
    side === "publication"
      ? client.conductor.addPublication(channel, STREAM, false, handlers)
      : client.conductor.addSubscription(channel, STREAM, handlers)
  )
  assert(failure._tag === "Refused")
  return failure
}

const countersOf = ({ receiver }: HeapNetwork): ReadonlyArray<string> => {
  const labels: Array<string> = []
  receiver.counters.forEach(({ label }) => labels.push(label))
  return labels
}

/** Two subscribers of one image, one of which has lost it, because it did not read. All that was published is sent. */
const leftBehind = (seed: number, lingerMs: number) => {
  const world = new HeapNetwork(seed)
  const untethered = "tether=false|untethered-window-limit-timeout=1s"
  const times = `untethered-linger-timeout=${lingerMs}ms|untethered-resting-timeout=5s`
  const slow = world.subscriber.addSubscription(`${ENDPOINT}|${untethered}|${times}`)
  const fast = world.subscriber.addSubscription(ENDPOINT)
  const publication = world.publisher.addPublication(`${ENDPOINT}|term-length=64k`)
  world.run(100)
  assert.isTrue(slow.isConnected)
  for (let message = 0; message < 29; message++) {
    assert.isAbove(offer(publication, "x".repeat(1000)), 0)
  }
  let received = 0
  for (let passed = 0; passed < 5000 && slow.isConnected; passed++) {
    world.run(1)
    received += readAll(fast).length
  }
  assert.strictEqual(received, 29)
  assert.isFalse(slow.isConnected)
  assert.isTrue(fast.isConnected)
  return { world, publication, slow, fast }
}

/** Publishes numbered messages of more than a term, and returns how many of them arrive. */
const carry = (world: HeapNetwork, publication: ClientPublication, subscription: SubscriptionImages): number => {
  let sent = 0
  let received = 0
  for (let passed = 0; passed < 5000; passed++) {
    while (sent < 200 && offer(publication, `${sent}`.padEnd(1000)) >= 0) {
      sent++
    }
    world.run(1)
    for (const text of readAll(subscription)) {
      assert.strictEqual(Number(text), received)
      received++
    }
  }
  return received
}

describe("network channels", () => {
  it.each([
    [
      "publication",
      "aeron:udp?endpoint=224.0.1.1:40456",
      ErrorCode.NOT_SUPPORTED,
      "multicast endpoint=224.0.1.1:40456"
    ],
    ["subscription", "aeron:udp?endpoint=[ff02::1]:40456", ErrorCode.NOT_SUPPORTED, "multicast"],
    ["publication", "aeron:udp?control=10.0.0.1:1|control-mode=dynamic", ErrorCode.NOT_SUPPORTED, "control=10.0.0.1:1"],
    ["subscription", "aeron:udp?control-mode=manual", ErrorCode.NOT_SUPPORTED, "control-mode=manual"],
    ["publication", "aeron:udp?tags=3", ErrorCode.INVALID_CHANNEL, "tags"],
    ["subscription", "aeron-spy:aeron:udp?endpoint=10.0.0.2:40456", ErrorCode.NOT_SUPPORTED, "aeron-spy"],
    ["publication", "aeron:udp?endpoint=10.0.0.2:0", ErrorCode.GENERIC_ERROR, "endpoint"],
    ["publication", "aeron:udp?endpoint=nobody:1", ErrorCode.UNKNOWN_HOST, "nobody"],
    ["publication", `${ENDPOINT}|interface=10.7.0.0/16`, ErrorCode.INVALID_CHANNEL, "interface"],
    ["publication", `${ENDPOINT}|interface={nope}`, ErrorCode.INVALID_CHANNEL, "sim0 (unknown interface nope)"],
    ["publication", `${ENDPOINT}|session-id=tag:99`, ErrorCode.INVALID_CHANNEL, "tag:99"],
    ["subscription", `${ENDPOINT}|cc=reno`, ErrorCode.INVALID_CHANNEL, "cc=reno"],
    ["subscription", `${ENDPOINT}|rcv-wnd=4m`, ErrorCode.GENERIC_ERROR, "Initial window greater than SO_RCVBUF"],
    ["subscription", `${ENDPOINT}|rcv-wnd=1056|so-rcvbuf=1k`, ErrorCode.GENERIC_ERROR, "rcv-wnd=1056 so-rcvbuf=1024"],
    ["publication", `${ENDPOINT}|mtu=1056|so-sndbuf=1k`, ErrorCode.GENERIC_ERROR, "mtu=1056 so-sndbuf=1024"]
  ] as const)("refuse a %s on %s", (side, channel, code, text) => {
    const world = new HeapNetwork(1)
    const failure = refusal(side === "publication" ? world.publisher : world.subscriber, side, channel)
    assert.strictEqual(failure.code, code)
    assert.include(failure.message, text)
    world.run(10)
    // Nothing of it is left: the same endpoint can be had now.
    world.subscriber.addSubscription(ENDPOINT)
  })

  it("refuse an address that another socket has, in the system's own words", () => {
    const world = new HeapNetwork(2)
    world.subscriber.addSubscription(ENDPOINT)
    const failure = refusal(world.subscriber, "subscription", "aeron:udp?endpoint=receiver:40456")
    assert.strictEqual(failure.code, ErrorCode.GENERIC_ERROR)
    assert.include(failure.message, "Address already in use")
  })

  it("have no subscription of it after an address was refused, whoever publishes there", () => {
    const world = new HeapNetwork(14)
    const subscription = world.subscriber.addSubscription(ENDPOINT)
    const counters = countersOf(world)
    refusal(world.subscriber, "subscription", "aeron:udp?endpoint=receiver:40456")
    assert.deepStrictEqual(countersOf(world), counters)
    const publication = world.publisher.addPublication(ENDPOINT)
    world.run(200)
    offer(publication, "one")
    world.run(20)
    assert.deepStrictEqual(readAll(subscription), ["one"])
    const positions = countersOf(world).filter((label) => label.startsWith("sub-pos"))
    assert.strictEqual(positions.length, 1)
  })

  it.each([
    ["publication", "so-sndbuf=256k"],
    ["subscription", "so-rcvbuf=256k"]
  ] as const)("refuse a second %s that asks for less than the %s of a socket that is open", (side, parameter) => {
    const world = new HeapNetwork(3)
    const client = side === "publication" ? world.publisher : world.subscriber
    const add = (channel: string): unknown =>
      side === "publication" ? client.addPublication(channel, true) : client.addSubscription(channel)
    add(`${ENDPOINT}|${parameter}`)
    add(`${ENDPOINT}|${parameter}`)
    add(ENDPOINT)
    const failure = refusal(client, side, `${ENDPOINT}|${parameter.replace("256k", "128k")}`)
    assert.include(failure.message, `${parameter.split("=")[0]}=131072 does not match existing value of 262144`)
  })

  it("are found by their tag alone while they are open, a port of the system's choice included", () => {
    const world = new HeapNetwork(12)
    world.publisher.addPublication(`${ENDPOINT}|tags=3`)
    const publication = world.publisher.addPublication("aeron:udp?tags=3|session-id=7", true)
    const subscription = world.subscriber.addSubscription(`${ENDPOINT}|tags=5`)
    const again = world.subscriber.addSubscription("aeron:udp?tags=5|session-id=7")
    world.subscriber.conductor.closeSubscription(subscription)
    world.run(300)
    offer(publication, "one")
    world.run(20)
    assert.deepStrictEqual(readAll(again), ["one"])
    // A tag is of the sockets that send, or of those that receive.
    assert.include(refusal(world.publisher, "publication", "aeron:udp?tags=5").message, "tags")
  })

  it("are found by their tag among others", () => {
    const world = new HeapNetwork(12)
    world.subscriber.addSubscription(`${ENDPOINT}|tags=5`)
    const tagged = world.subscriber.addSubscription("aeron:udp?endpoint=10.0.0.2:40457|tags=6")
    world.subscriber.addSubscription("aeron:udp?tags=6|session-id=7")
    world.publisher.addPublication("aeron:udp?endpoint=10.0.0.2:40457", true)
    world.run(200)
    assert.strictEqual(tagged.current.length, 1)
  })

  it("take the next port of the range for those of the system's choice when one is taken, and say when none is left", () => {
    const world = new HeapNetwork(12, { receiverPorts: { low: 40_500, high: 40_501 } })
    const other = { local: new SocketAddress(RECEIVER_ADDRESS, 40_500), remote: undefined }
    world.network.host(RECEIVER_ADDRESS).open({ ...other, receiveBufferLength: 0, sendBufferLength: 0 })
    const subscription = world.subscriber.addSubscription("aeron:udp?endpoint=10.0.0.2:0|tags=5")
    world.publisher.addPublication("aeron:udp?endpoint=10.0.0.2:40501", true)
    world.run(200)
    assert.strictEqual(subscription.current.length, 1)
    const failure = refusal(world.subscriber, "subscription", "aeron:udp?endpoint=10.0.0.2:0|tags=6")
    assert.include(failure.message, "no available ports in range 40500 40501")
  })

  it("with a tag that is open are where it is open, by whatever name, and refused elsewhere", () => {
    const world = new HeapNetwork(12)
    world.subscriber.addSubscription(`${ENDPOINT}|tags=5`)
    world.subscriber.addSubscription("aeron:udp?endpoint=receiver:40456|tags=5")
    for (const endpoint of ["10.0.0.2:0", "10.0.0.2:40457", "10.0.0.3:40456"]) {
      const failure = refusal(world.subscriber, "subscription", `aeron:udp?endpoint=${endpoint}|tags=5`)
      assert.strictEqual(failure.code, ErrorCode.GENERIC_ERROR)
      assert.include(failure.message, "matching tag=5 has mismatched endpoint or control")
    }
  })

  it("have the buffers that the driver's options name, as if the channel did", () => {
    const settings = { socketReceiveBufferLength: 128 * 1024, socketSendBufferLength: 64 * 1024 }
    const world = new HeapNetwork(13, settings)
    for (const parameter of ["so-sndbuf=64k", "so-rcvbuf=128k"]) {
      world.publisher.addPublication(ENDPOINT, true)
      world.publisher.addPublication(`${ENDPOINT}|${parameter}`, true)
      world.subscriber.addSubscription(ENDPOINT)
      world.subscriber.addSubscription(`${ENDPOINT}|${parameter}`)
    }
    assert.include(refusal(world.publisher, "publication", `${ENDPOINT}|so-sndbuf=128k`).message, "value of 65536")
    assert.include(refusal(world.subscriber, "subscription", `${ENDPOINT}|so-rcvbuf=64k`).message, "value of 131072")
  })

  it("share one publication between those who add the same, and refuse what differs", () => {
    const world = new HeapNetwork(4)
    const first = world.publisher.addPublication(`${ENDPOINT}|mtu=2048`)
    const second = world.publisher.addPublication(ENDPOINT)
    assert.strictEqual(first.sessionId, second.sessionId)
    assert.include(refusal(world.publisher, "publication", `${ENDPOINT}|mtu=4096`).message, "different 'mtu'")
    assert.strictEqual(world.sender.logFactory.logs.size, 1)
  })

  it("refuse a subscription whose reliability differs from one of the same stream", () => {
    const world = new HeapNetwork(5)
    world.subscriber.addSubscription(ENDPOINT)
    const failure = refusal(world.subscriber, "subscription", `${ENDPOINT}|reliable=false`)
    assert.include(failure.message, "reliable=false")
  })

  it("receive one session alone when the channel names it", () => {
    const world = new HeapNetwork(6)
    const subscription = world.subscriber.addSubscription(`${ENDPOINT}|session-id=42`)
    world.publisher.addPublication(ENDPOINT, true)
    world.publisher.addPublication(`${ENDPOINT}|session-id=42`, true)
    world.run(300)
    assert.deepStrictEqual(
      subscription.current.map(({ sessionId }) => sessionId),
      [42]
    )
  })

  it("have no more images than the session limit of a stream, and the error log says so", () => {
    const world = new HeapNetwork(7, { streamSessionLimit: 2 })
    const subscription = world.subscriber.addSubscription(ENDPOINT)
    for (let count = 0; count < 4; count++) {
      world.publisher.addPublication(ENDPOINT, true)
    }
    world.run(1000)
    assert.strictEqual(subscription.current.length, 2)
    assert.deepStrictEqual(
      new Set(world.receiver.errors),
      new Set([`WARN session limit of 2: streamId=${STREAM} channel=${ENDPOINT}`])
    )
  })

  it("begin a stream where its channel says", () => {
    const world = new HeapNetwork(8)
    const subscription = world.subscriber.addSubscription(ENDPOINT)
    const publication = world.publisher.addPublication(
      `${ENDPOINT}|term-length=64k|init-term-id=-5|term-id=-3|term-offset=96`,
      true
    )
    world.run(50)
    offer(publication, "here")
    world.run(10)
    assert.strictEqual(subscription.current[0]!.joinPosition, 2 * 65_536 + 96)
    assert.deepStrictEqual(readAll(subscription), ["here"])
  })

  it("can be opened again after they were closed", () => {
    const world = new HeapNetwork(9)
    for (let round = 0; round < 3; round++) {
      const subscription = world.subscriber.addSubscription(ENDPOINT)
      const publication = world.publisher.addPublication(ENDPOINT, true)
      world.run(200)
      offer(publication, `round ${round}`)
      world.run(20)
      assert.deepStrictEqual(readAll(subscription), [`round ${round}`])
      world.publisher.conductor.closePublication(publication, false)
      world.subscriber.conductor.closeSubscription(subscription)
      world.run(12_000, 10)
    }
    assert.strictEqual(world.receiver.logFactory.logs.size, 0)
    assert.deepStrictEqual(world.receiver.errors, [])
  })

  it("follow a name that moves to another host", () => {
    const world = new HeapNetwork(10)
    const publication = world.publisher.addPublication("aeron:udp?endpoint=receiver:40456")
    world.moveReceiver(Uint8Array.of(10, 0, 0, 3))
    const subscription = world.subscriber.addSubscription("aeron:udp?endpoint=10.0.0.3:40456")
    world.run(8000)
    assert.isTrue(publication.isConnected)
    assert.strictEqual(world.sender.systemCounter(SystemCounters.RESOLUTION_CHANGES), 1)
    offer(publication, "there")
    world.run(20)
    assert.deepStrictEqual(readAll(subscription), ["there"])
  })

  it("follow a name that moves although publications there come and go, and none is ever connected", () => {
    const world = new HeapNetwork(10)
    world.moveReceiver(Uint8Array.of(10, 0, 0, 3))
    world.subscriber.addSubscription("aeron:udp?endpoint=10.0.0.3:40456")
    let publication = world.publisher.addPublication("aeron:udp?endpoint=receiver:40456", true)
    for (let second = 0; second < 8 && !publication.isConnected; second++) {
      world.run(1000)
      world.publisher.conductor.closePublication(publication, false)
      publication = world.publisher.addPublication("aeron:udp?endpoint=receiver:40456", true)
      world.run(20)
    }
    assert.isTrue(publication.isConnected)
  })

  it("go on where they were when their name is not found again, and the error log warns", () => {
    const world = new HeapNetwork(10, {}, (next) => ({
      resolve: (host, parameter, isAgain) => next.resolve(isAgain ? "nobody" : host, parameter, isAgain)
    }))
    const publication = world.publisher.addPublication("aeron:udp?endpoint=receiver:40456")
    world.run(7000)
    assert.match(String(world.sender.errors[0]), /^WARN unknown host: endpoint=receiver:40456 is unresolved: nobody/)
    world.subscriber.addSubscription(ENDPOINT)
    world.run(500)
    assert.isTrue(publication.isConnected)
  })

  it("leave behind an untethered subscriber that does not read, so that the other goes on", () => {
    const { fast, publication, world } = leftBehind(11, 1000)
    assert.strictEqual(carry(world, publication, fast), 200)
  })

  it("let an untethered subscriber rejoin after the other has left, and receive", () => {
    const { fast, publication, slow, world } = leftBehind(12, 1000)
    world.run(2000)
    world.subscriber.conductor.closeSubscription(fast)
    world.run(5000)
    assert.isTrue(slow.isConnected)
    world.network.faults.lossRate = 0.05
    assert.strictEqual(carry(world, publication, slow), 200)
    assert.deepStrictEqual(world.receiver.errors, [])
  })

  it("end an image that a subscriber was left behind in when its source is gone", () => {
    const { publication, world } = leftBehind(13, 100_000)
    world.publisher.conductor.closePublication(publication, false)
    world.run(14_000, 10)
    assert.strictEqual(world.receiver.logFactory.logs.size, 0)
  })
})
