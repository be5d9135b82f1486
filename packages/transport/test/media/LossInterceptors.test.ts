/** Loss on purpose: what goes is decided by seeds and places, as in Aeron's drivers. */
import * as DataFrame from "@millrace/core/kernel/frame/DataFrame"
import type { FrameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import * as FrameFlags from "@millrace/core/kernel/frame/FrameFlags"
import * as FrameType from "@millrace/core/kernel/frame/FrameType"
import * as HeaderDescriptor from "@millrace/core/kernel/frame/HeaderDescriptor"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import { assert, describe, it } from "@effect/vitest"
import { SocketAddress } from "../../src/channel/SocketAddress.ts"
import * as LossInterceptors from "../../src/media/LossInterceptors.ts"
import * as LossPlan from "../../src/media/LossPlan.ts"
import { Rand48 } from "../../src/media/Rand48.ts"
import type { DatagramHandler, UdpPort } from "../../src/media/UdpPort.ts"

const PEER = new SocketAddress(Uint8Array.of(10, 0, 0, 1), 40_456)
const NOTHING: LossPlan.LossPlan = {
  incoming: [],
  outgoing: [],
  receiveData: { rate: 0, seed: -1n },
  receiveControl: { rate: 0, seed: -1n },
  sendData: { rate: 0, seed: -1n },
  sendControl: { rate: 0, seed: -1n }
}

interface Frame {
  readonly type?: number
  readonly streamId?: number
  readonly termId?: number
  readonly termOffset?: number
  readonly length?: number
}

const write = (buffer: FrameBuffer, frame: Frame): number => {
  const { length = 128, streamId = 1001, termId = 0, termOffset = 0, type = FrameType.DATA } = frame
  DataFrame.write(buffer, 0, length, FrameFlags.UNFRAGMENTED, termId, termOffset, 7, streamId)
  HeaderDescriptor.setType(buffer, 0, type)
  return length
}

/** A socket over which frames arrive, and those that it sent. */
const open = (plan: Partial<LossPlan.LossPlan>, side: "receiver" | "sender" = "receiver") => {
  const buffer = new HeapRegion("frames", 4096).buffer()
  const sent: Array<number> = []
  let arriving = 0
  const port: UdpPort = {
    open: () => ({
      localAddress: PEER,
      descriptor: 7,
      receiveBufferLength: 1,
      sendBufferLength: 2,
      send: (_buffer, _offset, length) => {
        sent.push(length)
        return length
      },
      sendMany: (_buffer, _offsets, lengths, count) => {
        sent.push(...lengths.subarray(0, count))
        return count
      },
      poll: (handler: DatagramHandler) => {
        handler(buffer, 0, arriving, PEER)
        return arriving
      },
      close: () => {}
    })
  }
  const socket = LossInterceptors.wrap(port, { ...NOTHING, ...plan }, () => 12_345).open({
    local: PEER,
    remote: side === "sender" ? PEER : undefined,
    receiveBufferLength: 0,
    sendBufferLength: 0
  })
  const arrives = (frame: Frame): boolean => {
    let isThere = false
    arriving = write(buffer, frame)
    socket.poll(() => (isThere = true), 1)
    return isThere
  }
  return { arrives, buffer, sent, socket }
}

const offsetsLost = (arrives: (frame: Frame) => boolean, frames: ReadonlyArray<Frame>): ReadonlyArray<number> =>
  frames.filter((frame) => !arrives(frame)).map(({ termOffset = 0 }) => termOffset)

const steps = (count: number, length: number, termId = 0): ReadonlyArray<Frame> =>
  Array.from({ length: count }, (_, index) => ({ termOffset: index * length, length, termId }))

describe("Rand48", () => {
  // Each line is what glibc's erand48 gave for the seed as Aeron lays it out.
  it.each([
    [0n, [3.907985046680551e-14, 0.0009853946746503084, 0.04163100159461308, 0.17664264254291595]],
    [42n, [0.8042297363281641, 0.7089016544402753, 0.3138783160477381, 0.773474917933541]],
    [0x1234_5678_9abcn, [0.286599243634722, 0.9343890928194512, 0.5352553825432587, 0.8853462597603254]],
    [-7n, [0.5993061706191085, 0.026029575118005965, 0.6008543529501651, 0.7496183273451145]]
  ])("gives the numbers of erand48 for the seed %s", (seed, expected) => {
    const random = new Rand48(seed)
    assert.deepStrictEqual(
      expected.map(() => random.next()),
      expected
    )
  })
})

describe("loss at random", () => {
  const random = (rate: number, typeMask: number) => open({ incoming: [{ name: "loss", rate, seed: 42n, typeMask }] })

  it("loses the datagrams that Aeron's driver loses with this seed, of the types of the mask", () => {
    const { arrives } = random(0.72, 1 << FrameType.DATA)
    // 0.80, 0.71, 0.31, 0.77 are the seed's numbers. A status message takes none of them.
    assert.deepStrictEqual([{}, {}, { type: FrameType.SM }, {}, {}].map(arrives), [true, false, true, false, true])
  })

  it("loses nothing at a rate of 0, everything at 1", () => {
    assert.deepStrictEqual(steps(5, 128).map(random(0, 0xff).arrives), [true, true, true, true, true])
    assert.deepStrictEqual(steps(5, 128).map(random(1, 0xff).arrives), [false, false, false, false, false])
  })

  it("does the same again with the same seed, and something else with another", () => {
    const outcomes = (seed: bigint) => {
      const { arrives } = open({ receiveData: { rate: 0.5, seed } })
      return steps(64, 128).map(arrives).join()
    }
    assert.strictEqual(outcomes(7n), outcomes(7n))
    assert.notStrictEqual(outcomes(7n), outcomes(8n))
  })

  it("on the receiver's side takes data that comes and control that goes, on the sender's the other way round", () => {
    const all = { rate: 1, seed: 1n }
    for (const [side, plan, isReceived, isSent] of [
      ["receiver", { receiveData: all }, false, true],
      ["receiver", { receiveControl: all }, true, false],
      ["receiver", { sendData: all, sendControl: all }, true, true],
      ["sender", { sendData: all }, true, false],
      ["sender", { sendControl: all }, false, true]
    ] as const) {
      const { arrives, buffer, sent, socket } = open(plan, side)
      assert.strictEqual(arrives({}), isReceived)
      assert.strictEqual(socket.send(buffer, 0, 128, PEER), 128, "what is lost counts as sent")
      assert.strictEqual(sent.length === 1, isSent)
    }
  })

  it("picks among datagrams that are sent together", () => {
    const { buffer, sent, socket } = open({ sendData: { rate: 0.72, seed: 42n } }, "sender")
    write(buffer, {})
    const lengths = Int32Array.of(32, 64, 96, 128)
    assert.strictEqual(socket.sendMany(buffer, Int32Array.of(0, 0, 0, 0), lengths, 4, PEER), 4)
    assert.deepStrictEqual(sent, [32, 128])
  })
})

describe("fixed loss", () => {
  const fixed = { name: "fixed-loss", termId: 3, termOffset: 256, length: 512 } as const

  it("loses each byte of the term up to the end once, whatever the retransmits", () => {
    const { arrives } = open({ incoming: [fixed] })
    const frames = steps(8, 128, 3)
    assert.deepStrictEqual(offsetsLost(arrives, frames), [0, 128, 256, 384, 512, 640])
    assert.deepStrictEqual(offsetsLost(arrives, frames), [])
  })

  it("leaves other terms and other types alone, and knows streams apart", () => {
    const { arrives } = open({ incoming: [fixed] })
    assert.isTrue(arrives({ termId: 4 }))
    assert.isTrue(arrives({ termId: 3, type: FrameType.PAD }))
    assert.isFalse(arrives({ termId: 3, streamId: 1 }))
    assert.isFalse(arrives({ termId: 3, streamId: 2 }))
    assert.isTrue(arrives({ termId: 3, streamId: 2 }))
  })

  it("leaves what is too short for a header to the driver, which counts it", () => {
    const { arrives } = open({ incoming: [fixed] })
    assert.isTrue(arrives({ termId: 3, length: 24 }))
    assert.isTrue(arrives({ termId: 3, length: 4 }))
  })
})

describe("loss of many gaps", () => {
  const gaps = { name: "multi-gap-loss", termId: 0, gapRadix: 1024, gapLength: 256, totalGaps: 2 } as const

  it("loses once what lies in the gap after each multiple of the radix but the first", () => {
    const { arrives } = open({ incoming: [gaps] })
    assert.deepStrictEqual(offsetsLost(arrives, steps(40, 128)), [1024, 1152, 2048, 2176])
    assert.deepStrictEqual(offsetsLost(arrives, steps(40, 128)), [])
  })

  it("loses a datagram that reaches into a gap", () => {
    const { arrives } = open({ incoming: [gaps] })
    assert.deepStrictEqual(offsetsLost(arrives, steps(4, 960)), [960, 1920])
  })
})

describe("LossPlan", () => {
  const given: LossPlan.LossArguments = {
    loss: "rate=0.2|seed=9|recv-msg-mask=0xF",
    "fixed-loss": "term-id=-5|term-offset=0|length=8192",
    "multi-gap-loss": "term-id=0|gap-radix=4000|gap-length=128|total-gaps=100"
  }

  it("reads the interceptors that Aeron's tests name, in their order", () => {
    assert.deepStrictEqual(LossPlan.parseAll("multi-gap-loss,loss,fixed-loss", given), [
      { name: "multi-gap-loss", termId: 0, gapRadix: 4096, gapLength: 128, totalGaps: 100 },
      { name: "loss", rate: 0.2, seed: 9n, typeMask: 15 },
      { name: "fixed-loss", termId: -5, termOffset: 0, length: 8192 }
    ])
  })

  it.each([
    ["loss", ""],
    ["loss", "rate=2"],
    ["loss", "rate=0.2|seed=x"],
    ["loss", "rate=0.2|recv-msg-mask=data"],
    ["fixed-loss", "term-id=1|term-offset=0"],
    ["fixed-loss", "term-id=1|term-offset=-32|length=1"],
    ["multi-gap-loss", "term-id=1|gap-radix=64|gap-length=64|total-gaps=1"],
    ["multi-gap-loss", "gap-radix=64|gap-length=32|total-gaps=1"]
  ] as const)("takes for %s no %j", (name, text) => {
    assert.isUndefined(LossPlan.parse(name, text))
  })

  it("is empty when nothing is lost", () => {
    assert.isTrue(LossPlan.isEmpty(NOTHING))
    assert.isFalse(LossPlan.isEmpty({ ...NOTHING, sendControl: { rate: 0.1, seed: -1n } }))
    assert.isFalse(LossPlan.isEmpty({ ...NOTHING, incoming: LossPlan.parseAll("loss", given) }))
  })
})
