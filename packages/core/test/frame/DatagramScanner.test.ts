import { assert, describe, it } from "@effect/vitest"
import * as DatagramScanner from "../../src/frame/DatagramScanner.ts"
import * as DataFrame from "../../src/frame/DataFrame.ts"
import { frameBuffer, type FrameBuffer } from "../../src/frame/FrameBuffer.ts"
import * as FrameFault from "../../src/frame/FrameFault.ts"
import * as FrameType from "../../src/frame/FrameType.ts"
import * as HeaderDescriptor from "../../src/frame/HeaderDescriptor.ts"
import * as NakFrame from "../../src/frame/NakFrame.ts"
import * as PadFrame from "../../src/frame/PadFrame.ts"
import * as StatusMessageFrame from "../../src/frame/StatusMessageFrame.ts"

const TERM_ID = 3
const SESSION_ID = 12_345
const STREAM_ID = 1001

/** A datagram of `length` bytes somewhere in memory that holds more, as a receive buffer does. */
const OFFSET = 5
const datagram = (length: number): FrameBuffer => frameBuffer(new Uint8Array(OFFSET + length).fill(0xff, 0, OFFSET))

const data = (buffer: FrameBuffer, at: number, frameLength: number, termOffset: number): void =>
  DataFrame.write(buffer, OFFSET + at, frameLength, 0xc0, TERM_ID, termOffset, SESSION_ID, STREAM_ID)

const pad = (buffer: FrameBuffer, at: number, frameLength: number, termOffset: number): void =>
  PadFrame.write(buffer, OFFSET + at, frameLength, 0xc0, TERM_ID, termOffset, SESSION_ID, STREAM_ID)

const scan = (length: number, fill: (buffer: FrameBuffer) => void): number => {
  const buffer = datagram(length)
  fill(buffer)
  return DatagramScanner.validate(buffer, OFFSET, length)
}

