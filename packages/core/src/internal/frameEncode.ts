/** From the values of `Frame.ts` to bytes. A field outside of its range would be cut silently, so each is asserted. */
import * as DataFrame from "../frame/DataFrame.ts"
import * as ErrorFrame from "../frame/ErrorFrame.ts"
import { frameBuffer, type FrameBuffer } from "../frame/FrameBuffer.ts"
import * as FrameText from "../frame/FrameText.ts"
import * as FrameType from "../frame/FrameType.ts"
import * as HeaderDescriptor from "../frame/HeaderDescriptor.ts"
import * as NakFrame from "../frame/NakFrame.ts"
import * as PadFrame from "../frame/PadFrame.ts"
import * as ResolutionEntryDescriptor from "../frame/ResolutionEntryDescriptor.ts"
import * as ResolutionFrame from "../frame/ResolutionFrame.ts"
import * as ResponseSetupFrame from "../frame/ResponseSetupFrame.ts"
import * as RttMeasurementFrame from "../frame/RttMeasurementFrame.ts"
import * as SetupFrame from "../frame/SetupFrame.ts"
import * as StatusMessageFrame from "../frame/StatusMessageFrame.ts"
import type { Frame, ResolutionEntry } from "../Frame.ts"
import { assert } from "../memory/Assert.ts"

type OfTag<Tag extends Frame["_tag"]> = Extract<Frame, { readonly _tag: Tag }>

export const encode = (frame: Frame): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(encodedLength(frame))
  write(frame, frameBuffer(bytes), 0)
  return bytes
}

/** Bytes that `write` fills. */
export const encodedLength = (frame: Frame): number =>
  lengthInFrame(frame) + (frame.trailing === undefined ? 0 : frame.trailing.length)

/** Bytes of the frame without what lies behind it. */
const lengthInFrame = (frame: Frame): number => {
  switch (frame._tag) {
    case "Data":
      return DataFrame.HEADER_LENGTH + frame.payload.length
    case "Heartbeat":
      return DataFrame.HEADER_LENGTH
    case "Pad":
      return PadFrame.HEADER_LENGTH
    case "Nak":
      return NakFrame.HEADER_LENGTH + extensionLength(frame)
    case "StatusMessage":
      return frame.groupTag === undefined
        ? StatusMessageFrame.HEADER_LENGTH + extensionLength(frame)
        : StatusMessageFrame.HEADER_LENGTH_WITH_GROUP_TAG
    case "Error":
      return ErrorFrame.HEADER_LENGTH + frame.text.length + extensionLength(frame)
    case "Setup":
      return SetupFrame.HEADER_LENGTH + extensionLength(frame)
    case "RttMeasurement":
      return RttMeasurementFrame.HEADER_LENGTH + extensionLength(frame)
    case "Resolution":
      return ResolutionFrame.HEADER_LENGTH + frame.entries.reduce((length, entry) => length + entryLength(entry), 0)
    case "ResponseSetup":
      return ResponseSetupFrame.HEADER_LENGTH + extensionLength(frame)
    case "Unknown":
      return HeaderDescriptor.MIN_HEADER_LENGTH + frame.body.length
  }
}

const extensionLength = (frame: { readonly extension?: Uint8Array }): number =>
  frame.extension === undefined ? 0 : frame.extension.length

const entryLength = ({ address, name }: ResolutionEntry): number =>
  ResolutionEntryDescriptor.entryLength(address.length, name.length)

/** Writes a frame and the bytes behind it at `offset`. */
export const write = (frame: Frame, buffer: FrameBuffer, offset: number): void => {
  assert(isUint8(frame.flags), "flags are one byte")
  const length = lengthInFrame(frame)
  writeKnown(frame, buffer, offset)
  HeaderDescriptor.setFlags(buffer, offset, frame.flags)
  if (frame._tag !== "Pad" && frame._tag !== "Heartbeat") {
    assert(length <= HeaderDescriptor.MAX_DATAGRAM_LENGTH, "a frame fits a datagram of 65504 bytes")
    HeaderDescriptor.setFrameLength(buffer, offset, length)
  }
  if ("extension" in frame && frame.extension !== undefined) {
    assert(
      frame._tag !== "StatusMessage" || frame.groupTag === undefined,
      "a group tag leaves no place for an extension"
    )
    buffer.bytes.set(frame.extension, offset + length - frame.extension.length)
  }
  if (frame.trailing !== undefined) {
    buffer.bytes.set(frame.trailing, offset + length)
  }
}

/** Writes the part of a frame that its flyweight describes. Flags and frame length are set afterwards. */
const writeKnown = (frame: Frame, buffer: FrameBuffer, offset: number): void => {
  switch (frame._tag) {
    case "Data":
      writeDataHeader(frame, buffer, offset, 0)
      return buffer.bytes.set(frame.payload, offset + DataFrame.PAYLOAD_OFFSET)
    case "Heartbeat":
      return writeDataHeader(frame, buffer, offset, 0)
    case "Pad":
      assert(isInt32(frame.frameLength) && frame.frameLength >= PadFrame.HEADER_LENGTH, "a PAD has 32 bytes at least")
      writeDataHeader(frame, buffer, offset, frame.frameLength)
      return HeaderDescriptor.setType(buffer, offset, FrameType.PAD)
    case "Nak":
      return writeNak(frame, buffer, offset)
    case "StatusMessage":
      return writeStatusMessage(frame, buffer, offset)
    case "Error":
      return writeError(frame, buffer, offset)
    case "Setup":
      return writeSetup(frame, buffer, offset)
    case "RttMeasurement":
      return writeRttMeasurement(frame, buffer, offset)
    case "Resolution":
      return writeResolution(frame, buffer, offset)
    case "ResponseSetup":
      assertInt32(frame.sessionId, frame.streamId, frame.responseSessionId)
      return ResponseSetupFrame.write(buffer, offset, frame.sessionId, frame.streamId, frame.responseSessionId)
    case "Unknown":
      assert(isUint16(frame.type) && !FrameType.isKnown(frame.type), "a known type has a frame of its own")
      HeaderDescriptor.write(buffer, offset, 0, 0, frame.type)
      return buffer.bytes.set(frame.body, offset + HeaderDescriptor.MIN_HEADER_LENGTH)
  }
}

