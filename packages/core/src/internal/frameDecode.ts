/** From validated bytes to the values of `Frame.ts`. What a frame carries stays a window over the input. */
import * as Result from "effect/Result"
import * as DatagramScanner from "../frame/DatagramScanner.ts"
import * as DataFrame from "../frame/DataFrame.ts"
import * as ErrorFrame from "../frame/ErrorFrame.ts"
import { frameBuffer, type FrameBuffer } from "../frame/FrameBuffer.ts"
import * as FrameFault from "../frame/FrameFault.ts"
import * as FrameType from "../frame/FrameType.ts"
import * as HeaderDescriptor from "../frame/HeaderDescriptor.ts"
import * as NakFrame from "../frame/NakFrame.ts"
import * as ResolutionEntryDescriptor from "../frame/ResolutionEntryDescriptor.ts"
import * as ResolutionFrame from "../frame/ResolutionFrame.ts"
import * as ResponseSetupFrame from "../frame/ResponseSetupFrame.ts"
import * as RttMeasurementFrame from "../frame/RttMeasurementFrame.ts"
import * as SetupFrame from "../frame/SetupFrame.ts"
import * as StatusMessageFrame from "../frame/StatusMessageFrame.ts"
import type { Frame, ResolutionEntry } from "../Frame.ts"
import type { FrameError } from "../FrameError.ts"
import { frameError } from "./frameError.ts"

type OfTag<Tag extends Frame["_tag"]> = Extract<Frame, { readonly _tag: Tag }>

export const decode = (bytes: Uint8Array): Result.Result<Frame, FrameError> => {
  const buffer = frameBuffer(bytes)
  const code = validate(buffer, 0, bytes.length)
  return code < 0
    ? Result.fail(frameError(code, buffer, 0, bytes.length))
    : Result.succeed(frameAt(buffer, 0, bytes.length))
}

/** Checks one frame of any type, unknown ones too. Returns its frame length (0 for a heartbeat) or a fault. */
const validate = (buffer: FrameBuffer, offset: number, available: number): number => {
  const code = DatagramScanner.validateFrame(buffer, offset, available)
  return code === FrameFault.UNKNOWN_TYPE
    ? FrameFault.checkFixedPart(buffer, offset, available, HeaderDescriptor.MIN_HEADER_LENGTH)
    : code
}

/** The frame at `offset`, which was validated before and has `available` bytes, those behind it included. */
export const frameAt = (buffer: FrameBuffer, offset: number, available: number): Frame => {
  const end = offset + available
  switch (HeaderDescriptor.type(buffer, offset)) {
    case FrameType.PAD:
      return withRest(pad(buffer, offset), buffer, offset + DataFrame.HEADER_LENGTH, end)
    case FrameType.DATA:
      return data(buffer, offset, end)
    case FrameType.NAK:
      return withExtension(nak(buffer, offset), buffer, offset, NakFrame.HEADER_LENGTH, end)
    case FrameType.SM:
      return statusMessage(buffer, offset, end)
    case FrameType.ERR: {
      const knownLength = ErrorFrame.HEADER_LENGTH + ErrorFrame.textLength(buffer, offset)
      return withExtension(error(buffer, offset), buffer, offset, knownLength, end)
    }
    case FrameType.SETUP:
      return withExtension(setup(buffer, offset), buffer, offset, SetupFrame.HEADER_LENGTH, end)
    case FrameType.RTTM:
      return withExtension(rttMeasurement(buffer, offset), buffer, offset, RttMeasurementFrame.HEADER_LENGTH, end)
    case FrameType.RES:
      return withRest(resolution(buffer, offset), buffer, frameEnd(buffer, offset), end)
    case FrameType.RSP_SETUP:
      return withExtension(responseSetup(buffer, offset), buffer, offset, ResponseSetupFrame.HEADER_LENGTH, end)
    default:
      return withRest(unknown(buffer, offset), buffer, frameEnd(buffer, offset), end)
  }
}

const frameEnd = (buffer: FrameBuffer, offset: number): number => offset + HeaderDescriptor.frameLength(buffer, offset)

/** Adds what lies between the end of a frame and the end of its bytes. */
const withRest = <F extends Frame>(frame: F, buffer: FrameBuffer, frameEnd: number, end: number): F =>
  frameEnd < end ? { ...frame, trailing: buffer.bytes.subarray(frameEnd, end) } : frame

