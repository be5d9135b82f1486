import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Datagram from "../src/Datagram.ts"
import * as Frame from "../src/Frame.ts"
import type { FrameErrorReason } from "../src/FrameError.ts"
import { readAll } from "./frame/captures.ts"
import { damage } from "./frame/damage.ts"

const stream = { flags: 0xc0, sessionId: 7, streamId: 1001, termId: 3, reservedValue: 0n }

const data = (termOffset: number, payloadLength: number): Frame.Frame & { readonly _tag: "Data" } =>
  Frame.Data.make({ ...stream, termOffset, payload: new Uint8Array(payloadLength).fill(0x5a) })

const pad = (termOffset: number, frameLength: number): Frame.Frame =>
  Frame.Pad.make({ ...stream, termOffset, frameLength })

const heartbeat = (flags: number): Frame.Frame => Frame.Heartbeat.make({ ...stream, flags, termOffset: 4096 })

const nak = Frame.Nak.make({ flags: 0, sessionId: 7, streamId: 1001, termId: 3, termOffset: 64, length: 1408 })

const codec = {
  decode: Datagram.decode,
  encode: (datagram: Datagram.Datagram) => Result.getOrThrow(Datagram.encode(datagram))
}

/** Datagrams of DATA that follow each other, often with a PAD in the end. */
const Sequence = Arbitrary.map(
  Arbitrary.all({
    first: Arbitrary.schema(Frame.Data),
    termOffset: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1024 }))),
    payloads: Arbitrary.array(Arbitrary.schema(Schema.Uint8Array), { maxLength: 6 }),
    pad: Arbitrary.schema(Schema.Boolean)
  }),
  ({ first, termOffset, payloads, pad }): Datagram.Datagram => {
    const { trailing: _, ...head } = { ...first, termOffset: termOffset * 32 }
    const frames: [Frame.Frame, ...Array<Frame.Frame>] = [head]
    let end = head.termOffset + aligned(head.payload.length)
    for (const payload of payloads) {
      frames.push({ ...head, termOffset: end, payload })
      end += aligned(payload.length)
    }
    const { payload: __, ...header } = head
    return { frames: pad ? [...frames, { ...header, _tag: "Pad", termOffset: end, frameLength: 4096 }] : frames }
  }
)

const aligned = (payloadLength: number): number => Math.ceil((32 + payloadLength) / 32) * 32

const failure = (result: Result.Result<unknown, { readonly offset: number; readonly reason: FrameErrorReason }>) =>
  Result.getOrThrow(Result.flip(result))

