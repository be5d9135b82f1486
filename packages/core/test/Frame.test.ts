import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Frame from "../src/Frame.ts"
import type { FrameErrorReason } from "../src/FrameError.ts"
import * as FrameType from "../src/frame/FrameType.ts"
import { readAll } from "./frame/captures.ts"
import { damage } from "./frame/damage.ts"

const equal = Schema.toEquivalence(Frame.Frame)

const nak = Frame.Nak.make({ flags: 0, sessionId: 7, streamId: 1001, termId: 3, termOffset: 64, length: 1408 })

const data = Frame.Data.make({
  flags: 0xc0,
  sessionId: -7,
  streamId: 1001,
  termId: 3,
  termOffset: 64,
  reservedValue: -1n,
  payload: Uint8Array.of(1, 2, 3)
})

const reasonOf = (bytes: Uint8Array): FrameErrorReason => Result.getOrThrow(Result.flip(Frame.decode(bytes))).reason

const changed = (frame: Frame.Frame, at: number, ...values: ReadonlyArray<number>): Uint8Array => {
  const bytes = Frame.encode(frame)
  bytes.set(values, at)
  return bytes
}

describe("Frame", () => {
  it.prop(
    "decodes what it encodes",
    [Frame.Frame],
    ([frame]) => equal(Result.getOrThrow(Frame.decode(Frame.encode(frame))), canonical(frame)),
    { arbitrary: { runs: 2000 } }
  )

  it.prop(
    "refuses a damaged frame with a typed error, or takes it for a different one",
    [Frame.Frame],
    ([frame]) => {
      damage(Frame, Frame.encode(frame))
    },
    { arbitrary: { runs: 60 } }
  )

  it("refuses damaged frames of real drivers with a typed error, or takes them for different ones", () => {
    const seen = new Map<string, Uint8Array>()
    for (const { payload } of readAll()) {
      const key = `${payload.subarray(4, 8).toString()} ${payload.length > 400 ? "long" : payload.length}`
      if (!seen.has(key)) {
        seen.set(key, payload)
      }
    }
    const counts = [...seen.values()].map((payload) => damage(Frame, payload))
    assert.isTrue(seen.size >= 20)
    assert.isTrue(counts.every(({ refused, taken }) => refused > 0 && taken > 0))
  })

  it("keeps what nothing explains, within the frame and behind it", () => {
    const frame = { ...nak, flags: 0x55, extension: Uint8Array.of(1, 2, 3, 4), trailing: Uint8Array.of(0, 0) }
    const bytes = Frame.encode(frame)
    assert.strictEqual(bytes.length, 28 + 4 + 2)
    assert.deepStrictEqual(Result.getOrThrow(Frame.decode(bytes)), frame)
  })

  it("keeps frames of types that no driver knows", () => {
    for (const type of [0x08, 0x09, 0x0a, 0x0c, FrameType.EXT]) {
      const frame = Frame.Unknown.make({ type, flags: 0x81, body: Uint8Array.of(9, 8, 7), trailing: Uint8Array.of(1) })
      assert.deepStrictEqual(Result.getOrThrow(Frame.decode(Frame.encode(frame))), frame)
    }
  })

  it("tells a group tag from other feedback by its length", () => {
    const sm = {
      _tag: "StatusMessage",
      flags: 0,
      sessionId: 1,
      streamId: 2,
      consumptionTermId: 3,
      consumptionTermOffset: 64,
      receiverWindow: 128,
      receiverId: -1n
    } as const
    const tagged = Frame.encode({ ...sm, groupTag: -1n })
    const legacy = Frame.encode({ ...sm, extension: new Uint8Array(4).fill(0xff) })
    assert.deepStrictEqual(Result.getOrThrow(Frame.decode(tagged)), { ...sm, groupTag: -1n })
    assert.deepStrictEqual(Result.getOrThrow(Frame.decode(legacy)), { ...sm, extension: new Uint8Array(4).fill(0xff) })
    assert.throws(() => Frame.StatusMessage.make({ ...sm, extension: new Uint8Array(8) }))
    assert.throws(() => Frame.StatusMessage.make({ ...sm, groupTag: 1n, extension: new Uint8Array(4) }))
  })

  it("gives windows over the input, not copies", () => {
    const bytes = Frame.encode(data)
    const frame = Result.getOrThrow(Frame.decode(bytes))
    bytes[32] = 99
    assert.isTrue(frame._tag === "Data" && frame.payload[0] === 99)
  })

  it("decodes bytes that begin anywhere in their memory", () => {
    const bytes = Frame.encode(data)
    const memory = new Uint8Array(100)
    memory.set(bytes, 3)
    assert.deepStrictEqual(Result.getOrThrow(Frame.decode(memory.subarray(3, 3 + bytes.length))), data)
  })

  it("says why bytes are not a frame", () => {
    assert.deepInclude(reasonOf(new Uint8Array(0)), { _tag: "FrameTooShort", availableBytes: 0, requiredBytes: 8 })
    assert.deepInclude(reasonOf(Frame.encode(nak).subarray(0, 27)), {
      _tag: "FrameTooShort",
      availableBytes: 27,
      requiredBytes: 28
    })
    assert.deepInclude(reasonOf(changed(nak, 4, 1)), { _tag: "UnsupportedVersion", version: 1 })
    assert.deepInclude(reasonOf(changed(nak, 0, 29)), {
      _tag: "InvalidFrameLength",
      frameLength: 29,
      minimum: 28,
      maximum: 28
    })
    assert.deepInclude(reasonOf(changed(data, 0, 255, 255, 255, 255)), {
      _tag: "InvalidFrameLength",
      frameLength: -1,
      minimum: 32,
      maximum: 35
    })
    const entry = { flags: 0, udpPort: 1, ageMs: 0, address: Uint8Array.of(1, 2, 3, 4), name: "alpha" }
    const resolution = Frame.Resolution.make({ flags: 0, entries: [entry, entry] })
    assert.deepInclude(reasonOf(changed(resolution, 32, 7)), { _tag: "InvalidEntry", entryOffset: 32 })
    const error = Frame.Error.make({
      flags: 0,
      sessionId: 1,
      streamId: 2,
      receiverId: 3n,
      groupTag: 0n,
      errorCode: 13,
      text: "reason"
    })
    assert.deepInclude(reasonOf(changed(error, 36, 7)), { _tag: "InvalidTextLength", textLength: 7, maximum: 6 })
  })

  it("refuses a frame that no datagram could carry", () => {
    const bytes = new Uint8Array(70_000)
    new DataView(bytes.buffer).setInt32(0, 65_505, true)
    new DataView(bytes.buffer).setUint16(6, FrameType.DATA, true)
    assert.strictEqual(reasonOf(bytes)._tag, "InvalidFrameLength")
    assert.throws(() => Frame.encode({ ...data, payload: new Uint8Array(65_473) }), "a frame fits a datagram")
  })

  it("throws for a field outside of its range", () => {
    const bad: ReadonlyArray<Frame.Frame> = [
      { ...nak, flags: 256 },
      { ...nak, length: 0x8000_0000 },
      { ...nak, termId: 1.5 },
      { ...data, reservedValue: 0x8000_0000_0000_0000n },
      { ...data, sessionId: Number.NaN },
      { _tag: "Unknown", type: FrameType.NAK, flags: 0, body: new Uint8Array(0) }
    ]
    for (const frame of bad) {
      assert.throws(() => Frame.encode(frame))
      assert.isFalse(Schema.is(Frame.Frame)(frame))
    }
  })

  it("prints the fields, the flags by name and the first bytes", () => {
    assert.strictEqual(
      Frame.format(data),
      "DATA sessionId=-7 streamId=1001 termId=3 termOffset=64 reservedValue=-1 payload=3[010203] flags=BEGIN|END"
    )
    assert.strictEqual(
      Frame.format({ ...data, flags: 0x8f, payload: new Uint8Array(20) }),
      "DATA sessionId=-7 streamId=1001 termId=3 termOffset=64 reservedValue=-1 " +
        `payload=20[${"00".repeat(16)}…] flags=BEGIN|0x0F`
    )
    assert.strictEqual(
      Frame.format(
        Frame.Resolution.make({
          flags: 0,
          entries: [
            { flags: 0x80, udpPort: 8050, ageMs: 0, address: Uint8Array.of(127, 0, 0, 1), name: "alpha" },
            { flags: 0, udpPort: 8051, ageMs: 3, address: new Uint8Array(16), name: 'b"', padding: Uint8Array.of(1) }
          ]
        })
      ),
      'RES entries={name="alpha" address=127.0.0.1 udpPort=8050 ageMs=0 flags=SELF},' +
        '{name="b\\"" address=:: udpPort=8051 ageMs=3 padding=1[01]}'
    )
    assert.strictEqual(
      Frame.format({ _tag: "Unknown", type: 0xffff, flags: 0, body: new Uint8Array(0) }),
      "UNKNOWN type=0xFFFF body=0[]"
    )
  })

  it("tells the end of a stream and a revoked stream", () => {
    const heartbeat = (flags: number) =>
      Frame.Heartbeat.make({ flags, sessionId: 1, streamId: 1, termId: 1, termOffset: 0, reservedValue: 0n })
    assert.deepStrictEqual(
      [0xc0, 0xe0, 0xf0].map((flags) => [
        Frame.isEndOfStream(heartbeat(flags)),
        Frame.isRevoked(heartbeat(flags)),
        Frame.flagNames(heartbeat(flags)).join()
      ]),
      [
        [false, false, "BEGIN,END"],
        [true, false, "BEGIN,END,EOS"],
        [true, true, "BEGIN,END,EOS,REVOKED"]
      ]
    )
    assert.isFalse(Frame.isEndOfStream({ ...data, flags: 0xf0 }))
  })

  it.effect("is a codec between bytes and frames", () =>
    Effect.gen(function* () {
      const bytes = yield* Schema.encodeEffect(Frame.FromBytes)(data)
      assert.deepStrictEqual(bytes, Frame.encode(data))
      assert.deepStrictEqual(yield* Schema.decodeEffect(Frame.FromBytes)(bytes), data)
      const error = yield* Effect.flip(Schema.decodeEffect(Frame.FromBytes)(bytes.subarray(0, 7)))
      assert.include(error.message, "the frame at byte 0 has 7 bytes, at least 8 are needed")
    })
  )

  it.effect("has reasons that are caught one by one", () =>
    Effect.gen(function* () {
      const version = yield* Effect.fromResult(Frame.decode(changed(nak, 4, 9))).pipe(
        Effect.catchReason("FrameError", "UnsupportedVersion", ({ version }) => Effect.succeed(version))
      )
      assert.strictEqual(version, 9)
    })
  )
})

/** A frame as it comes back: alignment bytes behind a name are cut or filled, and left out when they are zero. */
const canonical = (frame: Frame.Frame): Frame.Frame => {
  if (frame._tag !== "Resolution") {
    return frame
  }
  const [first, ...rest] = frame.entries
  return { ...frame, entries: [canonicalEntry(first), ...rest.map(canonicalEntry)] }
}

const canonicalEntry = ({ padding, ...entry }: Frame.ResolutionEntry): Frame.ResolutionEntry => {
  const length = (8 - ((8 + entry.address.length + 2 + entry.name.length) % 8)) % 8
  const filled = new Uint8Array(length)
  filled.set((padding ?? filled).subarray(0, length))
  return filled.some((byte) => byte !== 0) ? { ...entry, padding: filled } : entry
}
