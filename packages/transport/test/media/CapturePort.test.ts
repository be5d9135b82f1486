import { assert, describe, it } from "@effect/vitest"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import { any, SocketAddress } from "../../src/channel/SocketAddress.ts"
import * as CapturePort from "../../src/media/CapturePort.ts"
import type { SocketHandle, UdpPort, UdpSocket } from "../../src/media/UdpPort.ts"

const PEER = new SocketAddress(Uint8Array.of(10, 0, 0, 7), 40123)
const buffer = new HeapRegion("datagrams", 64).buffer()
buffer.bytes.set([1, 2, 3, 4, 5, 6, 7, 8])

/** A socket that takes `room` datagrams, and has received one of three bytes. */
const socketOf = (room: number, localAddress: SocketAddress): UdpSocket => ({
  localAddress,
  descriptor: 7,
  receiveBufferLength: 1,
  sendBufferLength: 2,
  send: (_buffer, _offset, length) => (room > 0 ? length : 0),
  sendMany: (_buffer, _offsets, _lengths, count) => Math.min(room, count),
  poll: (handler) => {
    handler(buffer, 0, 3, PEER)
    return 3
  },
  close: () => {}
})

const captured = (room: number, localAddress = any(4, 9)) => {
  const records: Array<string> = []
  let flushes = 0
  const port: UdpPort = { open: () => socketOf(room, localAddress) }
  const socket = CapturePort.wrap(port, {
    record: (source, target, payload) => records.push(`${source.text} > ${target.text} ${payload.join(" ")}`),
    flush: () => flushes++
  }).open({ local: localAddress, remote: undefined, receiveBufferLength: 0, sendBufferLength: 0 })
  return { socket, records, flushes: () => flushes }
}

describe("CapturePort", () => {
  it("leaves to the socket below it what it does not see, and captures one that another thread opened as well", () => {
    const handle = { fd: 9, remote: undefined } as unknown as SocketHandle
    const below = { ...socketOf(1, PEER), handle }
    const port: UdpPort = { open: () => below, adopt: () => below }
    const records: Array<string> = []
    const wrapped = CapturePort.wrap(port, { record: (source) => records.push(source.text), flush: () => {} })
    const socket = wrapped.adopt!(handle)
    assert.strictEqual(socket.localAddress, PEER)
    assert.strictEqual(socket.descriptor, 7)
    assert.strictEqual(socket.handle, handle)
    assert.deepStrictEqual([socket.receiveBufferLength, socket.sendBufferLength], [1, 2])
    socket.send(buffer, 0, 2, PEER)
    assert.deepStrictEqual(records, [PEER.text])
    assert.notProperty(CapturePort.wrap({ open: () => below }, { record: () => {}, flush: () => {} }), "adopt")
  })

  it("keeps what went out, and nothing that did not", () => {
    const { records, socket } = captured(1)
    socket.send(buffer, 4, 2, PEER)
    const sent = socket.sendMany(buffer, Int32Array.of(0, 4), Int32Array.of(1, 2), 2, PEER)
    assert.strictEqual(sent, 1)
    assert.deepStrictEqual(records, ["0.0.0.0:9 > 10.0.0.7:40123 5 6", "0.0.0.0:9 > 10.0.0.7:40123 1"])
    const full = captured(0)
    assert.strictEqual(full.socket.send(buffer, 0, 2, PEER), 0)
    assert.lengthOf(full.records, 0)
  })

  it("keeps what came in, hands it on, and flushes after each poll", () => {
    const { flushes, records, socket } = captured(1)
    const handed: Array<number> = []
    assert.strictEqual(
      socket.poll((_buffer, _offset, length) => handed.push(length), 10),
      3
    )
    assert.deepStrictEqual(handed, [3])
    assert.deepStrictEqual(records, ["10.0.0.7:40123 > 0.0.0.0:9 1 2 3"])
    assert.strictEqual(flushes(), 1)
    socket.close()
    assert.strictEqual(flushes(), 2)
  })

  it("names both ends by addresses of one family, and is else the socket that it wraps", () => {
    const { records, socket } = captured(1, any(6, 9))
    socket.send(buffer, 0, 1, PEER)
    assert.deepStrictEqual(records, ["0.0.0.0:9 > 10.0.0.7:40123 1"])
    const { descriptor, receiveBufferLength, sendBufferLength } = socket
    assert.deepStrictEqual([descriptor, receiveBufferLength, sendBufferLength], [7, 1, 2])
  })
})
