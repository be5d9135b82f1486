/** What logs say of the buffers of sockets: what these were asked for, and what the system has. */
import { existsSync, readFileSync } from "node:fs"
import * as LogBufferMetadata from "@millrace/core/kernel/logbuffer/LogBufferMetadata"
import { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import { assert, describe, it } from "@effect/vitest"
import * as SocketBuffers from "../../src/driver/SocketBuffers.ts"
import * as NativeUdpPort from "../../src/internal/nativeUdpPort.ts"
import * as PortableUdpPort from "../../src/internal/portableUdpPort.ts"
import { SimulatedNetwork } from "../../src/media/SimulatedNetwork.ts"
import { type UdpPort, type UdpSocket, UdpSocketError } from "../../src/media/UdpPort.ts"
import { HeapNetwork, RECEIVER_ADDRESS } from "./HeapNetwork.ts"
import { type HeapDriver, SYSTEM_BUFFERS } from "./HeapDriver.ts"

const ENDPOINT = "aeron:udp?endpoint=10.0.0.2:40456|term-length=64k"

const onlyLog = ({ logFactory }: HeapDriver): LogBufferMetadata.LogBufferMetadata => {
  const [fileName = ""] = logFactory.logs.keys()
  return LogBufferMetadata.read(new LogBuffers(logFactory.map(fileName)).metadata)
}

const logsOf = (world: HeapNetwork, publication: string, subscription: string) => {
  world.subscriber.addSubscription(subscription)
  world.publisher.addPublication(publication)
  world.run(300)
  return { log: onlyLog(world.sender), imageLog: onlyLog(world.receiver) }
}

const systemFields = {
  osDefaultSocketSndbufLength: SYSTEM_BUFFERS.default.send,
  osMaxSocketSndbufLength: SYSTEM_BUFFERS.max.send,
  osDefaultSocketRcvbufLength: SYSTEM_BUFFERS.default.receive,
  osMaxSocketRcvbufLength: SYSTEM_BUFFERS.max.receive
}

describe("the metadata of a log", () => {
  it("has the lengths that the channel asks for, in the publication and in the image", () => {
    const { imageLog, log } = logsOf(
      new HeapNetwork(40),
      `${ENDPOINT}|so-rcvbuf=96k|so-sndbuf=64k`,
      `${ENDPOINT}|so-rcvbuf=160k|so-sndbuf=48k|rcv-wnd=24k`
    )
    assert.deepInclude(log, { socketSndbufLength: 64 * 1024, socketRcvbufLength: 96 * 1024, ...systemFields })
    assert.deepInclude(imageLog, { socketSndbufLength: 48 * 1024, socketRcvbufLength: 160 * 1024, ...systemFields })
    assert.strictEqual(log.receiverWindowLength, 0)
    assert.strictEqual(log.publicationWindowLength, 32 * 1024)
    assert.strictEqual(imageLog.receiverWindowLength, 24 * 1024)
    assert.strictEqual(imageLog.publicationWindowLength, 0)
  })

  it("has those of the driver's options where the channel is silent, and 0 for the system's", () => {
    const { imageLog, log } = logsOf(
      new HeapNetwork(41, { socketReceiveBufferLength: 128 * 1024 }),
      ENDPOINT,
      `${ENDPOINT}|so-sndbuf=48k`
    )
    assert.deepInclude(log, { socketSndbufLength: 0, socketRcvbufLength: 128 * 1024 })
    assert.deepInclude(imageLog, { socketSndbufLength: 48 * 1024, socketRcvbufLength: 128 * 1024 })
    // A window is half a term at most.
    assert.strictEqual(imageLog.receiverWindowLength, 32 * 1024)
  })

  it("has those of the channel that opened the endpoint", () => {
    const world = new HeapNetwork(42)
    world.publisher.addPublication(`${ENDPOINT}|so-sndbuf=64k|tags=1`)
    world.sender.logFactory.logs.clear()
    world.publisher.addPublication(`aeron:udp?tags=1|term-length=64k`, true)
    assert.strictEqual(onlyLog(world.sender).socketSndbufLength, 64 * 1024)
  })

  it("has what the system has over IPC, too, and no socket", () => {
    const world = new HeapNetwork(43, { socketReceiveBufferLength: 128 * 1024 })
    world.publisher.addPublication("aeron:ipc?term-length=64k")
    assert.deepInclude(onlyLog(world.sender), { socketSndbufLength: 0, socketRcvbufLength: 0, ...systemFields })
  })

  it("has neither a tag nor a response in an image", () => {
    const { imageLog, log } = logsOf(new HeapNetwork(44), ENDPOINT, `${ENDPOINT}|tags=1,7`)
    assert.deepInclude(log, { entityTag: -1n, responseCorrelationId: -1n })
    assert.deepInclude(imageLog, { entityTag: 0n, responseCorrelationId: 0n })
  })

  it.each([
    ["|group=true", true],
    ["|group=false", false],
    ["|group=infer", false],
    ["", false]
  ])("says of an image whether its receivers are a group: %j is %s", (parameters, group) => {
    const { imageLog } = logsOf(new HeapNetwork(45), ENDPOINT, `${ENDPOINT}${parameters}`)
    assert.strictEqual(imageLog.group, group)
  })
})

const noFaults = { onSendFailed: () => {}, onDropped: () => {}, onError: () => {} }

/** A system whose sockets have so much by default and at most, told `factor` times as long. */
const fakePort = (factor: number): UdpPort => ({
  open: ({ receiveBufferLength, sendBufferLength }) => {
    const given = (asked: number, byDefault: number) => factor * (asked === 0 ? byDefault : Math.min(asked, 1_000_000))
    return {
      receiveBufferLength: given(receiveBufferLength, 200_000),
      sendBufferLength: given(sendBufferLength, 100_000),
      close: () => {}
    } as UdpSocket
  }
})

describe("the lengths of the system", () => {
  it.each([1, 2])("are those that one can ask for, where they are told %i times as long", (factor) => {
    assert.deepStrictEqual(SocketBuffers.systemLengths(fakePort(factor)), {
      default: { receive: 200_000, send: 100_000 },
      max: { receive: 1_000_000, send: 1_000_000 }
    })
  })

  it("are not known where no socket can be opened", () => {
    const refusing: UdpPort = {
      open: () => {
        throw new UdpSocketError("EAFNOSUPPORT", "no such family here")
      }
    }
    assert.deepStrictEqual(SocketBuffers.systemLengths(refusing), SocketBuffers.UNKNOWN)
  })

  it("are asked for once, and leave no socket behind", () => {
    const network = new SimulatedNetwork({ nanoTime: () => 0, random: () => 0.5, queueLength: 1 })
    assert.isAbove(SocketBuffers.systemLengths(network.host(RECEIVER_ADDRESS)).default.receive, 0)
    assert.deepStrictEqual(network.bound, [])
  })

  it.runIf(existsSync("/proc/sys/net/core/rmem_max"))("are those of Linux, whichever sockets ask", () => {
    const kernel = (name: string): number => Number(readFileSync(`/proc/sys/net/core/${name}`, "utf8"))
    const expected = {
      default: { receive: Math.floor(kernel("rmem_default") / 2), send: Math.floor(kernel("wmem_default") / 2) },
      max: { receive: kernel("rmem_max"), send: kernel("wmem_max") }
    }
    assert.deepStrictEqual(SocketBuffers.systemLengths(NativeUdpPort.make(noFaults)), expected)
    assert.deepStrictEqual(SocketBuffers.systemLengths(PortableUdpPort.make(noFaults)), expected)
  })
})
