/** Strangers who send well-formed frames that mean harm: the driver neither fails nor grows, and other streams go on. */
import { assert, describe, it } from "@effect/vitest"
import * as DataFrame from "@millrace/core/kernel/frame/DataFrame"
import * as FrameFlags from "@millrace/core/kernel/frame/FrameFlags"
import * as FrameType from "@millrace/core/kernel/frame/FrameType"
import * as HeaderDescriptor from "@millrace/core/kernel/frame/HeaderDescriptor"
import { type FrameBuffer, frameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import * as NakFrame from "@millrace/core/kernel/frame/NakFrame"
import * as RttMeasurementFrame from "@millrace/core/kernel/frame/RttMeasurementFrame"
import * as SetupFrame from "@millrace/core/kernel/frame/SetupFrame"
import * as StatusMessageFrame from "@millrace/core/kernel/frame/StatusMessageFrame"
import { any, SocketAddress } from "../../src/channel/SocketAddress.ts"
import { SESSION_STATES_MAX } from "../../src/driver/DataPacketDispatcher.ts"
import * as SystemCounters from "../../src/driver/SystemCounters.ts"
import type { UdpSocket } from "../../src/media/UdpPort.ts"
import { readAll, STREAM } from "../client/HeapClient.ts"
import { HeapNetwork, seeded } from "./HeapNetwork.ts"

const CHANNEL = "aeron:udp?endpoint=10.0.0.2:40456|term-length=64k"
const TARGET = new SocketAddress(Uint8Array.of(10, 0, 0, 2), 40_456)
const SENDER_SOCKET = new SocketAddress(Uint8Array.of(10, 0, 0, 1), 40_000)

const strangerOf = (world: HeapNetwork): UdpSocket =>
  world.network.host(Uint8Array.of(10, 9, 9, 9)).open({
    local: any(4),
    remote: undefined,
    receiveBufferLength: 0,
    sendBufferLength: 0
  })

/** A frame of one of the types, its fields from small, large, negative and odd values. */
const randomFrame = (random: () => number): readonly [frame: FrameBuffer, length: number] => {
  const frame = frameBuffer(new Uint8Array(2048))
  const of = <A>(values: ReadonlyArray<A>): A => values[Math.floor(random() * values.length)]!
  const int = (): number => of([0, 1, -1, 32, 64, 96, 65_504, 65_536, 2 ** 31 - 32, 2 ** 31 - 1, -(2 ** 31), 7])
  // Not the session of the stream that is to go on: whoever forges that one is believed, in this protocol.
  const session = of([11, 12, 13, 14])
  const stream = of([STREAM, STREAM, STREAM, 5])
  const flags = of([0, 0x80, 0xc0, 0xe0, 0xf0, 0xff])
  switch (of(["data", "data", "pad", "setup", "setup", "status", "nak", "rtt"])) {
    case "data":
    case "pad": {
      const length = of([0, 32, 64, 1408])
      const type = random() < 0.5 ? FrameType.PAD : FrameType.DATA
      DataFrame.write(frame, 0, length, flags, int(), int(), session, stream)
      frame.view.setUint16(6, type, true)
      return [frame, Math.max(length, 32)]
    }
    case "setup":
      SetupFrame.write(
        frame,
        0,
        flags,
        int(),
        session,
        stream,
        int(),
        int(),
        of([65_536, 65_536, 131_072, 3, 0, -1]),
        of([1408, 32, 65_504, 131_072, 0, -32, 100]),
        int()
      )
      return [frame, SetupFrame.HEADER_LENGTH]
    case "status":
      StatusMessageFrame.write(frame, 0, flags, session, stream, int(), int(), int(), BigInt(int()))
      return [frame, StatusMessageFrame.HEADER_LENGTH]
    case "nak":
      NakFrame.write(frame, 0, session, stream, int(), int(), int())
      return [frame, NakFrame.HEADER_LENGTH]
    default:
      RttMeasurementFrame.write(frame, 0, flags, session, stream, BigInt(int()), BigInt(int()), 0n)
      return [frame, RttMeasurementFrame.HEADER_LENGTH]
  }
}

describe("a hostile network", () => {
  it.each([1, 2, 3, 4])("cannot make a driver fail by odd values in frames of the right form, seed %s", (seed) => {
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
})
