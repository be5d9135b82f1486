/**
 * The time in messages, where a channel asks for it (`channel-snd-ts-offset`, `channel-rcv-ts-offset`): nanoseconds since
 * 1970, 64 bits, little-endian, at an offset into the payload of each frame that begins a message, or in place of its
 * reserved value. A frame that is too short for it is left as it is.
 *
 * Aeron's drivers stamp the first message of a datagram when they send; here each that is in it has the time, since many
 * share one.
 */
import type { Clock } from "@millrace/core/kernel/agent/Clock"
import * as DataFrame from "@millrace/core/kernel/frame/DataFrame"
import * as DatagramScanner from "@millrace/core/kernel/frame/DatagramScanner"
import type { FrameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import * as FrameFlags from "@millrace/core/kernel/frame/FrameFlags"
import * as FrameType from "@millrace/core/kernel/frame/FrameType"
import * as HeaderDescriptor from "@millrace/core/kernel/frame/HeaderDescriptor"
import { EpochNanoClock } from "./EpochNanoClock.ts"

/** The payload offset of a channel that has no times. Other negative offsets mean none either, but are other options. */
export const NONE = -1
/** The payload offset of the reserved value. */
export const RESERVED = DataFrame.RESERVED_VALUE_FIELD_OFFSET - DataFrame.PAYLOAD_OFFSET

const TIME_LENGTH = 8

export class Timestamps {
  /** From the frame on. */
  private readonly frameOffset: number
  private readonly clock: EpochNanoClock

  constructor(payloadOffset: number, clock: EpochNanoClock) {
    this.frameOffset = DataFrame.PAYLOAD_OFFSET + payloadOffset
    this.clock = clock
  }

  /** Stamps the messages of one datagram. One of another kind stays as it is. */
  write(buffer: FrameBuffer, offset: number, length: number): void {
    if (isFrame(buffer, offset, offset + length)) {
      this.stamp(buffer, offset, length, this.clock.nanoTime())
    }
  }

  /** Stamps the messages of datagrams that are sent by one call. */
  writeMany(buffer: FrameBuffer, offsets: Int32Array, lengths: Int32Array, count: number): void {
    const timeNs = this.clock.nanoTime()
    for (let i = 0; i < count; i++) {
      this.stamp(buffer, offsets[i]!, lengths[i]!, timeNs)
    }
  }

  /** The bytes may be those of a log, which its publisher may write: nothing outside of the datagram is touched. */
  private stamp(buffer: FrameBuffer, offset: number, length: number, timeNs: bigint): void {
    const { frameOffset } = this
    const end = offset + length
    let frame = offset
    while (isFrame(buffer, frame, end)) {
      const timeEnd = frameOffset + TIME_LENGTH
      if (
        HeaderDescriptor.type(buffer, frame) === FrameType.DATA &&
        FrameFlags.has(HeaderDescriptor.flags(buffer, frame), FrameFlags.BEGIN) &&
        timeEnd <= HeaderDescriptor.frameLength(buffer, frame) &&
        frame + timeEnd <= end
      ) {
        buffer.view.setBigInt64(frame + frameOffset, timeNs, true)
      }
      frame += DatagramScanner.wireLength(buffer, frame)
    }
  }
}

/** Whether a frame of a term begins there. A heartbeat is none. */
const isFrame = (buffer: FrameBuffer, frame: number, end: number): boolean => {
  if (frame + DataFrame.HEADER_LENGTH > end || HeaderDescriptor.frameLength(buffer, frame) <= 0) {
    return false
  }
  const type = HeaderDescriptor.type(buffer, frame)
  return type === FrameType.DATA || type === FrameType.PAD
}

/** Those of an agent have one clock, which is made for the first of them. */
export class TimestampSource {
  private readonly clock: Clock
  private epochNanos: EpochNanoClock | undefined = undefined

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** Undefined where the offset says that there are none. */
  at(payloadOffset: number): Timestamps | undefined {
    if (payloadOffset !== RESERVED && payloadOffset < 0) {
      return undefined
    }
    this.epochNanos ??= new EpochNanoClock(this.clock)
    return new Timestamps(payloadOffset, this.epochNanos)
  }
}