describe("DatagramScanner", () => {
  it("gives the bytes of the term that DATA covers", () => {
    assert.strictEqual(
      scan(256, (buffer) => {
        data(buffer, 0, 132, 4096)
        data(buffer, 160, 33, 4256)
        data(buffer, 224, 32, 4320)
      }),
      256
    )
  })

  it("counts the whole filling of a PAD, of which only the header is sent", () => {
    assert.strictEqual(
      scan(96, (buffer) => {
        data(buffer, 0, 64, 1024)
        pad(buffer, 64, 64_448, 1088)
      }),
      64 + 64_448
    )
    assert.strictEqual(
      scan(32, (buffer) => pad(buffer, 0, 4096, 0)),
      4096
    )
  })

  it("takes frames behind a PAD that is a header and nothing else", () => {
    assert.strictEqual(
      scan(96, (buffer) => {
        pad(buffer, 0, 32, 0)
        data(buffer, 32, 64, 32)
      }),
      96
    )
  })

  it("refuses frames behind a PAD that fills more", () => {
    assert.strictEqual(
      scan(128, (buffer) => {
        pad(buffer, 0, 64, 0)
        data(buffer, 64, 64, 64)
      }),
      FrameFault.SEQUENCE
    )
  })

  it("gives 0 for a heartbeat and refuses anything behind it", () => {
    assert.strictEqual(
      scan(32, (buffer) => data(buffer, 0, 0, 4096)),
      0
    )
    assert.strictEqual(
      scan(64, (buffer) => {
        data(buffer, 0, 0, 4096)
        data(buffer, 32, 32, 4096)
      }),
      FrameFault.FRAME_LENGTH
    )
  })

  it("refuses a heartbeat among DATA, and a PAD without length", () => {
    assert.strictEqual(
      scan(64, (buffer) => {
        data(buffer, 0, 32, 0)
        data(buffer, 32, 0, 32)
      }),
      FrameFault.FRAME_LENGTH
    )
    assert.strictEqual(
      scan(32, (buffer) => pad(buffer, 0, 0, 0)),
      FrameFault.FRAME_LENGTH
    )
  })

  it("refuses DATA that is shorter than its header or longer than the datagram", () => {
    for (const frameLength of [-1, -32, 1, 31, 65, 0x7fff_ffff, -0x8000_0000]) {
      assert.strictEqual(
        scan(64, (buffer) => data(buffer, 0, frameLength, 0)),
        FrameFault.FRAME_LENGTH
      )
    }
  })

  it("refuses a datagram of DATA that is not aligned", () => {
    assert.strictEqual(
      scan(132, (buffer) => data(buffer, 0, 132, 0)),
      FrameFault.ALIGNMENT
    )
    assert.strictEqual(
      scan(160, (buffer) => data(buffer, 0, 132, 8)),
      FrameFault.ALIGNMENT
    )
    assert.strictEqual(
      scan(160, (buffer) => data(buffer, 0, 132, -32)),
      FrameFault.ALIGNMENT
    )
  })

  it("refuses a gap and an overlap between frames", () => {
    for (const termOffset of [0, 32, 96, 128]) {
      assert.strictEqual(
        scan(128, (buffer) => {
          data(buffer, 0, 64, 0)
          data(buffer, 64, 64, termOffset)
        }),
        FrameFault.SEQUENCE
      )
    }
  })

  it("refuses a frame of another session, stream, term or type among DATA", () => {
    const changes: ReadonlyArray<(buffer: FrameBuffer, offset: number) => void> = [
      (buffer, offset) => DataFrame.setSessionId(buffer, offset, 1),
      (buffer, offset) => DataFrame.setStreamId(buffer, offset, 1),
      (buffer, offset) => DataFrame.setTermId(buffer, offset, 1),
      (buffer, offset) => HeaderDescriptor.setType(buffer, offset, FrameType.SETUP)
    ]
    for (const change of changes) {
      assert.strictEqual(
        scan(128, (buffer) => {
          data(buffer, 0, 64, 0)
          data(buffer, 64, 64, 64)
          change(buffer, OFFSET + 64)
        }),
        FrameFault.SEQUENCE
      )
    }
  })

  it("refuses a frame of another version among DATA", () => {
    assert.strictEqual(
      scan(128, (buffer) => {
        data(buffer, 0, 64, 0)
        data(buffer, 64, 64, 64)
        buffer.view.setUint8(OFFSET + 64 + HeaderDescriptor.VERSION_FIELD_OFFSET, 1)
      }),
      FrameFault.VERSION
    )
  })

  it("takes other frames one a datagram and ignores what follows them", () => {
    assert.strictEqual(
      scan(40, (buffer) => NakFrame.write(buffer, OFFSET, 1, 2, 3, 64, 128)),
      28
    )
  })

  it("refuses a control frame whose length is shorter than its fields", () => {
    assert.strictEqual(
      scan(36, (buffer) => {
        StatusMessageFrame.write(buffer, OFFSET, 0, 1, 2, 3, 64, 128, 5n)
        HeaderDescriptor.setFrameLength(buffer, OFFSET, 0)
      }),
      FrameFault.FRAME_LENGTH
    )
  })

  it("refuses less than a header and every type that no open driver knows", () => {
    for (const length of [0, 1, 7]) {
      assert.strictEqual(
        scan(length, () => {}),
        FrameFault.TOO_SHORT
      )
    }
    for (const type of [0x08, 0x09, 0x0a, 0x0c, 0x7fff, 0x8000, FrameType.EXT]) {
      assert.strictEqual(
        scan(64, (buffer) => HeaderDescriptor.write(buffer, OFFSET, 64, 0, type)),
        FrameFault.UNKNOWN_TYPE
      )
    }
  })

  it("walks the frames of a datagram by the bytes that they take in it", () => {
    const buffer = datagram(224)
    data(buffer, 0, 132, 0)
    data(buffer, 160, 32, 160)
    pad(buffer, 192, 1024, 192)
    assert.deepStrictEqual(
      [0, 160, 192].map((at) => DatagramScanner.wireLength(buffer, OFFSET + at)),
      [160, 32, 32]
    )
  })
})