/** Adds what a frame holds behind its known part, and what lies behind the frame. */
const withExtension = <F extends Frame>(
  frame: F,
  buffer: FrameBuffer,
  offset: number,
  knownLength: number,
  end: number
): F => {
  const stop = frameEnd(buffer, offset)
  const extended =
    offset + knownLength < stop ? { ...frame, extension: buffer.bytes.subarray(offset + knownLength, stop) } : frame
  return withRest(extended, buffer, stop, end)
}

/** The fields behind the common header that DATA, heartbeats and PAD have alike. */
const dataHeader = (buffer: FrameBuffer, offset: number) => ({
  termOffset: DataFrame.termOffset(buffer, offset),
  sessionId: DataFrame.sessionId(buffer, offset),
  streamId: DataFrame.streamId(buffer, offset),
  termId: DataFrame.termId(buffer, offset),
  reservedValue: DataFrame.reservedValue(buffer, offset)
})

const pad = (buffer: FrameBuffer, offset: number): OfTag<"Pad"> => ({
  _tag: "Pad",
  flags: HeaderDescriptor.flags(buffer, offset),
  frameLength: HeaderDescriptor.frameLength(buffer, offset),
  ...dataHeader(buffer, offset)
})

const data = (buffer: FrameBuffer, offset: number, end: number): OfTag<"Data" | "Heartbeat"> => {
  const flags = HeaderDescriptor.flags(buffer, offset)
  const payloadOffset = offset + DataFrame.PAYLOAD_OFFSET
  if (DataFrame.isHeartbeat(buffer, offset)) {
    return withRest({ _tag: "Heartbeat", flags, ...dataHeader(buffer, offset) }, buffer, payloadOffset, end)
  }
  const stop = frameEnd(buffer, offset)
  const payload = buffer.bytes.subarray(payloadOffset, stop)
  return withRest({ _tag: "Data", flags, ...dataHeader(buffer, offset), payload }, buffer, stop, end)
}

const nak = (buffer: FrameBuffer, offset: number): OfTag<"Nak"> => ({
  _tag: "Nak",
  flags: HeaderDescriptor.flags(buffer, offset),
  sessionId: NakFrame.sessionId(buffer, offset),
  streamId: NakFrame.streamId(buffer, offset),
  termId: NakFrame.termId(buffer, offset),
  termOffset: NakFrame.termOffset(buffer, offset),
  length: NakFrame.length(buffer, offset)
})

const statusMessage = (buffer: FrameBuffer, offset: number, end: number): OfTag<"StatusMessage"> => {
  const frame: OfTag<"StatusMessage"> = {
    _tag: "StatusMessage",
    flags: HeaderDescriptor.flags(buffer, offset),
    sessionId: StatusMessageFrame.sessionId(buffer, offset),
    streamId: StatusMessageFrame.streamId(buffer, offset),
    consumptionTermId: StatusMessageFrame.consumptionTermId(buffer, offset),
    consumptionTermOffset: StatusMessageFrame.consumptionTermOffset(buffer, offset),
    receiverWindow: StatusMessageFrame.receiverWindow(buffer, offset),
    receiverId: StatusMessageFrame.receiverId(buffer, offset)
  }
  return StatusMessageFrame.hasGroupTag(buffer, offset)
    ? withRest(
        { ...frame, groupTag: StatusMessageFrame.groupTag(buffer, offset) },
        buffer,
        frameEnd(buffer, offset),
        end
      )
    : withExtension(frame, buffer, offset, StatusMessageFrame.HEADER_LENGTH, end)
}

const error = (buffer: FrameBuffer, offset: number): OfTag<"Error"> => ({
  _tag: "Error",
  flags: HeaderDescriptor.flags(buffer, offset),
  sessionId: ErrorFrame.sessionId(buffer, offset),
  streamId: ErrorFrame.streamId(buffer, offset),
  receiverId: ErrorFrame.receiverId(buffer, offset),
  groupTag: ErrorFrame.groupTag(buffer, offset),
  errorCode: ErrorFrame.errorCode(buffer, offset),
  text: ErrorFrame.text(buffer, offset)
})

