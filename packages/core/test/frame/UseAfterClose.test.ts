import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Datagram from "../../src/Datagram.ts"
import * as DataFrame from "../../src/frame/DataFrame.ts"
import * as DatagramScanner from "../../src/frame/DatagramScanner.ts"
import * as ErrorFrame from "../../src/frame/ErrorFrame.ts"
import { frameBuffer, type FrameBuffer } from "../../src/frame/FrameBuffer.ts"
import * as HeaderDescriptor from "../../src/frame/HeaderDescriptor.ts"
import * as NakFrame from "../../src/frame/NakFrame.ts"
import * as PadFrame from "../../src/frame/PadFrame.ts"
import * as ResolutionEntryDescriptor from "../../src/frame/ResolutionEntryDescriptor.ts"
import * as ResolutionFrame from "../../src/frame/ResolutionFrame.ts"
import * as ResponseSetupFrame from "../../src/frame/ResponseSetupFrame.ts"
import * as RttMeasurementFrame from "../../src/frame/RttMeasurementFrame.ts"
import * as SetupFrame from "../../src/frame/SetupFrame.ts"
import * as StatusMessageFrame from "../../src/frame/StatusMessageFrame.ts"
import * as Frame from "../../src/Frame.ts"
import { HeapRegion } from "../../src/memory/HeapRegion.ts"
import { RegionClosed } from "../../src/memory/RegionState.ts"
import * as Mapping from "../../src/native/Mapping.ts"
import { temporaryDirectory } from "@millrace/testkit/temporaryDirectory"

const FLYWEIGHTS = {
  DatagramScanner,
  DataFrame,
  ErrorFrame,
  HeaderDescriptor,
  NakFrame,
  PadFrame,
  ResolutionEntryDescriptor,
  ResolutionFrame,
  ResponseSetupFrame,
  RttMeasurementFrame,
  SetupFrame,
  StatusMessageFrame
} as const

/** Functions of these modules that are given no buffer. */
const WITHOUT_BUFFER: ReadonlySet<unknown> = new Set<unknown>([
  DataFrame.payloadLength,
  ResolutionEntryDescriptor.entryLength,
  ResolutionEntryDescriptor.paddingLength
])

type Flyweight = (buffer: FrameBuffer, offset: number, ...rest: ReadonlyArray<unknown>) => unknown

const flyweights = (): ReadonlyArray<readonly [string, Flyweight]> =>
  Object.entries(FLYWEIGHTS).flatMap(([module, members]) =>
    Object.entries(members).flatMap(([name, member]) =>
      typeof member === "function" && !WITHOUT_BUFFER.has(member)
        ? [[`${module}.${name}`, member as Flyweight] as const]
        : []
    )
  )

/** What follows the offset: lengths for those that check, fields for those that write. */
const restOf = (name: string): ReadonlyArray<unknown> =>
  name === "ResolutionEntryDescriptor.write" ? [0, 1, 1, new Uint8Array(4), "name"] : new Array<number>(9).fill(64)

const LENGTH = 4096

describe("frames in memory that was closed", () => {
  for (const [kind, makeRegion] of [
    ["of heap memory", () => new HeapRegion("frames", LENGTH)],
    ["of a mapped file", () => Mapping.create(join(temporaryDirectory(), "frames"), LENGTH, { reserve: true })]
  ] as const) {
    it(`are refused by every function of every flyweight (${kind})`, () => {
      const region = makeRegion()
      const window = region.buffer()
      region.close()
      assert.isAbove(flyweights().length, 80)
      for (const [name, flyweight] of flyweights()) {
        assert.throws(() => flyweight(window, 0, ...restOf(name)), RegionClosed, undefined, name)
      }
    })
  }

  it("are no frames any more in views that were kept of a mapping", () => {
    const region = Mapping.create(join(temporaryDirectory(), "frames"), LENGTH, { reserve: true })
    const { bytes } = region.buffer()
    DataFrame.write(region.buffer(), 0, 64, 0xc0, 7, 0, 1, 2)
    const kept = bytes.subarray(0, 64)
    const payload = frameBuffer(kept)
    assert.isTrue(Result.isSuccess(Frame.decode(kept)))
    region.close()
    assert.isTrue(Result.isFailure(Frame.decode(kept)))
    assert.isTrue(Result.isFailure(Datagram.decode(kept)))
    assert.throws(() => DataFrame.termId(payload, 0), TypeError)
    assert.throws(() => DataFrame.write(payload, 0, 64, 0xc0, 7, 0, 1, 2), TypeError)
    assert.throws(() => DatagramScanner.validate(payload, 0, 64), TypeError)
  })
})
