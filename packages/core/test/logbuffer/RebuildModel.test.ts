import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { frameBuffer } from "../../src/frame/FrameBuffer.ts"
import { ExclusiveTermAppender } from "../../src/logbuffer/ExclusiveTermAppender.ts"
import * as FrameDescriptor from "../../src/logbuffer/FrameDescriptor.ts"
import * as TermRebuilder from "../../src/logbuffer/TermRebuilder.ts"
import { scanForAvailability, TermScan } from "../../src/logbuffer/TermScanner.ts"
import { scanForGap, TermGap } from "../../src/logbuffer/TermGapScanner.ts"
import { makeLog, message } from "./testLog.ts"

const int = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** What is sent: payload lengths, and 0 to 100 for padding in between. */
const Sent = Arbitrary.array(
  Arbitrary.schema(
    Schema.Union([
      Schema.Struct({ kind: Schema.Literal("message"), length: int(0, 2000) }),
      Schema.Struct({ kind: Schema.Literal("padding"), length: int(0, 100) })
    ])
  ),
  { minLength: 1, maxLength: 60 }
)

/** How the network treats each packet in turn: lost, late, twice. */
const Fates = Arbitrary.array(Arbitrary.schema(Schema.Literals(["pass", "lose", "delay", "duplicate"])), {
  minLength: 1,
  maxLength: 40
})

interface Packet {
  readonly termOffset: number
  readonly bytes: Uint8Array
}

/** Cuts a range of the sender's term into datagrams, as a sender does. */
const packetsOf = (log: ReturnType<typeof makeLog>, begin: number, end: number, mtu: number): Array<Packet> => {
  const scan = new TermScan()
  const packets: Array<Packet> = []
  let offset = begin
  while (offset < end) {
    const available = scanForAvailability(log.terms[0], offset, mtu, scan)
    assert.isAbove(available, 0)
    packets.push({ termOffset: offset, bytes: log.terms[0].bytes.slice(offset, offset + available) })
    offset += available + scan.padding
  }
  return packets
}

describe("rebuilding a term against what was sent", () => {
  it.prop(
    "gives the sender's term under loss, reordering and duplicates, asking again for each gap",
    [Sent, Fates, Schema.Literals([256, 512, 1408])],
    ([sent, fates, mtu]) => {
      const log = makeLog({ mtuLength: 256 })
      const appender = new ExclusiveTermAppender(log)
      for (const { kind, length } of sent) {
        if (appender.remaining() < 4096) {
          break
        }
        if (kind === "message") {
          appender.append(message(length, length), 0, length)
        } else {
          appender.appendPadding(length)
        }
      }
      const end = appender.position()
      const image = makeLog({ mtuLength: 256 })
      const term = image.terms[0]
      const gap = new TermGap()
      const late: Array<Packet> = []
      let packetCount = 0
      let limit = 0
      const arrive = (packet: Packet): void => {
        TermRebuilder.insert(term, packet.termOffset, frameBuffer(packet.bytes), 0, packet.bytes.length)
        limit = Math.max(limit, packet.termOffset + lengthInTerm(packet))
      }
      const transmit = (packets: ReadonlyArray<Packet>, isLossy: boolean): void => {
        for (const packet of packets) {
          const fate = isLossy ? fates[packetCount++ % fates.length]! : "pass"
          if (fate === "delay") {
            late.push(packet)
          } else if (fate !== "lose") {
            arrive(packet)
          }
          if (fate === "duplicate") {
            arrive(packet)
          }
        }
        for (const packet of late.splice(0).toReversed()) {
          arrive(packet)
        }
      }
      transmit(packetsOf(log, 0, end, mtu), true)
      limit = end
      let rebuilt = 0
      for (let round = 0; (rebuilt = scanForGap(term, rebuilt, limit, gap)) < end; round++) {
        assert.isAbove(gap.length, 0)
        assert.isBelow(round, 10_000)
        // A sender resends whole frames from where the gap begins: retransmits may overlap what has arrived.
        transmit(packetsOf(log, gap.offset, gap.offset + gap.length, mtu), round < 100)
      }
      assert.strictEqual(rebuilt, end)
      assert.deepStrictEqual(term.bytes, log.terms[0].bytes)
    },
    { arbitrary: { runs: 300, size: 60 } }
  )
})

/** A PAD at the end of a packet stands for more of the term than it has bytes. */
const lengthInTerm = ({ bytes }: Packet): number => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let offset = 0
  while (offset < bytes.length) {
    offset += FrameDescriptor.alignFrame(view.getInt32(offset, true))
  }
  return offset
}