const writeDataHeader = (
  frame: OfTag<"Data" | "Heartbeat" | "Pad">,
  buffer: FrameBuffer,
  offset: number,
  frameLength: number
): void => {
  const { termId, termOffset, sessionId, streamId, reservedValue } = frame
  assertInt32(termId, termOffset, sessionId, streamId)
  assertInt64(reservedValue)
  DataFrame.write(buffer, offset, frameLength, 0, termId, termOffset, sessionId, streamId)
  DataFrame.setReservedValue(buffer, offset, reservedValue)
}

const writeNak = (frame: OfTag<"Nak">, buffer: FrameBuffer, offset: number): void => {
  const { sessionId, streamId, termId, termOffset, length } = frame
  assertInt32(sessionId, streamId, termId, termOffset, length)
  NakFrame.write(buffer, offset, sessionId, streamId, termId, termOffset, length)
}

const writeStatusMessage = (frame: OfTag<"StatusMessage">, buffer: FrameBuffer, offset: number): void => {
  const { sessionId, streamId, consumptionTermId, consumptionTermOffset, receiverWindow, receiverId, groupTag } = frame
  assertInt32(sessionId, streamId, consumptionTermId, consumptionTermOffset, receiverWindow)
  assertInt64(receiverId)
  StatusMessageFrame.write(
    buffer,
    offset,
    0,
    sessionId,
    streamId,
    consumptionTermId,
    consumptionTermOffset,
    receiverWindow,
    receiverId
  )
  if (groupTag !== undefined) {
    assertInt64(groupTag)
    StatusMessageFrame.writeGroupTag(buffer, offset, groupTag)
  }
}

const writeError = (frame: OfTag<"Error">, buffer: FrameBuffer, offset: number): void => {
  const { sessionId, streamId, receiverId, groupTag, errorCode, text } = frame
  assertInt32(sessionId, streamId, errorCode)
  assertInt64(receiverId, groupTag)
  assert(text.length <= ErrorFrame.MAX_TEXT_LENGTH, "an error text has 1023 bytes at most")
  assert(FrameText.isWritable(text), "an error text has characters of one byte each")
  ErrorFrame.write(buffer, offset, sessionId, streamId, receiverId, errorCode, text)
  ErrorFrame.writeGroupTag(buffer, offset, groupTag)
}

const writeSetup = (frame: OfTag<"Setup">, buffer: FrameBuffer, offset: number): void => {
  const { termOffset, sessionId, streamId, initialTermId, activeTermId, termLength, mtu, ttl } = frame
  assertInt32(termOffset, sessionId, streamId, initialTermId, activeTermId, termLength, mtu, ttl)
  SetupFrame.write(
    buffer,
    offset,
    0,
    termOffset,
    sessionId,
    streamId,
    initialTermId,
    activeTermId,
    termLength,
    mtu,
    ttl
  )
}

const writeRttMeasurement = (frame: OfTag<"RttMeasurement">, buffer: FrameBuffer, offset: number): void => {
  const { sessionId, streamId, echoTimestampNs, receptionDeltaNs, receiverId } = frame
  assertInt32(sessionId, streamId)
  assertInt64(echoTimestampNs, receptionDeltaNs, receiverId)
  RttMeasurementFrame.write(buffer, offset, 0, sessionId, streamId, echoTimestampNs, receptionDeltaNs, receiverId)
}

const writeResolution = (frame: OfTag<"Resolution">, buffer: FrameBuffer, offset: number): void => {
  let entryOffset = offset + ResolutionFrame.ENTRIES_OFFSET
  for (const { flags, udpPort, ageMs, address, name, padding } of frame.entries) {
    assert(isUint8(flags), "flags are one byte")
    assert(isUint16(udpPort), "a UDP port is two bytes")
    assertInt32(ageMs)
    assert(FrameText.isWritable(name), "a name has characters of one byte each")
    const end = entryOffset + ResolutionEntryDescriptor.write(buffer, entryOffset, flags, udpPort, ageMs, address, name)
    if (padding !== undefined) {
      const length = ResolutionEntryDescriptor.paddingLength(address.length, name.length)
      buffer.bytes.set(padding.subarray(0, length), end - length)
    }
    entryOffset = end
  }
  ResolutionFrame.write(buffer, offset, entryOffset - offset - ResolutionFrame.ENTRIES_OFFSET)
}

const isUint8 = (value: number): boolean => value === (value & 0xff)
const isUint16 = (value: number): boolean => value === (value & 0xffff)
const isInt32 = (value: number): boolean => value === (value | 0)

const assertInt32 = (...values: ReadonlyArray<number>): void =>
  assert(values.every(isInt32), "ids, offsets and lengths of a frame are 32-bit integers")

const assertInt64 = (...values: ReadonlyArray<bigint>): void =>
  assert(
    values.every((value) => value === BigInt.asIntN(64, value)),
    "receiver ids, tags, timestamps and reserved values are 64-bit integers"
  )
