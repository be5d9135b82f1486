import { assert, describe, it } from "@effect/vitest"
import * as DataFrame from "../../src/frame/DataFrame.ts"
import * as ErrorFrame from "../../src/frame/ErrorFrame.ts"
import { frameBuffer, type FrameBuffer } from "../../src/frame/FrameBuffer.ts"
import * as FrameFault from "../../src/frame/FrameFault.ts"
import * as FrameFlags from "../../src/frame/FrameFlags.ts"
import * as FrameText from "../../src/frame/FrameText.ts"
import * as FrameType from "../../src/frame/FrameType.ts"
import * as HeaderDescriptor from "../../src/frame/HeaderDescriptor.ts"
import * as NakFrame from "../../src/frame/NakFrame.ts"
import * as PadFrame from "../../src/frame/PadFrame.ts"
import * as ResolutionEntryDescriptor from "../../src/frame/ResolutionEntryDescriptor.ts"
import * as ResolutionFrame from "../../src/frame/ResolutionFrame.ts"
import * as ResponseSetupFrame from "../../src/frame/ResponseSetupFrame.ts"
import * as RttMeasurementFrame from "../../src/frame/RttMeasurementFrame.ts"
import * as SetupFrame from "../../src/frame/SetupFrame.ts"
import * as StatusMessageFrame from "../../src/frame/StatusMessageFrame.ts"
import { AtomicBuffer } from "../../src/memory/AtomicBuffer.ts"
import { HeapRegion } from "../../src/memory/HeapRegion.ts"

/** No multiple of 2, 4 or 8, so that every field is misaligned. */
const OFFSET = 13
const INT64_MIN = -0x8000_0000_0000_0000n

const scratch = (): FrameBuffer => frameBuffer(new Uint8Array(2048).fill(0xa5))

