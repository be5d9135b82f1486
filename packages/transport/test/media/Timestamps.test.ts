/** When a message was sent or received, in the message. */
import { assert, describe, it } from "@effect/vitest"
import * as DataFrame from "@millrace/core/kernel/frame/DataFrame"
import type { FrameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import { frameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import * as FrameFlags from "@millrace/core/kernel/frame/FrameFlags"
import * as FrameType from "@millrace/core/kernel/frame/FrameType"
import * as HeaderDescriptor from "@millrace/core/kernel/frame/HeaderDescriptor"
import type { Clock } from "@millrace/core/kernel/agent/Clock"
import { EpochNanoClock } from "../../src/media/EpochNanoClock.ts"
import * as Timestamps from "../../src/media/Timestamps.ts"

const SECOND_NS = 1_000_000_000
const NOW_MS = 1_700_000_000_123

const still: Clock = { nanoTime: () => 77, epochMs: () => NOW_MS }
/** What a clock that stands still is taken for: the middle of its millisecond. */
const NOW_NS = BigInt(NOW_MS) * 1_000_000n + 500_000n

const timestamps = (payloadOffset: number): Timestamps.Timestamps | undefined =>
  new Timestamps.TimestampSource(still).at(payloadOffset)

interface Frame {
  readonly payloadLength: number
  readonly flags?: number
  readonly type?: number
}

/** A datagram of these frames at `offset`, whose payloads are of the byte 7. */
const datagramOf = (frames: ReadonlyArray<Frame>, offset: number) => {
  const buffer = frameBuffer(new Uint8Array(4096).fill(7))
  let frameOffset = offset
  const offsets = frames.map(({ flags = FrameFlags.UNFRAGMENTED, payloadLength, type = FrameType.DATA }) => {
    const begin = frameOffset
    DataFrame.write(buffer, begin, DataFrame.HEADER_LENGTH + payloadLength, flags, 5, begin - offset, 1, 2)
    HeaderDescriptor.setType(buffer, begin, type)
    frameOffset += Math.ceil((DataFrame.HEADER_LENGTH + payloadLength) / 32) * 32
    return begin
  })
  return { buffer, offsets, length: frameOffset - offset }
}

const written = (payloadOffset: number, frames: ReadonlyArray<Frame>) => {
  const { buffer, length, offsets } = datagramOf(frames, 64)
  timestamps(payloadOffset)!.write(buffer, 64, length)
  return { buffer, offsets }
}

const timeAt = (buffer: FrameBuffer, offset: number): bigint => buffer.view.getBigInt64(offset, true)
const SEVENS = 0x0707070707070707n

describe("Timestamps", () => {
  it("are nanoseconds at an offset into the payload, or in the reserved value", () => {
    const inPayload = written(16, [{ payloadLength: 24 }])
    assert.strictEqual(timeAt(inPayload.buffer, 64 + 32 + 16), NOW_NS)
    assert.strictEqual(DataFrame.reservedValue(inPayload.buffer, 64), 0n)
    const reserved = written(Timestamps.RESERVED, [{ payloadLength: 0 }])
    assert.strictEqual(DataFrame.reservedValue(reserved.buffer, 64), NOW_NS)
  })

  it("are in every message of a datagram, and in none of its later fragments and padding", () => {
    const { buffer, offsets } = written(8, [
      { payloadLength: 16 },
      { payloadLength: 0, type: FrameType.PAD },
      { payloadLength: 40, flags: FrameFlags.BEGIN },
      { payloadLength: 40, flags: FrameFlags.END },
      { payloadLength: 100 }
    ])
    const times = offsets.map((offset) => timeAt(buffer, offset + DataFrame.HEADER_LENGTH + 8))
    assert.deepStrictEqual([times[0], times[2], times[3], times[4]], [NOW_NS, NOW_NS, SEVENS, NOW_NS])
    assert.strictEqual(DataFrame.termOffset(buffer, offsets[2]!), offsets[2]! - 64)
  })

  it("are left out where they do not fit the frame", () => {
    const { buffer, offsets } = written(8, [{ payloadLength: 15 }, { payloadLength: 16 }])
    const times = offsets.map((offset) => timeAt(buffer, offset + DataFrame.HEADER_LENGTH + 8))
    assert.deepStrictEqual(times, [SEVENS, NOW_NS])
  })

  it("touch nothing outside of the datagram, whatever its frames say", () => {
    const { buffer, length } = datagramOf([{ payloadLength: 32 }], 64)
    HeaderDescriptor.setFrameLength(buffer, 64, 2048)
    timestamps(60)!.write(buffer, 64, length)
    assert.isTrue(buffer.bytes.subarray(64 + 32).every((byte) => byte === 7))
  })

  it("leave set-ups and heartbeats as they are", () => {
    const heartbeat = datagramOf([{ payloadLength: 0 }], 64)
    HeaderDescriptor.setFrameLength(heartbeat.buffer, 64, 0)
    const setup = datagramOf([{ payloadLength: 8, type: FrameType.SETUP }], 64)
    for (const { buffer, length } of [heartbeat, setup]) {
      timestamps(Timestamps.RESERVED)!.write(buffer, 64, length)
      assert.strictEqual(DataFrame.reservedValue(buffer, 64), 0n)
    }
  })

  it("are of one time in datagrams that are sent together", () => {
    const first = datagramOf([{ payloadLength: 32 }, { payloadLength: 32 }], 0)
    timestamps(0)!.writeMany(first.buffer, Int32Array.of(0, 64), Int32Array.of(64, 64), 2)
    assert.deepStrictEqual(
      [32, 96].map((offset) => timeAt(first.buffer, offset)),
      [NOW_NS, NOW_NS]
    )
  })

  it("are none for the offsets that Aeron does not heed", () => {
    for (const offset of [Timestamps.NONE, -2, -7, -9]) {
      assert.strictEqual(timestamps(offset), undefined)
    }
  })
})

describe("EpochNanoClock", () => {
  /** A wall clock of whole milliseconds beside a clock that is read every 130 ns. */
  const running = () => {
    const state = { nowNs: 5 * SECOND_NS, offsetNs: 1_699_999_995_000 * 1e6 + 123_456 }
    const clock: Clock = {
      nanoTime: () => (state.nowNs += 130),
      epochMs: () => Math.floor((state.nowNs + state.offsetNs) / 1e6)
    }
    return { state, clock, epochNs: () => BigInt(state.nowNs) + BigInt(state.offsetNs) }
  }
  const errorOf = (clock: EpochNanoClock, epochNs: () => bigint): number =>
    Math.abs(Number(clock.nanoTime() - epochNs()))

  it("is right to a microsecond from the first time on, and never two readings apart", () => {
    const { clock, epochNs, state } = running()
    const epochNanos = new EpochNanoClock(clock)
    for (let i = 0; i < 1000; i++) {
      state.nowNs += 777_777
      assert.isBelow(errorOf(epochNanos, epochNs), 1000)
    }
  })

  it("follows a wall clock that is set, forward and back", () => {
    const { clock, epochNs, state } = running()
    const epochNanos = new EpochNanoClock(clock)
    for (const jumpNs of [3600e9, -7200e9]) {
      state.offsetNs += jumpNs
      assert.isBelow(errorOf(epochNanos, epochNs), 1e6)
      for (let i = 0; i < 5000; i++) {
        state.nowNs += 777_777
        epochNanos.nanoTime()
      }
      assert.isBelow(errorOf(epochNanos, epochNs), 2000)
    }
  })

  it("takes a clock that stands still for the middle of its millisecond", () => {
    assert.strictEqual(new EpochNanoClock(still).nanoTime(), NOW_NS)
  })
})
