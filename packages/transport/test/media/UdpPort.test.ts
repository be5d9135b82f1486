/** What every way to have sockets keeps to: the system's calls, Node's datagram sockets, the network in memory. */
import { assert, describe, it, onTestFinished } from "vitest"
import { frameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import { SocketAddress } from "../../src/channel/SocketAddress.ts"
import * as NativeUdpPort from "../../src/internal/nativeUdpPort.ts"
import * as PortableUdpPort from "../../src/internal/portableUdpPort.ts"
import type { UdpFaults } from "../../src/internal/udpFaults.ts"
import { SimulatedNetwork } from "../../src/media/SimulatedNetwork.ts"
import { type UdpPort, type UdpSocket, UdpSocketError, type UdpSocketOptions } from "../../src/media/UdpPort.ts"

const LOOPBACK = Uint8Array.of(127, 0, 0, 1)

const simulated = (): UdpPort =>
  new SimulatedNetwork({ nanoTime: () => 0, random: () => 0.5, queueLength: 1000 }).host(LOOPBACK)

/** Nothing goes wrong in these tests that no call tells of. */
const faultless: UdpFaults = {
  onSendFailed: () => assert.fail("a datagram was not sent"),
  onDropped: () => assert.fail("a datagram was dropped"),
  onError: (error) => assert.fail(error.message)
}

const ports: ReadonlyArray<readonly [name: string, make: () => UdpPort]> = [
  ...(process.platform === "linux"
    ? ([
        ["native", () => NativeUdpPort.make(faultless)],
        ["native, unsegmented", () => NativeUdpPort.make(faultless, { segmentation: false, batches: true })],
        ["native, unbatched", () => NativeUdpPort.make(faultless, { segmentation: true, batches: false })],
        ["native, bare", () => NativeUdpPort.make(faultless, { segmentation: false, batches: false })]
      ] as const)
    : []),
  ["portable", () => PortableUdpPort.make(faultless)],
  ["simulated", simulated]
]

const anywhere: UdpSocketOptions = {
  local: new SocketAddress(LOOPBACK, 0),
  remote: undefined,
  receiveBufferLength: 256 * 1024,
  sendBufferLength: 0
}

const open = (port: UdpPort, options: Partial<UdpSocketOptions> = {}): UdpSocket => {
  const socket = port.open({ ...anywhere, ...options })
  onTestFinished(() => socket.close())
  return socket
}

interface Arrived {
  readonly text: string
  readonly source: SocketAddress
}

/** Polls, a turn of the event loop after each, until so many datagrams have come. */
const receive = async (socket: UdpSocket, count: number): Promise<ReadonlyArray<Arrived>> => {
  const arrived: Array<Arrived> = []
  while (arrived.length < count) {
    socket.poll(({ bytes }, offset, length, source) => {
      arrived.push({ text: Buffer.from(bytes.subarray(offset, offset + length)).toString("latin1"), source })
    }, 64)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return arrived
}

const datagram = (text: string) => frameBuffer(new Uint8Array(Buffer.from(text, "latin1")))

describe.each(ports)("the %s UDP port", (_name, make) => {
  it("carries a datagram and names its source", async () => {
    const port = make()
    const [a, b] = [open(port), open(port)]
    assert.isAbove(b.localAddress.port, 0)
    assert.strictEqual(a.send(datagram("-hello-"), 1, 5, b.localAddress), 5)
    const [arrived] = await receive(b, 1)
    assert.strictEqual(arrived!.text, "hello")
    assert.strictEqual(arrived!.source.text, a.localAddress.text)
  })

  it("cuts one buffer into datagrams, in order, whatever their lengths", async () => {
    const port = make()
    const [a, b] = [open(port), open(port)]
    const lengths = Int32Array.of(96, 96, 96, 64, 32, 128, 128, 96, 96, 1408, 1408, 32)
    const buffer = new HeapRegion("datagrams", 8192).buffer()
    const offsets = new Int32Array(lengths.length)
    const expected: Array<string> = []
    let end = 32
    for (let i = 0; i < lengths.length; i++) {
      // A hole in the middle, as padding leaves one.
      offsets[i] = i === 7 ? (end += 64) : end
      buffer.bytes.fill(97 + i, end, end + lengths[i]!)
      expected.push(String.fromCharCode(97 + i).repeat(lengths[i]!))
      end += lengths[i]!
    }
    assert.strictEqual(a.sendMany(buffer, offsets, lengths, lengths.length, b.localAddress), lengths.length)
    const arrived = await receive(b, lengths.length)
    assert.deepStrictEqual(
      arrived.map(({ text }) => text),
      expected
    )
  })

  it("carries the longest datagram that holds frames", async () => {
    const port = make()
    const [a, b] = [open(port), open(port)]
    const text = "x".repeat(65_504)
    assert.strictEqual(a.send(datagram(text), 0, text.length, b.localAddress), text.length)
    assert.strictEqual((await receive(b, 1))[0]!.text, text)
  })

  it("takes nothing from strangers when the socket has a peer", async () => {
    const port = make()
    const [peer, stranger] = [open(port), open(port)]
    const socket = open(port, { remote: peer.localAddress })
    stranger.send(datagram("stranger"), 0, 8, socket.localAddress)
    peer.send(datagram("peer"), 0, 4, socket.localAddress)
    assert.deepStrictEqual(
      (await receive(socket, 1)).map(({ text }) => text),
      ["peer"]
    )
  })

  it("sends to where its peer has moved", async () => {
    const port = make()
    const [first, second] = [open(port), open(port)]
    const socket = open(port, { remote: first.localAddress })
    socket.send(datagram("one"), 0, 3, first.localAddress)
    socket.send(datagram("two"), 0, 3, second.localAddress)
    assert.strictEqual((await receive(first, 1))[0]!.text, "one")
    assert.strictEqual((await receive(second, 1))[0]!.text, "two")
    second.send(datagram("back"), 0, 4, socket.localAddress)
    assert.strictEqual((await receive(socket, 1))[0]!.text, "back")
  })

  it("refuses an address that is taken", () => {
    const port = make()
    const { localAddress } = open(port)
    try {
      open(port, { local: localAddress })
      assert.fail("it was opened")
    } catch (error) {
      assert.instanceOf(error, UdpSocketError)
      assert.strictEqual(error.code, "EADDRINUSE")
    }
  })

  it("has nothing to hand on when nothing came", () => {
    assert.strictEqual(
      open(make()).poll(() => assert.fail("a datagram came"), 10),
      0
    )
  })
})

describe.skipIf(process.platform !== "linux")("the native UdpPort", () => {
  it("sends nothing, and says so, while its peer has moved to where it cannot reach", async () => {
    const errors: Array<Error> = []
    const port = NativeUdpPort.make({ ...faultless, onError: (error) => errors.push(error) })
    const peer = open(port)
    const socket = open(port, { remote: peer.localAddress })
    // From a loopback address there is no way to any other machine.
    const away = new SocketAddress(Uint8Array.of(192, 0, 2, 1), 40_456)
    const buffer = new HeapRegion("datagrams", 64).buffer()
    for (let times = 0; times < 3; times++) {
      assert.strictEqual(socket.send(datagram("lost"), 0, 4, away), 0)
      assert.strictEqual(socket.sendMany(buffer, Int32Array.of(0, 32), Int32Array.of(32, 32), 2, away), 0)
    }
    assert.strictEqual(errors.length, 1)
    assert.include(errors[0]!.message, "192.0.2.1:40456")
    assert.strictEqual(socket.send(datagram("back"), 0, 4, peer.localAddress), 4)
    assert.strictEqual((await receive(peer, 1))[0]!.text, "back")
  })
})

describe("the portable UdpPort", () => {
  it("tells of datagrams that the system did not send, until it is closed", async () => {
    let failed = 0
    const port = PortableUdpPort.make({ ...faultless, onSendFailed: () => failed++ })
    const [socket, closing] = [open(port), port.open(anywhere)]
    const target = socket.localAddress
    // Longer than a datagram can be.
    const text = "x".repeat(65_600)
    closing.send(datagram(text), 0, text.length, target)
    closing.close()
    socket.send(datagram(text), 0, text.length, target)
    socket.send(datagram("after"), 0, 5, target)
    assert.strictEqual((await receive(socket, 1))[0]!.text, "after")
    assert.strictEqual(failed, 1)
  })

  it("tells of each arrival, so that its driver need not look for it", async () => {
    let arrivals = 0
    const port = PortableUdpPort.make(faultless, () => arrivals++)
    const [a, b] = [open(port), open(port)]
    a.send(datagram("one"), 0, 3, b.localAddress)
    a.send(datagram("two"), 0, 3, b.localAddress)
    await receive(b, 2)
    assert.strictEqual(arrivals, 2)
  })

  it("leaves no socket behind when its buffer cannot be had", () => {
    const port = PortableUdpPort.make(faultless)
    const free = port.open({ ...anywhere, receiveBufferLength: 0 })
    const { localAddress } = free
    free.close()
    try {
      port.open({ ...anywhere, local: localAddress, receiveBufferLength: 2 ** 40 })
      assert.fail("it was opened")
    } catch (error) {
      assert.instanceOf(error, UdpSocketError)
      assert.include(error.message, `${2 ** 40}`)
    }
    assert.deepStrictEqual(open(port, { local: localAddress }).localAddress, localAddress)
  })
})
