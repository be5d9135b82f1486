/** The small tables of conductor, sender and receiver. */
import { assert, describe, it } from "@effect/vitest"
import { CountersManager } from "@millrace/core/kernel/counters/CountersManager"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import { SocketAddress } from "../../src/channel/SocketAddress.ts"
import type { UdpChannel } from "../../src/channel/UdpChannel.ts"
import * as ErrorCode from "../../src/command/ErrorCode.ts"
import { SharedResources } from "../../src/driver/AgentResources.ts"
import { ControlProtocolError } from "../../src/driver/ControlProtocolError.ts"
import { PENDING_SETUPS_MAX, PendingSetups } from "../../src/driver/PendingSetups.ts"
import { PositionCounter } from "../../src/driver/PositionCounter.ts"
import { ReceiverLiveness } from "../../src/driver/ReceiverLiveness.ts"
import { socketFailure } from "../../src/driver/SocketFailure.ts"
import { PortRangeExhausted } from "../../src/media/PortRange.ts"
import type { ReceiveEndpoint } from "../../src/media/ReceiveEndpoint.ts"
import { UdpSocketError } from "../../src/media/UdpPort.ts"

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
    assert.throws(() => resources.openSocket(3, undefined), "the conductor has no endpoint 3")
    resources.addSocket(3, {} as never)
    resources.removeSocket(3)
    assert.throws(() => resources.openSocket(3, undefined), "the conductor has no endpoint 3")
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
