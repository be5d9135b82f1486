/** Strangers who send well-formed frames that mean harm: the driver neither fails nor grows, and other streams go on. */
import { assert, describe, it } from "@effect/vitest"
import * as DataFrame from "@millrace/core/kernel/frame/DataFrame"
import * as ErrorFrame from "@millrace/core/kernel/frame/ErrorFrame"
import * as FrameFlags from "@millrace/core/kernel/frame/FrameFlags"
import * as FrameType from "@millrace/core/kernel/frame/FrameType"
import * as HeaderDescriptor from "@millrace/core/kernel/frame/HeaderDescriptor"
import { frameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import * as NakFrame from "@millrace/core/kernel/frame/NakFrame"
import * as RttMeasurementFrame from "@millrace/core/kernel/frame/RttMeasurementFrame"
import * as SetupFrame from "@millrace/core/kernel/frame/SetupFrame"
import * as StatusMessageFrame from "@millrace/core/kernel/frame/StatusMessageFrame"
import { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import type { SubscriptionImages } from "../../src/client/SubscriptionImages.ts"
import * as ErrorCode from "../../src/command/ErrorCode.ts"
import { SESSION_STATES_MAX } from "../../src/driver/DataPacketDispatcher.ts"
import { PENDING_IMAGES_MAX } from "../../src/driver/NetworkSubscriptions.ts"
import { PENDING_SETUPS_MAX } from "../../src/driver/PendingSetups.ts"
import * as SystemCounters from "../../src/driver/SystemCounters.ts"
import type { UdpSocket } from "../../src/media/UdpPort.ts"
import { readAll, STREAM } from "../client/HeapClient.ts"
import { HeapNetwork, seeded } from "./HeapNetwork.ts"
import { CHANNEL, randomFrame, SENDER_SOCKET, strangerOf, TARGET } from "./HostileFrames.ts"

/** A stream of a stranger whose second frame ends in the payload of its first, where no frame can be. */
const sendOverlapping = (stranger: UdpSocket, session: number, stream: number): void => {
  const frame = frameBuffer(new Uint8Array(2048))
  SetupFrame.write(frame, 0, 0, 0, session, stream, 0, 0, 65_536, 1408, 0)
  stranger.send(frame, 0, SetupFrame.HEADER_LENGTH, TARGET)
  for (const [termOffset, length] of [
    [32, 1024],
    [0, 96]
  ] as const) {
    frame.bytes.fill(5)
    new Int32Array(frame.bytes.buffer).fill(5)
    DataFrame.write(frame, 0, length, FrameFlags.UNFRAGMENTED, 0, termOffset, session, stream)
    stranger.send(frame, 0, length, TARGET)
  }
}

describe("a hostile network", () => {
  it("ends an image whose frames overlap, and no other", () => {
    const world = new HeapNetwork(7)
    const subscription = world.subscriber.addSubscription(CHANNEL)
    const other = world.subscriber.answer<SubscriptionImages>((handlers) =>
      world.subscriber.conductor.addSubscription(CHANNEL, STREAM + 1, handlers)
    )
    const stranger = strangerOf(world)
    sendOverlapping(stranger, 11, STREAM + 1)
    world.run(5)
    sendOverlapping(stranger, 11, STREAM + 1)
    world.run(5)
    assert.strictEqual(other.current.length, 1)
    const publication = world.publisher.addPublication(CHANNEL, true)
    world.run(200)
    const received: Array<string> = []
    for (let message = 0; message < 100; message++) {
      assert.isAbove(publication.offer(new TextEncoder().encode(`${message}`.padEnd(400)), 0, 400), 0)
      world.run(1)
      received.push(...readAll(subscription))
    }
    assert.strictEqual(received.length, 100)
    assert.strictEqual(world.receiver.errors.length, 1)
    assert.include(String(world.receiver.errors[0]), "says it is 5 bytes long")
    // Its source is told why, as by a subscriber who rejects it, and the image ends as one of a silent source.
    const codes = new Set<number>()
    stranger.poll((buffer, offset) => {
      if (HeaderDescriptor.type(buffer, offset) === FrameType.ERR) {
        codes.add(ErrorFrame.errorCode(buffer, offset))
      }
    }, 1000)
    assert.deepStrictEqual([...codes], [ErrorCode.IMAGE_REJECTED])
    world.run(25_000, 10)
    assert.strictEqual(other.current.length, 0)
    assert.strictEqual(world.receiver.logFactory.logs.size, 1)
  })

  it("gets no part of a payload sent by asking for it as a frame", () => {
    const world = new HeapNetwork(8)
    const subscription = world.subscriber.addSubscription(CHANNEL)
    const publication = world.publisher.addPublication(`${CHANNEL}|session-id=77`, true)
    world.run(200)
    const payload = new Uint8Array(1000)
    // Where a frame would begin: a length that is none, and one that is.
    const words = new DataView(payload.buffer)
    words.setInt32(32, 5, true)
    words.setInt32(64, 64, true)
    assert.isAbove(publication.offer(payload, 0, payload.length), 0)
    world.run(5)
    assert.strictEqual(readAll(subscription).length, 1)
    const log = new LogBuffers(world.sender.logFactory.map([...world.sender.logFactory.logs.keys()][0]!))
    const nak = frameBuffer(new Uint8Array(64))
    for (const termOffset of [64, 96, 128]) {
      NakFrame.write(nak, 0, 77, STREAM, log.initialTermId, termOffset, 512)
      // Under the receiver's address: a sender's socket takes nothing from others.
      world.network.send(TARGET, SENDER_SOCKET, nak, 0, NakFrame.HEADER_LENGTH)
      world.run(50)
    }
    assert.strictEqual(world.sender.systemCounter(SystemCounters.NAK_MESSAGES_RECEIVED), 3)
    assert.strictEqual(world.sender.systemCounter(SystemCounters.INVALID_PACKETS), 3)
    assert.strictEqual(world.sender.systemCounter(SystemCounters.RETRANSMITS_SENT), 0)
    assert.deepStrictEqual(world.sender.errors, [])
  })

  it("is not needed to overwrite a log: a publisher that does so loses its stream, and no other", () => {
    const world = new HeapNetwork(9)
    const subscription = world.subscriber.addSubscription(CHANNEL)
    const broken = world.publisher.addPublication(`${CHANNEL}|session-id=77`, true)
    const publication = world.publisher.addPublication(`${CHANNEL}|session-id=78`, true)
    world.run(200)
    const log = new LogBuffers(world.sender.logFactory.map([...world.sender.logFactory.logs.keys()][0]!))
    assert.isAbove(broken.offer(new Uint8Array(100), 0, 100), 0)
    log.terms[0].int32[0] = 5
    world.run(5)
    const text = new TextEncoder().encode("goes on")
    assert.isAbove(publication.offer(text, 0, text.length), 0)
    world.run(5)
    assert.deepStrictEqual(readAll(subscription), ["goes on"])
    assert.strictEqual(world.sender.errors.length, 1)
    world.run(5000)
    assert.deepStrictEqual(
      subscription.current.map(({ sessionId }) => sessionId),
      [78]
    )
    world.publisher.conductor.closePublication(broken, false)
    world.run(10_000, 10)
    assert.strictEqual(world.sender.logFactory.logs.size, 1)
  })

  it.each([1, 2])("cannot make a driver fail by odd values in frames of the right form, seed %s", (seed) => {
    const world = new HeapNetwork(seed, { imageLivenessTimeoutNs: 500e6 })
    const random = seeded(seed)
    const subscription = world.subscriber.addSubscription(CHANNEL)
    const publication = world.publisher.addPublication(`${CHANNEL}|session-id=77`, true)
    world.run(200)
    const stranger = strangerOf(world)
    const received: Array<string> = []
    for (let round = 0; round < 2000; round++) {
      for (const target of [TARGET, SENDER_SOCKET]) {
        const [frame, length] = randomFrame(random)
        stranger.send(frame, 0, length, target)
      }
      if (round % 10 === 0) {
        const bytes = new TextEncoder().encode(`${round}`)
        assert.isAbove(publication.offer(bytes, 0, bytes.length), 0)
      }
      world.run(1)
      const image = subscription.current.find(({ sessionId }) => sessionId === 77)
      assert.isDefined(image)
      received.push(...readAll(subscription).filter((text) => /^\d+$/.test(text)))
    }
    assert.deepStrictEqual(
      received,
      Array.from({ length: 200 }, (_, index) => `${index * 10}`)
    )
    // What the strangers began ends like every stream whose source is silent.
    world.run(10_000, 10, () => readAll(subscription))
    assert.strictEqual(world.receiver.logFactory.logs.size, 1)
  })

  it("gets one question for a session, however much it sends", () => {
    const world = new HeapNetwork(5)
    world.subscriber.addSubscription(CHANNEL)
    const stranger = strangerOf(world)
    const frame = frameBuffer(new Uint8Array(64))
    DataFrame.write(frame, 0, 64, FrameFlags.UNFRAGMENTED, 0, 0, 5, STREAM)
    for (let round = 0; round < 100; round++) {
      stranger.send(frame, 0, 64, TARGET)
      world.run(1)
    }
    const answers: Array<readonly [type: number, length: number]> = []
    stranger.poll((buffer, offset, length) => answers.push([HeaderDescriptor.type(buffer, offset), length]), 100)
    assert.deepStrictEqual(answers, [[FrameType.SM, StatusMessageFrame.HEADER_LENGTH]])
    world.run(2000)
    stranger.send(frame, 0, 64, TARGET)
    world.run(5)
    stranger.poll((buffer, offset, length) => answers.push([HeaderDescriptor.type(buffer, offset), length]), 100)
    assert.strictEqual(answers.length, 2)
  })

  it("does not make a driver grow by ever new sessions", () => {
    const world = new HeapNetwork(6)
    const subscription = world.subscriber.addSubscription(CHANNEL)
    const stranger = strangerOf(world)
    const frame = frameBuffer(new Uint8Array(64))
    for (let session = 0; session < 4 * SESSION_STATES_MAX; session++) {
      DataFrame.write(frame, 0, 64, FrameFlags.UNFRAGMENTED, 0, 0, session, STREAM)
      stranger.send(frame, 0, 64, TARGET)
      if (session % 32 === 0) {
        world.run(1)
      }
    }
    world.run(100)
    let answers = 0
    stranger.poll(() => answers++, 10_000)
    assert.strictEqual(answers, SESSION_STATES_MAX)
    assert.strictEqual(world.receiver.logFactory.logs.size, 0)
    assert.strictEqual(world.receiver.systemCounter(SystemCounters.ERRORS), 0)
    // A publisher gets through as soon as those who were asked have not answered.
    world.publisher.addPublication(CHANNEL, true)
    world.run(3000)
    assert.strictEqual(subscription.current.length, 1)
  })

  it("gets one question for a session and second, however many sessions it makes the driver forget", () => {
    const world = new HeapNetwork(25)
    world.subscriber.addSubscription(CHANNEL)
    world.run(20)
    const stranger = strangerOf(world)
    const asked = new Map<number, number>()
    const frame = frameBuffer(new Uint8Array(new ArrayBuffer(64)))
    const sessions = SESSION_STATES_MAX + 200
    for (let round = 0; round < 5; round++) {
      for (let session = 0; session < sessions; session++) {
        DataFrame.write(frame, 0, 64, FrameFlags.UNFRAGMENTED, 0, 0, session, STREAM)
        stranger.send(frame, 0, 64, TARGET)
        if (session % 60 === 0) {
          world.run(1)
        }
      }
      world.run(30)
      stranger.poll((answer, offset, length) => {
        assert.isAtMost(length, 44)
        const session = StatusMessageFrame.sessionId(answer, offset)
        asked.set(session, (asked.get(session) ?? 0) + 1)
      }, 10_000)
    }
    assert.deepStrictEqual(new Set(asked.values()), new Set([1]))
    assert.isAtMost(asked.size, PENDING_SETUPS_MAX)
    assert.isAtLeast(asked.size, 1000)
  })

  it("makes the driver forget the oldest of too many sessions that nobody wants, which is counted", () => {
    const world = new HeapNetwork(28)
    world.subscriber.addSubscription(`${CHANNEL}|session-id=77`)
    world.run(20)
    const stranger = strangerOf(world)
    const frame = frameBuffer(new Uint8Array(new ArrayBuffer(64)))
    for (let session = 1000; session < 1000 + SESSION_STATES_MAX + 3; session++) {
      DataFrame.write(frame, 0, 64, FrameFlags.UNFRAGMENTED, 0, 0, session, STREAM)
      stranger.send(frame, 0, 64, TARGET)
      if (session % 60 === 0) {
        world.run(1)
      }
    }
    world.run(20)
    assert.strictEqual(world.receiver.errors.length, 3)
    assert.include(String(world.receiver.errors[0]), "more sessions than are remembered")
    assert.strictEqual(
      stranger.poll(() => {}, 10),
      0
    )
  })

  it("cannot have the driver ask somebody thousands of times by two frames in his name", () => {
    const world = new HeapNetwork(31)
    world.subscriber.addSubscription(CHANNEL)
    world.run(20)
    const victim = strangerOf(world)
    const frame = frameBuffer(new Uint8Array(64))
    SetupFrame.write(frame, 0, 0, 0, 11, STREAM, 0, 0, 65_536, 1408, 0)
    victim.send(frame, 0, SetupFrame.HEADER_LENGTH, TARGET)
    world.run(20)
    DataFrame.write(frame, 0, 32, FrameFlags.UNFRAGMENTED, 0, 64, 11, STREAM)
    victim.send(frame, 0, 32, TARGET)
    const heard = { [FrameType.NAK]: 0, [FrameType.SM]: 0 } as Record<number, number>
    world.run(12_000, 1, () => {
      victim.poll((answer, offset) => void heard[HeaderDescriptor.type(answer, offset)]!++, 1000)
    })
    assert.isAbove(heard[FrameType.NAK]!, 0)
    assert.isBelow(heard[FrameType.NAK]!, 250)
    assert.isBelow(heard[FrameType.SM]!, 60)
  })

  it("gets nothing sent again, neither to itself nor to the receiver", () => {
    const world = new HeapNetwork(30)
    const subscription = world.subscriber.addSubscription(CHANNEL)
    const publication = world.publisher.addPublication(`${CHANNEL}|session-id=77`, true)
    world.run(200)
    const payload = new Uint8Array(1000)
    assert.isAbove(publication.offer(payload, 0, payload.length), 0)
    world.run(5)
    assert.strictEqual(readAll(subscription).length, 1)
    const { initialTermId } = new LogBuffers(world.sender.logFactory.map([...world.sender.logFactory.logs.keys()][0]!))
    const stranger = strangerOf(world)
    const nak = frameBuffer(new Uint8Array(64))
    for (let round = 0; round < 100; round++) {
      NakFrame.write(nak, 0, 77, STREAM, initialTermId, 0, 1056)
      stranger.send(nak, 0, NakFrame.HEADER_LENGTH, SENDER_SOCKET)
      world.run(1)
    }
    assert.strictEqual(world.sender.systemCounter(SystemCounters.RETRANSMITS_SENT), 0)
    assert.strictEqual(
      stranger.poll(() => assert.fail("an answer came"), 10),
      0
    )
  })

  it("gets no answer to its measurements of a stream of somebody else", () => {
    const world = new HeapNetwork(26)
    world.subscriber.addSubscription(CHANNEL)
    const publication = world.publisher.addPublication(CHANNEL)
    world.run(100)
    const stranger = strangerOf(world)
    const frame = frameBuffer(new Uint8Array(new ArrayBuffer(64)))
    RttMeasurementFrame.write(frame, 0, FrameFlags.RTTM_REPLY, publication.sessionId, STREAM, 1n, 0n, 0n)
    stranger.send(frame, 0, RttMeasurementFrame.HEADER_LENGTH, TARGET)
    world.run(20)
    assert.strictEqual(
      stranger.poll(() => assert.fail("an answer came"), 10),
      0
    )
  })

  it("has no more images than the session limit, whose room is there again when it is silent", () => {
    const world = new HeapNetwork(32, { streamSessionLimit: 10, imageLivenessTimeoutNs: 1e9 })
    const subscription = world.subscriber.addSubscription(CHANNEL)
    const publication = world.publisher.addPublication(`${CHANNEL}|session-id=77`, true)
    world.run(200)
    const stranger = strangerOf(world)
    const frame = frameBuffer(new Uint8Array(64))
    const text = new TextEncoder().encode("goes on")
    for (let session = 1000; session < 1500; session++) {
      SetupFrame.write(frame, 0, 0, 0, session, STREAM, 0, 0, 65_536, 1408, 0)
      stranger.send(frame, 0, SetupFrame.HEADER_LENGTH, TARGET)
      world.run(1)
      assert.isAtMost(world.receiver.logFactory.logs.size, 10)
      if (session % 50 === 0) {
        assert.isAbove(publication.offer(text, 0, text.length), 0)
        world.run(5)
        assert.deepStrictEqual(readAll(subscription), ["goes on"])
      }
    }
    assert.strictEqual(subscription.current.length, 10)
    world.publisher.addPublication(`${CHANNEL}|session-id=78`, true)
    world.run(6000, 5)
    assert.deepStrictEqual(
      subscription.current.map(({ sessionId }) => sessionId),
      [77, 78]
    )
  })

  it("has few logs made at one time, however many streams it sets up", () => {
    const world = new HeapNetwork(27)
    world.subscriber.addSubscription(CHANNEL)
    world.run(20)
    world.receiver.logFactory.delayTicks = 1000
    const stranger = strangerOf(world)
    const frame = frameBuffer(new Uint8Array(new ArrayBuffer(64)))
    for (let session = 0; session < 500; session++) {
      SetupFrame.write(frame, 0, 0, 0, session, STREAM, 0, 0, 65_536, 1408, 0)
      stranger.send(frame, 0, SetupFrame.HEADER_LENGTH, TARGET)
    }
    world.run(50)
    assert.strictEqual(world.receiver.logFactory.underWay, PENDING_IMAGES_MAX)
  })

  it("makes the driver forget no session whose image is being made, so that none is made twice", () => {
    const world = new HeapNetwork(29)
    const subscription = world.subscriber.addSubscription(CHANNEL)
    world.receiver.logFactory.delayTicks = 300
    world.publisher.addPublication(`${CHANNEL}|session-id=77`, true)
    world.run(20)
    const stranger = strangerOf(world)
    const frame = frameBuffer(new Uint8Array(new ArrayBuffer(64)))
    for (let session = 1000; session < 1000 + 2 * SESSION_STATES_MAX; session++) {
      DataFrame.write(frame, 0, 64, FrameFlags.UNFRAGMENTED, 0, 0, session, STREAM)
      stranger.send(frame, 0, 64, TARGET)
      if (session % 60 === 0) {
        world.run(1)
      }
    }
    world.run(2000)
    assert.deepStrictEqual(
      subscription.current.map(({ sessionId }) => sessionId),
      [77]
    )
    assert.strictEqual(world.receiver.logFactory.requests.length, 1)
  })
})
