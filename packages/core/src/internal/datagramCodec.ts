/** Between a UDP payload and the frames in it. */
import * as Result from "effect/Result"
import type { Datagram } from "../Datagram.ts"
import * as DatagramScanner from "../frame/DatagramScanner.ts"
import * as DataFrame from "../frame/DataFrame.ts"
import { frameBuffer, type FrameBuffer } from "../frame/FrameBuffer.ts"
import * as FrameFault from "../frame/FrameFault.ts"
import * as FrameType from "../frame/FrameType.ts"
import * as HeaderDescriptor from "../frame/HeaderDescriptor.ts"
import type { Frame } from "../Frame.ts"
import type { FrameError } from "../FrameError.ts"
import { align } from "../memory/Alignment.ts"
import * as frameDecode from "./frameDecode.ts"
import * as frameEncode from "./frameEncode.ts"
import { brokenSequence, frameError } from "./frameError.ts"

export const decode = (bytes: Uint8Array): Result.Result<Datagram, FrameError> => {
  const buffer = frameBuffer(bytes)
  const type = bytes.length < HeaderDescriptor.MIN_HEADER_LENGTH ? undefined : HeaderDescriptor.type(buffer, 0)
  if (type === FrameType.DATA || type === FrameType.PAD) {
    return decodeData(buffer, bytes.length)
  }
  return Result.map(frameDecode.decode(bytes), (frame) => ({ frames: [frame] }))
}

const decodeData = (buffer: FrameBuffer, length: number): Result.Result<Datagram, FrameError> => {
  const start = DatagramScanner.validateStart(buffer, 0, length)
  if (start < 0) {
    return Result.fail(frameError(start, buffer, 0, length))
  }
  if (start === 0) {
    return Result.succeed({ frames: [frameDecode.frameAt(buffer, 0, length)] })
  }
  const fault = faultOfSequence(buffer, length)
  if (fault !== undefined) {
    return Result.fail(fault)
  }
  const frames: [Frame, ...Array<Frame>] = [alignedFrameAt(buffer, 0)]
  for (let offset = DatagramScanner.wireLength(buffer, 0); offset < length;) {
    frames.push(alignedFrameAt(buffer, offset))
    offset += DatagramScanner.wireLength(buffer, offset)
  }
  return Result.succeed({ frames })
}

const faultOfSequence = (buffer: FrameBuffer, length: number): FrameError | undefined => {
  let offset = 0
  let covered = 0
  while (offset < length) {
    const code = DatagramScanner.validateNext(buffer, 0, offset, length, covered)
    if (code < 0) {
      return code === FrameFault.SEQUENCE
        ? brokenSequence(offset, DataFrame.termOffset(buffer, 0) + covered)
        : frameError(code, buffer, offset, length - offset)
    }
    covered += code
    offset += DatagramScanner.wireLength(buffer, offset)
  }
  return undefined
}

/** The DATA or PAD frame at `offset`, with its alignment bytes unless they are zero. */
const alignedFrameAt = (buffer: FrameBuffer, offset: number): Frame => {
  const wireLength = DatagramScanner.wireLength(buffer, offset)
  const frameLength = Math.min(HeaderDescriptor.frameLength(buffer, offset), wireLength)
  const alignment = buffer.bytes.subarray(offset + frameLength, offset + wireLength)
  return frameDecode.frameAt(buffer, offset, frameDecode.isZero(alignment) ? frameLength : wireLength)
}

export const encode = ({ frames }: Datagram): Result.Result<Uint8Array<ArrayBuffer>, FrameError> => {
  const bytes = new Uint8Array(frames.reduce((length, frame) => length + lengthInDatagram(frame), 0))
  const buffer = frameBuffer(bytes)
  let offset = 0
  for (const frame of frames) {
    frameEncode.write(frame, buffer, offset)
    offset += lengthInDatagram(frame)
  }
  // What stands behind a frame, or behind the first frame of another type, must not be taken for something else.
  return Result.flatMap(decode(bytes), (decoded) =>
    decoded.frames.length === frames.length
      ? Result.succeed(bytes)
      : Result.fail(brokenSequence(lengthInDatagram(frames[0]), undefined))
  )
}

const lengthInDatagram = (frame: Frame): number => {
  const length = frameEncode.encodedLength(frame)
  return frame._tag === "Data" || frame._tag === "Pad" ? align(length, HeaderDescriptor.FRAME_ALIGNMENT) : length
}