const setup = (buffer: FrameBuffer, offset: number): OfTag<"Setup"> => ({
  _tag: "Setup",
  flags: HeaderDescriptor.flags(buffer, offset),
  termOffset: SetupFrame.termOffset(buffer, offset),
  sessionId: SetupFrame.sessionId(buffer, offset),
  streamId: SetupFrame.streamId(buffer, offset),
  initialTermId: SetupFrame.initialTermId(buffer, offset),
  activeTermId: SetupFrame.activeTermId(buffer, offset),
  termLength: SetupFrame.termLength(buffer, offset),
  mtu: SetupFrame.mtu(buffer, offset),
  ttl: SetupFrame.ttl(buffer, offset)
})

const rttMeasurement = (buffer: FrameBuffer, offset: number): OfTag<"RttMeasurement"> => ({
  _tag: "RttMeasurement",
  flags: HeaderDescriptor.flags(buffer, offset),
  sessionId: RttMeasurementFrame.sessionId(buffer, offset),
  streamId: RttMeasurementFrame.streamId(buffer, offset),
  echoTimestampNs: RttMeasurementFrame.echoTimestampNs(buffer, offset),
  receptionDeltaNs: RttMeasurementFrame.receptionDeltaNs(buffer, offset),
  receiverId: RttMeasurementFrame.receiverId(buffer, offset)
})

const resolution = (buffer: FrameBuffer, offset: number): OfTag<"Resolution"> => {
  const end = frameEnd(buffer, offset)
  let entryOffset = offset + ResolutionFrame.ENTRIES_OFFSET
  const entries: [ResolutionEntry, ...Array<ResolutionEntry>] = [resolutionEntry(buffer, entryOffset)]
  entryOffset += ResolutionEntryDescriptor.validate(buffer, entryOffset, end - entryOffset)
  while (entryOffset < end) {
    entries.push(resolutionEntry(buffer, entryOffset))
    entryOffset += ResolutionEntryDescriptor.validate(buffer, entryOffset, end - entryOffset)
  }
  return { _tag: "Resolution", flags: HeaderDescriptor.flags(buffer, offset), entries }
}

const resolutionEntry = (buffer: FrameBuffer, offset: number): ResolutionEntry => {
  const addressOffset = offset + ResolutionEntryDescriptor.ADDRESS_FIELD_OFFSET
  const addressLength = ResolutionEntryDescriptor.addressLength(buffer, offset)
  const nameLength = ResolutionEntryDescriptor.nameLength(buffer, offset)
  const nameEnd = ResolutionEntryDescriptor.nameOffset(buffer, offset) + nameLength
  const padding = buffer.bytes.subarray(
    nameEnd,
    nameEnd + ResolutionEntryDescriptor.paddingLength(addressLength, nameLength)
  )
  const entry: ResolutionEntry = {
    flags: ResolutionEntryDescriptor.flags(buffer, offset),
    udpPort: ResolutionEntryDescriptor.udpPort(buffer, offset),
    ageMs: ResolutionEntryDescriptor.ageMs(buffer, offset),
    address: buffer.bytes.subarray(addressOffset, addressOffset + addressLength),
    name: ResolutionEntryDescriptor.name(buffer, offset)
  }
  return isZero(padding) ? entry : { ...entry, padding }
}

/** Alignment bytes are dropped when they are zero, since encoding writes zeros there. */
export const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)

const responseSetup = (buffer: FrameBuffer, offset: number): OfTag<"ResponseSetup"> => ({
  _tag: "ResponseSetup",
  flags: HeaderDescriptor.flags(buffer, offset),
  sessionId: ResponseSetupFrame.sessionId(buffer, offset),
  streamId: ResponseSetupFrame.streamId(buffer, offset),
  responseSessionId: ResponseSetupFrame.responseSessionId(buffer, offset)
})

const unknown = (buffer: FrameBuffer, offset: number): OfTag<"Unknown"> => ({
  _tag: "Unknown",
  type: HeaderDescriptor.type(buffer, offset),
  flags: HeaderDescriptor.flags(buffer, offset),
  body: buffer.bytes.subarray(offset + HeaderDescriptor.MIN_HEADER_LENGTH, frameEnd(buffer, offset))
})