describe("flyweights", () => {
  it("read the fields of DATA at any offset", () => {
    const buffer = scratch()
    DataFrame.write(buffer, OFFSET, 132, FrameFlags.UNFRAGMENTED, -7, 65_504, -12_345, 1001)
    DataFrame.setReservedValue(buffer, OFFSET, INT64_MIN)
    assert.deepStrictEqual(
      [
        HeaderDescriptor.frameLength(buffer, OFFSET),
        HeaderDescriptor.version(buffer, OFFSET),
        HeaderDescriptor.flags(buffer, OFFSET),
        HeaderDescriptor.type(buffer, OFFSET),
        DataFrame.termOffset(buffer, OFFSET),
        DataFrame.sessionId(buffer, OFFSET),
        DataFrame.streamId(buffer, OFFSET),
        DataFrame.termId(buffer, OFFSET),
        DataFrame.reservedValue(buffer, OFFSET)
      ],
      [132, 0, 0xc0, FrameType.DATA, 65_504, -12_345, 1001, -7, INT64_MIN]
    )
    assert.strictEqual(DataFrame.payloadLength(132), 100)
  })

  it("set single fields of DATA", () => {
    const buffer = scratch()
    DataFrame.write(buffer, OFFSET, 32, 0, 0, 0, 0, 0)
    DataFrame.setTermOffset(buffer, OFFSET, 64)
    DataFrame.setSessionId(buffer, OFFSET, -1)
    DataFrame.setStreamId(buffer, OFFSET, 10)
    DataFrame.setTermId(buffer, OFFSET, 0x7fff_ffff)
    const expected = scratch()
    DataFrame.write(expected, OFFSET, 32, 0, 0x7fff_ffff, 64, -1, 10)
    assert.deepStrictEqual(buffer.bytes, expected.bytes)
  })

  it("tell heartbeats, the end of a stream and revoked streams apart", () => {
    const told = (frameLength: number, flags: number) => {
      const buffer = scratch()
      DataFrame.write(buffer, OFFSET, frameLength, flags, 1, 0, 1, 1)
      return [
        DataFrame.isHeartbeat(buffer, OFFSET),
        DataFrame.isEndOfStream(buffer, OFFSET),
        DataFrame.isRevoked(buffer, OFFSET)
      ]
    }
    assert.deepStrictEqual(told(0, 0xc0), [true, false, false])
    assert.deepStrictEqual(told(0, 0xe0), [true, true, false])
    assert.deepStrictEqual(told(0, 0xf0), [true, true, true])
    assert.deepStrictEqual(told(32, 0xf0), [false, false, false])
  })

  it("write PAD as DATA of another type", () => {
    const buffer = scratch()
    PadFrame.write(buffer, OFFSET, 4096, FrameFlags.UNFRAGMENTED, 3, 61_440, 7, 1001)
    assert.strictEqual(HeaderDescriptor.type(buffer, OFFSET), FrameType.PAD)
    assert.strictEqual(DataFrame.termOffset(buffer, OFFSET), 61_440)
    assert.strictEqual(PadFrame.validate(buffer, OFFSET, PadFrame.HEADER_LENGTH), 4096)
  })

  it("read the fields of NAK at any offset", () => {
    const buffer = scratch()
    NakFrame.write(buffer, OFFSET, -12_345, 1001, -7, 1408, 2816)
    assert.strictEqual(NakFrame.validate(buffer, OFFSET, NakFrame.HEADER_LENGTH), 28)
    assert.deepStrictEqual(
      [NakFrame.sessionId, NakFrame.streamId, NakFrame.termId, NakFrame.termOffset, NakFrame.length].map((read) =>
        read(buffer, OFFSET)
      ),
      [-12_345, 1001, -7, 1408, 2816]
    )
  })

  it("refuse a NAK for a range that is not in the term", () => {
    const isValid = (termOffset: number, length: number) => {
      const buffer = scratch()
      NakFrame.write(buffer, OFFSET, 1, 1, 1, termOffset, length)
      return NakFrame.isValid(buffer, OFFSET, 65_536)
    }
    assert.isTrue(isValid(0, 65_536))
    assert.isTrue(isValid(65_504, 32))
    assert.isTrue(isValid(64, 0))
    assert.isFalse(isValid(-32, 64))
    assert.isFalse(isValid(65_536, 0))
    assert.isFalse(isValid(16, 32))
    assert.isFalse(isValid(32, -1))
    assert.isFalse(isValid(32, 65_536))
    assert.isFalse(isValid(32, 0x7fff_ffff))
  })

  it("read the misaligned ids of a status message", () => {
    const buffer = scratch()
    StatusMessageFrame.write(buffer, OFFSET, FrameFlags.SM_EOS, 1, 2, 3, 64, 131_072, INT64_MIN)
    assert.isFalse(StatusMessageFrame.hasGroupTag(buffer, OFFSET))
    assert.strictEqual(StatusMessageFrame.validate(buffer, OFFSET, 36), 36)
    StatusMessageFrame.writeGroupTag(buffer, OFFSET, -5_000_000_000n)
    assert.isTrue(StatusMessageFrame.hasGroupTag(buffer, OFFSET))
    assert.strictEqual(StatusMessageFrame.validate(buffer, OFFSET, 44), 44)
    assert.strictEqual(StatusMessageFrame.receiverId(buffer, OFFSET), INT64_MIN)
    assert.strictEqual(StatusMessageFrame.groupTag(buffer, OFFSET), -5_000_000_000n)
    assert.deepStrictEqual(
      [
        StatusMessageFrame.sessionId,
        StatusMessageFrame.streamId,
        StatusMessageFrame.consumptionTermId,
        StatusMessageFrame.consumptionTermOffset,
        StatusMessageFrame.receiverWindow
      ].map((read) => read(buffer, OFFSET)),
      [1, 2, 3, 64, 131_072]
    )
  })

  it("refuse a status message whose consumption or window does not fit the term", () => {
    const isValid = (consumptionTermOffset: number, receiverWindow: number) => {
      const buffer = scratch()
      StatusMessageFrame.write(buffer, OFFSET, 0, 1, 1, 1, consumptionTermOffset, receiverWindow, 1n)
      return StatusMessageFrame.isValid(buffer, OFFSET, 65_536)
    }
    assert.isTrue(isValid(0, 0))
    assert.isTrue(isValid(65_504, 32_768))
    assert.isFalse(isValid(-32, 0))
    assert.isFalse(isValid(65_536, 0))
    assert.isFalse(isValid(8, 0))
    assert.isFalse(isValid(0, -1))
    assert.isFalse(isValid(0, 32_769))
  })

  it("tell text of one byte a character from text that would be written as another", () => {
    assert.isTrue(FrameText.isWritable("caf\u00e9"))
    assert.isFalse(FrameText.isWritable("\u0100"))
    const buffer = scratch()
    FrameText.write(buffer, OFFSET, "\u00e9\u0100", 2)
    assert.strictEqual(FrameText.read(buffer, OFFSET, 2), "\u00e9?")
  })

  it("read the fields of ERR and cut a text that is too long", () => {
    const buffer = scratch()
    assert.strictEqual(ErrorFrame.write(buffer, OFFSET, 1, 2, 3n, 13, "x".repeat(2000)), 40 + 1023)
    assert.strictEqual(ErrorFrame.textLength(buffer, OFFSET), 1023)
    assert.strictEqual(ErrorFrame.write(buffer, OFFSET, 1, 2, INT64_MIN, 13, "no thank you"), 52)
    assert.isFalse(ErrorFrame.hasGroupTag(buffer, OFFSET))
    assert.strictEqual(ErrorFrame.groupTag(buffer, OFFSET), 0n)
    ErrorFrame.writeGroupTag(buffer, OFFSET, 77n)
    assert.isTrue(ErrorFrame.hasGroupTag(buffer, OFFSET))
    assert.strictEqual(ErrorFrame.groupTag(buffer, OFFSET), 77n)
    assert.strictEqual(ErrorFrame.validate(buffer, OFFSET, 52), 52)
    assert.deepStrictEqual(
      [ErrorFrame.sessionId, ErrorFrame.streamId, ErrorFrame.errorCode].map((read) => read(buffer, OFFSET)),
      [1, 2, 13]
    )
    assert.strictEqual(ErrorFrame.receiverId(buffer, OFFSET), INT64_MIN)
    assert.strictEqual(ErrorFrame.text(buffer, OFFSET), "no thank you")
  })

  it("refuse an ERR whose text does not fit", () => {
    const validate = (textLength: number, frameLength: number) => {
      const buffer = scratch()
      ErrorFrame.write(buffer, OFFSET, 1, 2, 3n, 13, "reason")
      buffer.view.setInt32(OFFSET + ErrorFrame.TEXT_LENGTH_FIELD_OFFSET, textLength, true)
      HeaderDescriptor.setFrameLength(buffer, OFFSET, frameLength)
      return ErrorFrame.validate(buffer, OFFSET, 1200)
    }
    assert.strictEqual(validate(6, 46), 46)
    assert.strictEqual(validate(6, 48), 48)
    assert.strictEqual(validate(1023, 1063), 1063)
    assert.strictEqual(validate(-1, 46), FrameFault.TEXT_LENGTH)
    assert.strictEqual(validate(7, 46), FrameFault.TEXT_LENGTH)
    assert.strictEqual(validate(1024, 1200), FrameFault.TEXT_LENGTH)
    assert.strictEqual(validate(0x7fff_ffff, 46), FrameFault.TEXT_LENGTH)
  })

  it("write a question mark for a character that is not one byte", () => {
    const buffer = scratch()
    ErrorFrame.write(buffer, OFFSET, 1, 2, 3n, 13, "é→")
    assert.strictEqual(ErrorFrame.text(buffer, OFFSET), "é?")
  })

  it("read the fields of SETUP at any offset", () => {
    const buffer = scratch()
    SetupFrame.write(buffer, OFFSET, FrameFlags.SETUP_GROUP, 1, 2, 3, 4, 5, 6, 7, 8)
    assert.strictEqual(SetupFrame.validate(buffer, OFFSET, SetupFrame.HEADER_LENGTH), 40)
    assert.deepStrictEqual(
      [
        SetupFrame.termOffset,
        SetupFrame.sessionId,
        SetupFrame.streamId,
        SetupFrame.initialTermId,
        SetupFrame.activeTermId,
        SetupFrame.termLength,
        SetupFrame.mtu,
        SetupFrame.ttl
      ].map((read) => read(buffer, OFFSET)),
      [1, 2, 3, 4, 5, 6, 7, 8]
    )
  })

  it("refuse a SETUP that no image can be made of", () => {
    const isValid = (termLength: number, termOffset: number, mtu: number, initialTermId = 1, activeTermId = 1) => {
      const buffer = scratch()
      SetupFrame.write(buffer, OFFSET, 0, termOffset, 1, 1, initialTermId, activeTermId, termLength, mtu, 0)
      return SetupFrame.isValid(buffer, OFFSET, 65_536, 0x4000_0000)
    }
    assert.isTrue(isValid(65_536, 0, 1408))
    assert.isTrue(isValid(0x4000_0000, 0x4000_0000 - 32, 65_504))
    assert.isFalse(isValid(32_768, 0, 1408))
    assert.isFalse(isValid(65_536 + 32, 0, 1408))
    assert.isFalse(isValid(-0x8000_0000, 0, 1408))
    assert.isFalse(isValid(65_536, -32, 1408))
    assert.isFalse(isValid(65_536, 65_536, 1408))
    assert.isFalse(isValid(65_536, 8, 1408))
    assert.isFalse(isValid(65_536, 0, 0))
    assert.isFalse(isValid(65_536, 0, 32))
    assert.isFalse(isValid(65_536, 0, 1400))
    assert.isFalse(isValid(65_536, 0, 65_536))
    assert.isFalse(isValid(65_536, 0, 1408, 5, 4))
    assert.isTrue(isValid(65_536, 0, 1408, 2 ** 31 - 1, -(2 ** 31)))
  })

  it("read the fields of RTTM at any offset", () => {
    const buffer = scratch()
    RttMeasurementFrame.write(buffer, OFFSET, FrameFlags.RTTM_REPLY, 1, 2, INT64_MIN, -2n, 3n)
    assert.strictEqual(RttMeasurementFrame.validate(buffer, OFFSET, RttMeasurementFrame.HEADER_LENGTH), 40)
    assert.strictEqual(RttMeasurementFrame.sessionId(buffer, OFFSET), 1)
    assert.strictEqual(RttMeasurementFrame.streamId(buffer, OFFSET), 2)
    assert.deepStrictEqual(
      [RttMeasurementFrame.echoTimestampNs, RttMeasurementFrame.receptionDeltaNs, RttMeasurementFrame.receiverId].map(
        (read) => read(buffer, OFFSET)
      ),
      [INT64_MIN, -2n, 3n]
    )
  })

  it("read the fields of RSP_SETUP at any offset", () => {
    const buffer = scratch()
    ResponseSetupFrame.write(buffer, OFFSET, -1, 2, 54_321)
    assert.strictEqual(ResponseSetupFrame.validate(buffer, OFFSET, ResponseSetupFrame.HEADER_LENGTH), 20)
    assert.deepStrictEqual(
      [ResponseSetupFrame.sessionId, ResponseSetupFrame.streamId, ResponseSetupFrame.responseSessionId].map((read) =>
        read(buffer, OFFSET)
      ),
      [-1, 2, 54_321]
    )
  })

  it("read the entries of RES one after the other", () => {
    const buffer = scratch()
    const first = OFFSET + ResolutionFrame.ENTRIES_OFFSET
    const ip4 = Uint8Array.of(127, 0, 0, 1)
    const ip6 = Uint8Array.of(0x20, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9)
    const second = first + ResolutionEntryDescriptor.write(buffer, first, FrameFlags.RES_SELF, 8050, 0, ip4, "alpha")
    const end = second + ResolutionEntryDescriptor.write(buffer, second, 0, 65_535, -1, ip6, "bravo6")
    ResolutionFrame.write(buffer, OFFSET, end - first)
    assert.deepStrictEqual([second - first, end - second], [24, 32])
    assert.strictEqual(ResolutionFrame.validate(buffer, OFFSET, end - OFFSET), 64)
    assert.deepStrictEqual(
      [first, second].map((offset) => [
        ResolutionEntryDescriptor.resolutionType(buffer, offset),
        ResolutionEntryDescriptor.flags(buffer, offset),
        ResolutionEntryDescriptor.udpPort(buffer, offset),
        ResolutionEntryDescriptor.ageMs(buffer, offset),
        ResolutionEntryDescriptor.addressLength(buffer, offset),
        ResolutionEntryDescriptor.name(buffer, offset)
      ]),
      [
        [1, 0x80, 8050, 0, 4, "alpha"],
        [2, 0, 65_535, -1, 16, "bravo6"]
      ]
    )
  })

  it("refuse RES without entries, and entries of no kind, without a name, with a long name or cut off", () => {
    const validate = (change: (buffer: FrameBuffer, entryOffset: number) => void) => {
      const buffer = scratch()
      const entryOffset = OFFSET + ResolutionFrame.ENTRIES_OFFSET
      const length = ResolutionEntryDescriptor.write(buffer, entryOffset, 0, 1, 0, Uint8Array.of(1, 2, 3, 4), "alpha")
      ResolutionFrame.write(buffer, OFFSET, length)
      change(buffer, entryOffset)
      return ResolutionFrame.validate(buffer, OFFSET, 1024)
    }
    const setNameLength = (length: number) => (buffer: FrameBuffer, entryOffset: number) =>
      buffer.view.setInt16(entryOffset + ResolutionEntryDescriptor.NAME_LENGTH_FIELD_OFFSET_IP4, length, true)
    const setType = (type: number) => (buffer: FrameBuffer, entryOffset: number) =>
      buffer.view.setUint8(entryOffset, type)
    const setFrameLength = (length: number) => (buffer: FrameBuffer) =>
      HeaderDescriptor.setFrameLength(buffer, OFFSET, length)
    assert.strictEqual(
      validate(() => {}),
      32
    )
    assert.strictEqual(validate(setFrameLength(8)), FrameFault.ENTRY)
    assert.strictEqual(validate(setFrameLength(31)), FrameFault.ENTRY)
    assert.strictEqual(validate(setFrameLength(33)), FrameFault.ENTRY)
    assert.strictEqual(validate(setFrameLength(7)), FrameFault.FRAME_LENGTH)
    assert.strictEqual(validate(setType(0)), FrameFault.ENTRY)
    assert.strictEqual(validate(setType(2)), FrameFault.ENTRY)
    assert.strictEqual(validate(setType(3)), FrameFault.ENTRY)
    assert.strictEqual(validate(setNameLength(0)), FrameFault.ENTRY)
    assert.strictEqual(validate(setNameLength(-1)), FrameFault.ENTRY)
    assert.strictEqual(validate(setNameLength(513)), FrameFault.ENTRY)
    assert.strictEqual(validate(setNameLength(11)), FrameFault.ENTRY)
  })

  it("take the longest name there can be", () => {
    const buffer = scratch()
    const entryOffset = OFFSET + ResolutionFrame.ENTRIES_OFFSET
    const name = "n".repeat(512)
    const length = ResolutionEntryDescriptor.write(buffer, entryOffset, 0, 1, 0, Uint8Array.of(1, 2, 3, 4), name)
    ResolutionFrame.write(buffer, OFFSET, length)
    assert.strictEqual(ResolutionFrame.validate(buffer, OFFSET, 1024), 8 + 528)
    assert.strictEqual(ResolutionEntryDescriptor.name(buffer, entryOffset), name)
  })

  it("assert the lengths of an address and of a name", () => {
    const write = (address: Uint8Array, name: string) => () =>
      ResolutionEntryDescriptor.write(scratch(), 0, 0, 1, 0, address, name)
    assert.throws(write(new Uint8Array(5), "alpha"), "an address has 4 or 16 bytes")
    assert.throws(write(new Uint8Array(4), ""), "a name has 1 to 512 bytes")
    assert.throws(write(new Uint8Array(4), "n".repeat(513)), "a name has 1 to 512 bytes")
  })

  it("refuse a frame of another version", () => {
    const buffer = scratch()
    NakFrame.write(buffer, OFFSET, 1, 1, 1, 0, 0)
    buffer.view.setUint8(OFFSET + HeaderDescriptor.VERSION_FIELD_OFFSET, 1)
    assert.strictEqual(NakFrame.validate(buffer, OFFSET, 28), FrameFault.VERSION)
    assert.isTrue(FrameFault.isFault(FrameFault.VERSION))
  })

  it("read the words of a term that an appender stores through its atomics", () => {
    const term = new HeapRegion("term", 4096).buffer()
    DataFrame.write(term, 64, 96, FrameFlags.BEGIN, 9, 64, 7, 1001)
    Atomics.store(term.int32, (64 + HeaderDescriptor.FRAME_LENGTH_FIELD_OFFSET) / 4, 128)
    assert.strictEqual(HeaderDescriptor.frameLength(term, 64), 128)
    assert.strictEqual(term.int32[(64 + DataFrame.TERM_ID_FIELD_OFFSET) / 4], 9)
  })

  it("throw instead of reading memory that was taken away", () => {
    const memory = new ArrayBuffer(64)
    const buffer = new AtomicBuffer({ name: "detached", isClosed: false }, memory, 0, 64)
    memory.transfer(0)
    assert.throws(() => HeaderDescriptor.frameLength(buffer, 0), TypeError)
    assert.throws(() => DataFrame.setTermId(buffer, 0, 1), TypeError)
    assert.throws(() => HeaderDescriptor.type(frameBuffer(new Uint8Array(4)), 0), RangeError)
  })
})
