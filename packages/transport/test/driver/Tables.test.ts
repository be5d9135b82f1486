/** The small tables of conductor, sender and receiver. */
import { assert, describe, it } from "@effect/vitest"
import { CountersManager } from "@millrace/core/kernel/counters/CountersManager"
import * as DataFrame from "@millrace/core/kernel/frame/DataFrame"
import { frameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import * as FrameFlags from "@millrace/core/kernel/frame/FrameFlags"
import * as SetupFrame from "@millrace/core/kernel/frame/SetupFrame"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import { any, SocketAddress } from "../../src/channel/SocketAddress.ts"
import type { UdpChannel } from "../../src/channel/UdpChannel.ts"
import * as ErrorCode from "../../src/command/ErrorCode.ts"
import { SharedResources } from "../../src/driver/AgentResources.ts"
import { ControlProtocolError } from "../../src/driver/ControlProtocolError.ts"
import { DataPacketDispatcher } from "../../src/driver/DataPacketDispatcher.ts"
import { PENDING_SETUPS_MAX, PendingSetups } from "../../src/driver/PendingSetups.ts"
import { PositionCounter } from "../../src/driver/PositionCounter.ts"
import type { ReceivedImage } from "../../src/driver/ReceivedImage.ts"
import { ReceiverLiveness } from "../../src/driver/ReceiverLiveness.ts"
import { socketFailure } from "../../src/driver/SocketFailure.ts"
import { PortRangeExhausted } from "../../src/media/PortRange.ts"
import type { ReceiveEndpoint } from "../../src/media/ReceiveEndpoint.ts"
import { UdpSocketError } from "../../src/media/UdpPort.ts"

const STREAM = 1001
const SOURCE = any(4)

const endpoint = (id: number) => ({ id }) as ReceiveEndpoint
const values = () => new HeapRegion("values", 1024).buffer()

describe("PendingSetups", () => {
  it("asks a source once, until its time is over", () => {
    const setups = new PendingSetups()
    const setup = { endpoint: endpoint(1), sessionId: 7, streamId: 1001, sinceNs: 0 }
    assert.isTrue(setups.add(setup))
    assert.isFalse(setups.add({ ...setup, sinceNs: 1 }))
    const over: Array<number> = []
    setups.removeOld(1e9, ({ sessionId }) => over.push(sessionId))
    setups.removeOld(1e9 + 1, ({ sessionId }) => over.push(sessionId))
    assert.deepStrictEqual(over, [7])
    assert.isTrue(setups.add(setup))
  })

  it("asks no more than a thousand sources at once, however many there are", () => {
    const setups = new PendingSetups()
    const add = (sessionId: number) => setups.add({ endpoint: endpoint(1), sessionId, streamId: 1, sinceNs: 0 })
    for (let sessionId = 0; sessionId < PENDING_SETUPS_MAX; sessionId++) {
      assert.isTrue(add(sessionId))
    }
    assert.isFalse(add(-1))
  })

  it("forgets the sources of an endpoint that is closed, and those of no other", () => {
    const setups = new PendingSetups()
    const [closed, other] = [endpoint(1), endpoint(2)]
    const setup = { sessionId: 7, streamId: 1001, sinceNs: 0 }
    setups.add({ ...setup, endpoint: closed })
    setups.add({ ...setup, endpoint: other })
    setups.removeEndpoint(closed)
    assert.isTrue(setups.add({ ...setup, endpoint: closed }))
    assert.isFalse(setups.add({ ...setup, endpoint: other }))
  })
})

describe("ReceiverLiveness", () => {
  it("loses a receiver that is silent for longer than the timeout", () => {
    const liveness = new ReceiverLiveness()
    liveness.onStatusMessage(1n, 0)
    liveness.onStatusMessage(2n, 500)
    liveness.onIdle(1001, 1000)
    assert.isFalse(liveness.onRemoteClose(1n))
    assert.isTrue(liveness.onRemoteClose(2n))
    assert.isFalse(liveness.hasReceivers)
  })

  it("counts no peer that calls itself ever anew beyond the limit, and keeps those it has", () => {
    const liveness = new ReceiverLiveness()
    for (let id = 0n; id < 1025n; id++) {
      liveness.onStatusMessage(id, 0)
    }
    liveness.onStatusMessage(0n, 2000)
    assert.isFalse(liveness.onRemoteClose(1024n))
    liveness.onIdle(2000, 1000)
    assert.isTrue(liveness.onRemoteClose(0n))
    assert.isFalse(liveness.hasReceivers)
  })
})

describe("PositionCounter", () => {
  it("is given back once, though its link and its stream both end it", () => {
    const counters = new CountersManager(new HeapRegion("metadata", 4096).buffer(), values(), () => 0, 0)
    const id = counters.allocate({ typeId: 4, label: "sub-pos" })
    const position = new PositionCounter(counters, id)
    position.set(-5)
    assert.strictEqual(position.get(), -5)
    position.close()
    assert.strictEqual(counters.allocate({ typeId: 4, label: "another's" }), id)
    position.close()
    assert.strictEqual(counters.read(id)?.label, "another's")
  })
})

describe("SharedResources", () => {
  it("has no log and no socket that the conductor did not make, or has closed", () => {
    const resources = new SharedResources(values())
    assert.throws(() => resources.openLog("/1.logbuffer"), "the conductor has no log /1.logbuffer")
    assert.throws(() => resources.openSocket(3), "the conductor has no endpoint 3")
    resources.addSocket(3, {} as never)
    resources.removeSocket(3)
    assert.throws(() => resources.openSocket(3), "the conductor has no endpoint 3")
  })
})

describe("socketFailure", () => {
  const address = new SocketAddress(Uint8Array.of(127, 0, 0, 1), 40_123)
  const channel = { channel: "aeron:udp?endpoint=127.0.0.1:40123", local: address, remote: address } as UdpChannel
  const told = (error: unknown): string => {
    const failure = socketFailure(error, channel)
    assert(failure instanceof ControlProtocolError)
    assert.strictEqual(failure.code, ErrorCode.GENERIC_ERROR)
    return failure.message
  }

  it("says in the words that clients match that an address is in use, and else what the system says", () => {
    assert.match(told(new UdpSocketError("EADDRINUSE", "bind EADDRINUSE")), /^Address already in use: /)
    assert.match(told(new UdpSocketError("EACCES", "bind EACCES")), /^bind EACCES: .* channel=aeron:udp/)
  })

  it("names the channel for which no port is left, and hands on what is no failure of a socket", () => {
    assert.match(told(new PortRangeExhausted({ low: 1, high: 2 })), /channel=aeron:udp/)
    const defect = new TypeError("defect")
    assert.strictEqual(socketFailure(defect, channel), defect)
  })
})

describe("DataPacketDispatcher", () => {
  const setUp = (sessionLimit = 10) => {
    const asked: Array<number> = []
    const made: Array<number> = []
    const dispatcher = new DataPacketDispatcher(
      {
        onUnknownStream: (sessionId) => void asked.push(sessionId),
        onSetup: (buffer, offset) => void made.push(SetupFrame.sessionId(buffer, offset)),
        onEvicted: () => {},
        onSessionLimit: () => {}
      },
      sessionLimit
    )
    const frame = frameBuffer(new Uint8Array(64))
    const data = (sessionId: number, streamId = STREAM): boolean => {
      DataFrame.write(frame, 0, 64, FrameFlags.UNFRAGMENTED, 0, 0, sessionId, streamId)
      return dispatcher.onData(frame, 0, 64, 64, SOURCE, 0)
    }
    const setup = (sessionId: number, streamId = STREAM): boolean => {
      SetupFrame.write(frame, 0, 0, 0, sessionId, streamId, 0, 0, 65_536, 1408, 0)
      return dispatcher.onSetup(frame, 0, SOURCE)
    }
    const events: Array<string> = []
    const image = (sessionId: number, streamId = STREAM) =>
      ({
        sessionId,
        streamId,
        isEndOfStream: false,
        deactivate: () => events.push(`end ${sessionId}`),
        insertPacket: () => true
      }) as unknown as ReceivedImage
    return { asked, data, dispatcher, events, image, made, setup }
  }

  it("asks once who sends a session that is wanted, and nobody of one that is not", () => {
    const { asked, data, dispatcher, made, setup } = setUp()
    dispatcher.addSubscription(STREAM, 5)
    for (const session of [5, 6, 5, 6]) {
      assert.isFalse(data(session))
    }
    assert.isFalse(data(5, STREAM + 1))
    assert.isFalse(setup(7))
    assert.isFalse(setup(5, STREAM + 1))
    assert.isFalse(setup(6))
    assert.isTrue(setup(5))
    assert.isFalse(setup(5))
    assert.deepStrictEqual([asked, made], [[5], [5]])
  })

  it("asks for a session that somebody comes to want, and forgets it with the last who does", () => {
    const { asked, data, dispatcher } = setUp()
    dispatcher.addSubscription(STREAM, 5)
    data(6)
    dispatcher.addSubscription(STREAM, 6)
    data(6)
    dispatcher.removeSubscription(STREAM, 6)
    data(6)
    dispatcher.addSubscription(STREAM, undefined)
    data(6)
    dispatcher.removeSubscription(STREAM + 1, undefined)
    assert.deepStrictEqual(asked, [6, 6])
  })

  it("ends the images that nobody wants any more, and keeps the others", () => {
    const { data, dispatcher, events, image } = setUp()
    const [kept, ended] = [image(5), image(6)]
    dispatcher.addSubscription(STREAM, 5)
    dispatcher.addSubscription(STREAM, undefined)
    dispatcher.addImage(kept)
    dispatcher.addImage(ended)
    dispatcher.addImage(image(7, STREAM + 1))
    dispatcher.removeSubscription(STREAM, undefined)
    assert.deepStrictEqual(events, ["end 6"])
    assert.isTrue(data(5))
    assert.strictEqual(dispatcher.findImage(STREAM, 5), kept)
    assert.isUndefined(dispatcher.findImage(STREAM, 6))
    dispatcher.removeSubscription(STREAM, 5)
    assert.isUndefined(dispatcher.findImage(STREAM, 5))
  })

  it("leaves a session alone for a while whose image was silent, until its state is taken back", () => {
    const { asked, data, dispatcher, events, image } = setUp()
    const silent = image(5)
    dispatcher.addSubscription(STREAM, undefined)
    dispatcher.addImage(silent)
    dispatcher.removeImage(silent)
    data(5)
    dispatcher.removeState(5, STREAM, "PendingSetup")
    data(5)
    assert.deepStrictEqual([asked, events], [[], ["end 5"]])
    dispatcher.removeState(5, STREAM, "CoolDown")
    dispatcher.removeState(5, STREAM + 1, "CoolDown")
    data(5)
    assert.deepStrictEqual(asked, [5])
  })
})
