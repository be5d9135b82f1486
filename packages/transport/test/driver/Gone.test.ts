/** What conductor, sender and receiver say of something that is gone at the other, and what no sender or receiver has a use for. */
import { assert, describe, it } from "@effect/vitest"
import { AgentTermination } from "@millrace/core/kernel/agent/Agent"
import { frameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import * as FrameFlags from "@millrace/core/kernel/frame/FrameFlags"
import * as NakFrame from "@millrace/core/kernel/frame/NakFrame"
import * as RttMeasurementFrame from "@millrace/core/kernel/frame/RttMeasurementFrame"
import * as SetupFrame from "@millrace/core/kernel/frame/SetupFrame"
import * as StatusMessageFrame from "@millrace/core/kernel/frame/StatusMessageFrame"
import { NOT_CONNECTED } from "@millrace/core/kernel/logbuffer/OfferResult"
import type { ClientPublication } from "../../src/client/ClientPublication.ts"
import * as ErrorCode from "../../src/command/ErrorCode.ts"
import type { ReceivedImageDescription } from "../../src/driver/ReceiverCommands.ts"
import { Receiver } from "../../src/driver/Receiver.ts"
import { Sender } from "../../src/driver/Sender.ts"
import type { SentPublicationDescription } from "../../src/driver/SenderCommands.ts"
import * as SystemCounters from "../../src/driver/SystemCounters.ts"
import { readAll, STREAM } from "../client/HeapClient.ts"
import type { HeapDriver } from "./HeapDriver.ts"
import { HeapNetwork } from "./HeapNetwork.ts"
import { CHANNEL, SENDER_SOCKET, TARGET } from "./HostileFrames.ts"

const MESSAGE = new Uint8Array(8)
const NOBODY = 999

const connect = (channel = CHANNEL) => {
  const world = new HeapNetwork(5)
  const subscription = world.subscriber.addSubscription(channel)
  const publication = world.publisher.addPublication(`${CHANNEL}|session-id=77`, true)
  world.run(200)
  assert.strictEqual(subscription.current.length, 1)
  return { world, subscription, publication }
}

type Connected = ReturnType<typeof connect>

const carries = ({ publication, subscription, world }: Connected): boolean => {
  publication.offer(MESSAGE, 0, MESSAGE.length)
  world.run(20)
  return readAll(subscription).length === 1
}

const networkOf = ({ conductor }: HeapDriver) => conductor.network!

const agentsOf = (driver: HeapDriver): { readonly sender: Sender; readonly receiver: Receiver } => {
  const { agents } = networkOf(driver)
  const sender = agents.find((agent) => agent instanceof Sender)
  const receiver = agents.find((agent) => agent instanceof Receiver)
  assert(sender !== undefined && receiver !== undefined)
  return { sender, receiver }
}

describe("what is gone", () => {
  it("is nothing to a sender, and what it had is given back", () => {
    const connected = connect()
    const { sender } = agentsOf(connected.world.sender)
    sender.onResolutionChange(NOBODY, TARGET)
    sender.onNewPublication({ endpointId: NOBODY } as SentPublicationDescription)
    sender.onPublicationFailure(BigInt(NOBODY))
    sender.onRemovePublication(BigInt(NOBODY))
    sender.onCloseEndpoint(NOBODY)
    assert.isTrue(carries(connected))
    sender.onTerminate()
    assert.throws(() => sender.doWork(connected.world.clock.nanoTime()), AgentTermination)
  })

  it("is nothing to a receiver, and an image that it cannot make is given back", () => {
    const connected = connect()
    const { receiver } = agentsOf(connected.world.receiver)
    receiver.onAddSubscription(NOBODY, STREAM, undefined)
    receiver.onRemoveSubscription(NOBODY, STREAM, undefined)
    receiver.onSubscribers(BigInt(NOBODY), [])
    receiver.onRejectImage(BigInt(NOBODY), "why")
    receiver.onReleaseImage(BigInt(NOBODY))
    receiver.onRemoveState(NOBODY, 1, STREAM, "CoolDown")
    receiver.onNewImage({ correlationId: 5n, endpointId: NOBODY } as ReceivedImageDescription)
    receiver.onCloseEndpoint(NOBODY)
    assert.isTrue(carries(connected))
    receiver.onTerminate()
    assert.throws(() => receiver.doWork(connected.world.clock.nanoTime()), AgentTermination)
  })

  it("is nothing to a conductor, but a warning without a channel", () => {
    const connected = connect()
    const { sender } = connected.world
    const network = networkOf(sender)
    const id = BigInt(NOBODY)
    network.onSilent(NOBODY)
    network.onEndpointReleased(NOBODY)
    network.onReceivers(id, { hasReceivers: true, isConnected: true, hasReceivedEos: false })
    network.onPublicationReleased(id)
    network.onPublicationFailed(id, new Error("broken"))
    network.onImageDraining(id)
    network.onImageFailed(id, new Error("broken"))
    network.onImageReleased(id)
    network.onEvicted(NOBODY, 1)
    network.onSessionLimit(NOBODY, STREAM)
    assert.isTrue(carries(connected))
    const warnings = sender.errors.map(String).filter((error) => error.startsWith("WARN"))
    assert.deepStrictEqual(
      warnings.map((warning) => warning.split("channel=")[1]),
      ["", ""]
    )
  })

  it("is no image that could be rejected", () => {
    const { world } = connect()
    const client = world.receiver.newClient()
    client.rejectImage(BigInt(NOBODY), 0, "why")
    assert.isTrue(
      world.receiver
        .tick()
        .some(({ name, value }) => name === "onError" && String(Object(value).message).includes("999"))
    )
  })
})

describe("a log that cannot be made", () => {
  const failure = { isStorageSpace: true, message: "the device is full" }

  it("refuses a publication, whose channel is free again", () => {
    const world = new HeapNetwork(6)
    world.sender.logFactory.failure = failure
    const add = () =>
      world.publisher.refusal<ClientPublication>((handlers) =>
        world.publisher.conductor.addPublication(CHANNEL, STREAM, true, handlers)
      )
    const refused = add()
    assert(refused._tag === "Refused")
    assert.strictEqual(refused.code, ErrorCode.STORAGE_SPACE)
    world.sender.logFactory.failure = undefined
    world.run(5)
    const publication = world.publisher.addPublication(CHANNEL, true)
    assert.strictEqual(publication.offer(MESSAGE, 0, MESSAGE.length), NOT_CONNECTED)
  })

  it("costs a receiver an image, until there is room", () => {
    const world = new HeapNetwork(6)
    world.receiver.logFactory.failure = failure
    const subscription = world.subscriber.addSubscription(CHANNEL)
    const publication = world.publisher.addPublication(CHANNEL, true)
    world.run(200)
    assert.strictEqual(subscription.current.length, 0)
    assert.include(String(world.receiver.errors[0]), failure.message)
    world.receiver.logFactory.failure = undefined
    world.run(3000)
    assert.isTrue(carries({ world, subscription, publication }))
  })

  it("is given back when nobody wants the image any more that it was made for", () => {
    const world = new HeapNetwork(6)
    world.receiver.logFactory.delayTicks = 50
    const subscription = world.subscriber.addSubscription(CHANNEL)
    world.publisher.addPublication(CHANNEL, true)
    for (let ms = 0; world.receiver.logFactory.underWay === 0 && ms < 1000; ms++) {
      world.run(1)
    }
    assert.strictEqual(world.receiver.logFactory.underWay, 1)
    world.subscriber.conductor.closeSubscription(subscription)
    world.run(3000)
    assert.strictEqual(world.receiver.logFactory.underWay, 0)
    assert.strictEqual(world.receiver.logFactory.logs.size, 0)
  })

  it("is none for a stream whose frames are longer than the window that the receiver has", () => {
    const world = new HeapNetwork(6)
    const subscription = world.subscriber.addSubscription(`${CHANNEL}|rcv-wnd=4096`)
    world.publisher.addPublication(`${CHANNEL}|mtu=8192`, true)
    world.run(200)
    assert.strictEqual(subscription.current.length, 0)
    assert.include(String(world.receiver.errors[0]), "mtuLength=8192 > initialWindowLength=4096")
  })
})

describe("a draining image", () => {
  it("takes subscribers as long as it has something that they may read", () => {
    const { publication, subscription, world } = connect()
    publication.offer(MESSAGE, 0, MESSAGE.length)
    world.run(20)
    const { correlationId } = subscription.current[0]!
    networkOf(world.receiver).onImageDraining(correlationId)
    networkOf(world.receiver).onImageDraining(correlationId)
    const late = world.subscriber.addSubscription(CHANNEL)
    assert.strictEqual(late.current.length, 1)
    assert.strictEqual(readAll(late).length, 1)
    assert.strictEqual(readAll(subscription).length, 1)
    world.run(1)
    assert.strictEqual(world.subscriber.addSubscription(CHANNEL).current.length, 0)
  })
})

describe("a name that nobody knows any more", () => {
  it("is told, and the publication goes on to where it sent", () => {
    let isKnown = true
    const world = new HeapNetwork(10, {}, (next) => ({
      resolve: (host, parameter, isReResolution) =>
        isKnown
          ? next.resolve(host, parameter, isReResolution)
          : { poll: () => ({ _tag: "Unknown", detail: `${host} is gone` }) }
    }))
    const publication = world.publisher.addPublication("aeron:udp?endpoint=receiver:40456|term-length=64k", true)
    isKnown = false
    world.run(8000, 10)
    assert.include(String(world.sender.errors[0]), "receiver is gone")
    const subscription = world.subscriber.addSubscription(CHANNEL)
    world.run(1000, 10)
    assert.isTrue(carries({ world, subscription, publication }))
  })
})

describe("frames at the wrong place", () => {
  it("are dropped by a sender, those counted that are none at all or out of range", () => {
    const connected = connect()
    const { world } = connected
    const frame = frameBuffer(new Uint8Array(64))
    const send = (length: number): void => {
      // Under the receiver's address: a sender's socket takes nothing from others.
      world.network.send(TARGET, SENDER_SOCKET, frame, 0, length)
      world.run(20)
    }
    const invalid = (): number => world.sender.systemCounter(SystemCounters.INVALID_PACKETS)
    send(7)
    assert.strictEqual(invalid(), 1)
    StatusMessageFrame.write(frame, 0, 0, 77, STREAM, 0, -32, 1024, 1n)
    send(StatusMessageFrame.HEADER_LENGTH)
    assert.strictEqual(invalid(), 2)
    NakFrame.write(frame, 0, 77, STREAM, 0, 65_536, 64)
    send(NakFrame.HEADER_LENGTH)
    assert.strictEqual(invalid(), 3)
    NakFrame.write(frame, 0, 78, STREAM, 0, 0, 64)
    send(NakFrame.HEADER_LENGTH)
    SetupFrame.write(frame, 0, 0, 0, 77, STREAM, 0, 0, 65_536, 1408, 0)
    send(SetupFrame.HEADER_LENGTH)
    assert.strictEqual(invalid(), 3)
    assert.strictEqual(world.sender.systemCounter(SystemCounters.NAK_MESSAGES_RECEIVED), 0)
    assert.isTrue(carries(connected))
  })

  it("are dropped by a receiver, as measurements that another one asked for", () => {
    const connected = connect()
    const { world } = connected
    const frame = frameBuffer(new Uint8Array(64))
    RttMeasurementFrame.write(frame, 0, FrameFlags.RTTM_REPLY, 77, STREAM, 1n, 0n, 12_345n)
    world.network.send(SENDER_SOCKET, TARGET, frame, 0, RttMeasurementFrame.HEADER_LENGTH)
    StatusMessageFrame.write(frame, 0, 0, 77, STREAM, 0, 0, 1024, 1n)
    world.network.send(SENDER_SOCKET, TARGET, frame, 0, StatusMessageFrame.HEADER_LENGTH)
    assert.isTrue(carries(connected))
  })

  it("say for which group a receiver rejects a stream that has one", () => {
    const { subscription, world } = connect(`${CHANNEL}|gtag=42`)
    const image = subscription.current[0]!
    world.subscriber.answer<void>((handlers) => world.subscriber.conductor.rejectImage(image, "why", handlers))
    world.run(1500)
    assert.strictEqual(world.publisher.publicationErrors[0]?.groupTag, 42n)
  })
})
