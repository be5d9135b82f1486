import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { frameBuffer } from "../../src/frame/FrameBuffer.ts"
import { BatchReader } from "../../src/logbuffer/BatchReader.ts"
import { ExclusiveTermAppender } from "../../src/logbuffer/ExclusiveTermAppender.ts"
import { COMPLETE, FragmentAssembler } from "../../src/logbuffer/FragmentAssembler.ts"
import { FragmentBatch } from "../../src/logbuffer/FragmentBatch.ts"
import * as FrameDescriptor from "../../src/logbuffer/FrameDescriptor.ts"
import { HeaderWriter } from "../../src/logbuffer/HeaderWriter.ts"
import type { LogBuffers } from "../../src/logbuffer/LogBuffers.ts"
import * as TermGapFiller from "../../src/logbuffer/TermGapFiller.ts"
import { scanForGap, TermGap } from "../../src/logbuffer/TermGapScanner.ts"
import * as TermReader from "../../src/logbuffer/TermReader.ts"
import * as TermRebuilder from "../../src/logbuffer/TermRebuilder.ts"
import { makeLog, message } from "./testLog.ts"

/** What is sent: how long each message is, and which of its frames are lost. */
const Sent = Arbitrary.array(
  Arbitrary.schema(
    Schema.Struct({
      length: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 900 })),
      lost: Schema.Array(Schema.Literals([false, false, false, false, true]))
    })
  ),
  { minLength: 1, maxLength: 50 }
)

const inBatches = (log: LogBuffers): ReadonlyArray<string> => {
  const reader = new BatchReader(log, 0)
  const batch = new FragmentBatch(4)
  const messages: Array<string> = []
  while (reader.read(batch) > 0) {
    for (let index = 0; index < batch.count; index++) {
      messages.push(Buffer.from(batch.message(index)).toString("hex"))
    }
  }
  return messages
}

const inFrames = (log: LogBuffers): ReadonlyArray<string> => {
  const assembler = new FragmentAssembler(1000)
  const messages: Array<string> = []
  TermReader.read(log.terms[0], 0, new TermReader.TermCursor(), Infinity, (bytes, offset, length, header) => {
    if (header.flags === 0xc0) {
      messages.push(Buffer.from(bytes.subarray(offset, offset + length)).toString("hex"))
    } else if (assembler.onFragment(bytes, offset, length, header) === COMPLETE) {
      messages.push(Buffer.from(assembler.bytes.subarray(0, assembler.length)).toString("hex"))
    }
  })
  return messages
}

describe("assembling messages against what was lost", () => {
  it.prop(
    "delivers exactly the messages of which no fragment was given up",
    [Sent],
    ([sent]) => {
      const log = makeLog({ mtuLength: 256 })
      const appender = new ExclusiveTermAppender(log)
      const image = makeLog({ mtuLength: 256 })
      const term = image.terms[0]
      const packet = frameBuffer(log.terms[0].bytes)
      const expected: Array<string> = []
      sent.forEach(({ length, lost }, index) => {
        const bytes = message(index, length)
        let offset = appender.position()
        const end = appender.append(bytes, 0, length)
        let isWhole = true
        for (let frame = 0; offset < end; frame++) {
          const frameLength = FrameDescriptor.alignFrame(FrameDescriptor.frameLengthAcquire(log.terms[0], offset))
          if (lost[frame] === true) {
            isWhole = false
          } else {
            TermRebuilder.insert(term, offset, packet, offset, frameLength)
          }
          offset += frameLength
        }
        if (isWhole) {
          expected.push(Buffer.from(bytes).toString("hex"))
        }
      })
      const gap = new TermGap()
      const header = new HeaderWriter(image.metadata)
      let rebuilt = 0
      while ((rebuilt = scanForGap(term, rebuilt, appender.position(), gap)) < appender.position()) {
        assert.isTrue(TermGapFiller.tryFillGap(header, term, 7, gap.offset, gap.length))
      }
      assert.deepStrictEqual(inBatches(image), expected)
      assert.deepStrictEqual(inFrames(image), expected)
    },
    { arbitrary: { runs: 300, size: 50 } }
  )
})