describe("Datagram", () => {
  it.prop(
    "decodes the frames that it encodes",
    [Sequence],
    ([datagram]) => {
      const bytes = codec.encode(datagram)
      assert.strictEqual(bytes.length % 32, 0)
      assert.isTrue(Schema.toEquivalence(Datagram.Datagram)(Result.getOrThrow(Datagram.decode(bytes)), datagram))
    },
    { arbitrary: { runs: 500 } }
  )

  it.prop(
    "decodes a single frame of any other kind",
    [Frame.Frame],
    ([frame]) => {
      const bytes = Frame.encode(frame)
      const result = Datagram.decode(bytes)
      if (frame._tag !== "Data" && frame._tag !== "Pad" && frame._tag !== "Heartbeat") {
        assert.deepStrictEqual(Result.getOrThrow(result).frames, [Result.getOrThrow(Frame.decode(bytes))])
      }
    },
    { arbitrary: { runs: 500 } }
  )

  it.prop(
    "refuses a damaged datagram with a typed error, or takes it for a different one",
    [Sequence],
    ([datagram]) => {
      damage(codec, codec.encode(datagram))
    },
    { arbitrary: { runs: 20 } }
  )

  it("refuses damaged datagrams of real drivers with a typed error, or takes them for different ones", () => {
    const seen = new Map<string, Uint8Array>()
    for (const { payload } of readAll()) {
      const key = `${payload.subarray(4, 8).toString()} ${payload.length}`
      if (payload.length < 1000 && !seen.has(key)) {
        seen.set(key, payload)
      }
    }
    const counts = [...seen.values()].map((payload) => damage(codec, payload))
    assert.isTrue(seen.size >= 20)
    assert.isTrue(counts.every(({ refused }) => refused > 0))
  })

  it("tells data, heartbeats, the end of a stream, revoked streams, control and unknown frames apart", () => {
    const kinds = [
      [data(0, 10)],
      [pad(0, 4096)],
      [heartbeat(0xc0)],
      [heartbeat(0xe0)],
      [heartbeat(0xf0)],
      [nak],
      [Frame.Unknown.make({ type: 0xffff, flags: 0, body: new Uint8Array(4) })]
    ] as const
    assert.deepStrictEqual(
      kinds.map((frames) => Datagram.kind(Result.getOrThrow(Datagram.decode(codec.encode({ frames }))))),
      ["Data", "Data", "Heartbeat", "EndOfStream", "Revoked", "Control", "Unknown"]
    )
  })

  it("leaves out alignment bytes that are zero and keeps others", () => {
    const bytes = codec.encode({ frames: [data(0, 1), data(64, 1)] })
    bytes[127] = 9
    const { frames } = Result.getOrThrow(Datagram.decode(bytes))
    assert.deepStrictEqual(frames[0], data(0, 1))
    assert.deepStrictEqual(frames[1]?.trailing?.length, 31)
    assert.deepStrictEqual(codec.encode({ frames }), bytes)
  })

  it("keeps what follows a control frame as its trailing bytes", () => {
    const bytes = new Uint8Array(56)
    bytes.set(Frame.encode(nak))
    bytes.set(Frame.encode(nak), 28)
    assert.deepStrictEqual(Result.getOrThrow(Datagram.decode(bytes)).frames, [{ ...nak, trailing: Frame.encode(nak) }])
  })

  it("says which frame is bad and where it begins", () => {
    const bytes = codec.encode({ frames: [data(32, 100), data(192, 100)] })
    bytes[160 + 4] = 7
    const version = failure(Datagram.decode(bytes))
    assert.strictEqual(version.offset, 160)
    assert.strictEqual(version.reason._tag, "UnsupportedVersion")
    const cut = failure(Datagram.decode(bytes.subarray(0, 319)))
    assert.strictEqual(cut.offset, 0)
    assert.deepInclude(cut.reason, { _tag: "Misaligned", datagramLength: 319, termOffset: 32 })
  })

  it("refuses to encode frames that do not follow each other or that stand alone", () => {
    const gap = failure(Datagram.encode({ frames: [data(0, 1), data(96, 1)] }))
    assert.strictEqual(gap.offset, 64)
    assert.deepInclude(gap.reason, { _tag: "BrokenSequence", expectedTermOffset: 64 })
    const two = failure(Datagram.encode({ frames: [nak, nak] }))
    assert.strictEqual(two.offset, 28)
    assert.deepInclude(two.reason, { _tag: "BrokenSequence", expectedTermOffset: undefined })
    assert.strictEqual(failure(Datagram.encode({ frames: [data(0, 1), nak] })).reason._tag, "Misaligned")
    assert.strictEqual(
      failure(Datagram.encode({ frames: [pad(0, 4096), data(4096, 1)] })).reason._tag,
      "BrokenSequence"
    )
    const long = { ...data(0, 1), trailing: Frame.encode(data(64, 0)) }
    assert.isTrue(Result.isFailure(Datagram.encode({ frames: [long] })))
  })

  it("prints one line a frame", () => {
    assert.strictEqual(
      Datagram.format({ frames: [data(0, 1), pad(64, 4096)] }),
      "DATA sessionId=7 streamId=1001 termId=3 termOffset=0 reservedValue=0 payload=1[5a] flags=BEGIN|END\n" +
        "PAD sessionId=7 streamId=1001 termId=3 termOffset=64 frameLength=4096 reservedValue=0 flags=BEGIN|END"
    )
  })
})
