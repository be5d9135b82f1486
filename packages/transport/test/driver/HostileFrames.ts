/** What a stranger sends who means harm. */
import * as DataFrame from "@millrace/core/kernel/frame/DataFrame"
import * as FrameFlags from "@millrace/core/kernel/frame/FrameFlags"
import * as FrameType from "@millrace/core/kernel/frame/FrameType"
import { type FrameBuffer, frameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import * as NakFrame from "@millrace/core/kernel/frame/NakFrame"
import * as RttMeasurementFrame from "@millrace/core/kernel/frame/RttMeasurementFrame"
import * as SetupFrame from "@millrace/core/kernel/frame/SetupFrame"
import * as StatusMessageFrame from "@millrace/core/kernel/frame/StatusMessageFrame"
import { any, SocketAddress } from "../../src/channel/SocketAddress.ts"
import type { UdpSocket } from "../../src/media/UdpPort.ts"
import { STREAM } from "../client/HeapClient.ts"
import type { HeapNetwork } from "./HeapNetwork.ts"

export const CHANNEL = "aeron:udp?endpoint=10.0.0.2:40456|term-length=64k"
export const TARGET = new SocketAddress(Uint8Array.of(10, 0, 0, 2), 40_456)
export const SENDER_SOCKET = new SocketAddress(Uint8Array.of(10, 0, 0, 1), 40_000)

export const strangerOf = (world: HeapNetwork): UdpSocket =>
  world.network.host(Uint8Array.of(10, 9, 9, 9)).open({
    local: any(4),
    remote: undefined,
    receiveBufferLength: 0,
    sendBufferLength: 0
  })

/** Sessions that strangers set up. Not that of the stream that is to go on: whoever forges it is believed, in this protocol. */
export const SESSIONS: ReadonlyArray<number> = [11, 12, 13, 14]

/** A frame of one of the types, its fields from small, large, negative and odd values. */
export const randomFrame = (random: () => number): readonly [frame: FrameBuffer, length: number] => {
  const frame = frameBuffer(new Uint8Array(new ArrayBuffer(2048)))
  const of = <A>(values: ReadonlyArray<A>): A => values[Math.floor(random() * values.length)]!
  const int = (): number => of([0, 1, -1, 32, 64, 96, 65_504, 65_536, 2 ** 31 - 32, 2 ** 31 - 1, -(2 ** 31), 7])
  const fill = (): void => {
    const words = new Int32Array(frame.bytes.buffer)
    words.forEach((_, index) => (words[index] = of([0, 1, 5, 32, 64, -64, 2 ** 30])))
  }
  const session = of(SESSIONS)
  const stream = of([STREAM, STREAM, STREAM, 5])
  const flags = of([0, 0x80, 0xc0, 0xe0, 0xf0, 0xff])
  switch (of(["data", "data", "overlap", "overlap", "pad", "setup", "setup", "stream", "status", "nak", "rtt"])) {
    case "stream":
      SetupFrame.write(frame, 0, 0, 0, session, stream, 0, 0, 65_536, 1408, 0)
      return [frame, SetupFrame.HEADER_LENGTH]
    case "overlap": {
      // Of a stream that was set up: frames begin in each other's payloads, and end there.
      const length = of([32, 64, 96, 1024])
      fill()
      DataFrame.write(frame, 0, length, FrameFlags.UNFRAGMENTED, 0, 32 * Math.floor(random() * 64), session, stream)
      return [frame, length]
    }
    case "data":
    case "pad": {
      const length = of([0, 32, 64, 96, 1024, 1408])
      fill()
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

/** Data of a session that nobody has set up. */
export const unsolicitedFrame = (random: () => number): readonly [frame: FrameBuffer, length: number] => {
  const frame = frameBuffer(new Uint8Array(new ArrayBuffer(64)))
  const session = 1000 + Math.floor(random() * 3000)
  DataFrame.write(frame, 0, 64, FrameFlags.UNFRAGMENTED, 0, 0, session, STREAM)
  return [frame, 64]
}

/** Bytes that are no frame, or one that was cut short, or one of which some bits were turned over. */
export const malformedFrame = (random: () => number): readonly [frame: FrameBuffer, length: number] => {
  const [frame, length] = randomFrame(random)
  const below = (limit: number): number => Math.floor(random() * limit)
  switch (below(3)) {
    case 0:
      for (let index = 0; index < length; index++) {
        frame.bytes[index] = below(256)
      }
      return [frame, length]
    case 1:
      return [frame, 1 + below(length - 1)]
    default:
      // Of the header, and not of the session: the streams of others are not forged.
      for (let turned = 1 + below(4); turned > 0; turned--) {
        const index = below(8)
        frame.bytes[index]! ^= 1 << below(8)
      }
      return [frame, length]
  }
}
