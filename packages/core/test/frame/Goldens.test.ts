import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Datagram from "../../src/Datagram.ts"
import * as Frame from "../../src/Frame.ts"
import * as DatagramScanner from "../../src/frame/DatagramScanner.ts"
import { frameBuffer } from "../../src/frame/FrameBuffer.ts"
import { readAll, readRun, runs } from "./captures.ts"
import * as dissectors from "./dissectors.ts"

describe("captured datagrams", () => {
  it.each(runs)("decode to the fields that Wireshark and Aeron print, and encode to the same bytes: %s", (run) => {
    for (const { n, payload, wireshark, aeron } of readRun(run)) {
      const datagram = Result.getOrThrow(Datagram.decode(payload))
      assert.deepStrictEqual(datagram.frames.flatMap(dissectors.wireshark), wireshark, `datagram ${n} of ${run}`)
      assert.deepStrictEqual(datagram.frames.flatMap(dissectors.aeron), aeron, `datagram ${n} of ${run}`)
      assert.deepStrictEqual(Result.getOrThrow(Datagram.encode(datagram)), payload, `datagram ${n} of ${run}`)
    }
  })

  it("are all there, of every frame type and of every kind", () => {
    const frames = new Map<string, number>()
    const kinds = new Map<string, number>()
    const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
    for (const { payload } of readAll()) {
      const datagram = Result.getOrThrow(Datagram.decode(payload))
      count(kinds, Datagram.kind(datagram))
      datagram.frames.forEach((frame) => count(frames, frame._tag))
    }
    assert.deepStrictEqual(Object.fromEntries(frames), {
      Data: 1480,
      Heartbeat: 495,
      Pad: 4,
      Nak: 125,
      StatusMessage: 358,
      Error: 78,
      Setup: 27,
      RttMeasurement: 280,
      Resolution: 212,
      ResponseSetup: 2
    })
    assert.deepStrictEqual(Object.fromEntries(kinds), {
      Data: 753,
      Heartbeat: 169,
      EndOfStream: 297,
      Revoked: 29,
      Control: 1082
    })
  })

  it("pass the scanner that a driver uses", () => {
    for (const { run, n, payload } of readAll()) {
      assert.isTrue(DatagramScanner.validate(frameBuffer(payload), 0, payload.length) >= 0, `datagram ${n} of ${run}`)
    }
  })

  it("of one frame decode alike as a frame", () => {
    for (const { payload } of readAll()) {
      const { frames } = Result.getOrThrow(Datagram.decode(payload))
      if (frames.length === 1 && frames[0]._tag !== "Data") {
        assert.deepStrictEqual(Result.getOrThrow(Frame.decode(payload)), frames[0])
      }
    }
  })

  it("keep the alignment bytes that the Java driver leaves behind a name", () => {
    const paddings = readRun("resolver").flatMap(({ payload }) =>
      Result.getOrThrow(Datagram.decode(payload)).frames.flatMap((frame) =>
        frame._tag === "Resolution" ? frame.entries.flatMap(({ padding }) => padding ?? []) : []
      )
    )
    assert.isTrue(paddings.length > 0)
  })
})
