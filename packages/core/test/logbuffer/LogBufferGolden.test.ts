import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { frameBuffer } from "../../src/frame/FrameBuffer.ts"
import { BatchReader } from "../../src/logbuffer/BatchReader.ts"
import { FragmentBatch } from "../../src/logbuffer/FragmentBatch.ts"
import * as FrameDescriptor from "../../src/logbuffer/FrameDescriptor.ts"
import { HeaderWriter } from "../../src/logbuffer/HeaderWriter.ts"
import * as LogBufferDescriptor from "../../src/logbuffer/LogBufferDescriptor.ts"
import * as LogBufferMetadata from "../../src/logbuffer/LogBufferMetadata.ts"
import { LogBuffers } from "../../src/logbuffer/LogBuffers.ts"
import { TermAppender } from "../../src/logbuffer/TermAppender.ts"
import * as TermCleaner from "../../src/logbuffer/TermCleaner.ts"
import * as TermGapFiller from "../../src/logbuffer/TermGapFiller.ts"
import { scanForGap, TermGap } from "../../src/logbuffer/TermGapScanner.ts"
import * as TermRebuilder from "../../src/logbuffer/TermRebuilder.ts"
import { HeapRegion } from "../../src/memory/HeapRegion.ts"
import { firstDifference } from "../AeronFiles.ts"
import { bytesOf } from "./testLog.ts"

type Content = (index: number, length: number) => Uint8Array

/** The samples of the C client send a counter and nothing behind it. */
const counter: Content = (index, length) => {
  const bytes = new Uint8Array(length)
  new DataView(bytes.buffer).setBigInt64(0, BigInt(index), true)
  return bytes
}

const counterAndPattern: Content = (index, length) => {
  const bytes = Uint8Array.from({ length }, (_, i) => (index + i) & 0xff)
  new DataView(bytes.buffer).setBigInt64(0, BigInt(index), true)
  return bytes
}

const RUNS = {
  clean: { count: 300, length: 100, content: counter },
  cubic: { count: 50, length: 1000, content: counter },
  lossy: { count: 40, length: 3000, content: counter },
  java: { count: 300, length: 100, content: counterAndPattern },
  "java-lossy": { count: 40, length: 3000, content: counterAndPattern },
  unreliable: { count: 60, length: 1000, content: counterAndPattern },
  "unreliable-java": { count: 60, length: 1000, content: counterAndPattern }
} as const

type Run = keyof typeof RUNS

const PUBLICATIONS = ["clean", "cubic", "lossy", "java", "java-lossy", "unreliable"] as const
const IMAGES = [...PUBLICATIONS, "unreliable-java"] as const

const golden = (name: string): LogBuffers => {
  const url = new URL(`../fixtures/aeron/logbuffer/${name}.logbuffer.gz`, import.meta.url)
  const bytes = gunzipSync(readFileSync(url))
  const region = new HeapRegion(name, bytes.length)
  region.buffer().bytes.set(bytes)
  return new LogBuffers(region)
}

/** The driver has zeroed what every reader passed: where the log begins now. */
const cleanedPosition = (log: LogBuffers): number => {
  let offset = 0
  while (FrameDescriptor.frameLengthAcquire(log.terms[0], offset) === 0) {
    offset += FrameDescriptor.FRAME_ALIGNMENT
  }
  return offset
}

const messagesFrom = (log: LogBuffers, position: number): Array<Uint8Array> => {
  const reader = new BatchReader(log, position)
  const batch = new FragmentBatch(16)
  const messages: Array<Uint8Array> = []
  while (reader.read(batch) > 0) {
    for (let index = 0; index < batch.count; index++) {
      messages.push(Uint8Array.from(batch.message(index)))
    }
  }
  return messages
}

/** Sends the messages of a run into a new log that has the metadata of the golden one at its start. */
const resend = (run: Run, log: LogBuffers): LogBuffers => {
  const fields = LogBufferMetadata.read(log.metadata)
  const copy = LogBuffers.create(new HeapRegion("resent", log.region.length), {
    ...fields,
    tails: LogBufferMetadata.initialTails(fields.initialTermId, fields.initialTermId, 0),
    activeTermCount: 0
  })
  const appender = new TermAppender(copy)
  const { content, count, length } = RUNS[run]
  for (let index = 0; index < count; index++) {
    const bytes = content(index, length)
    while (appender.append(bytes, 0, length) < 0) {
      // The term was full and the log has been rotated.
    }
  }
  return copy
}

describe("golden log buffers", () => {
  for (const name of [...PUBLICATIONS.map((run) => `${run}-publication`), ...IMAGES.map((run) => `${run}-image`)]) {
    it(`writes the metadata page of ${name} byte for byte from its fields`, () => {
      const log = golden(name)
      const page = new HeapRegion("page", LogBufferDescriptor.METADATA_LENGTH).buffer()
      LogBufferMetadata.write(page, LogBufferMetadata.read(log.metadata))
      assert.isUndefined(firstDifference(page.bytes, log.metadata.bytes))
      assert.deepStrictEqual([log.sessionId, log.streamId, log.initialTermId, log.mtuLength], [12345, 1001, 7, 1408])
    })
  }

  for (const run of PUBLICATIONS) {
    it(`appends the messages of ${run} to a file that equals the real publication's`, () => {
      const log = golden(`${run}-publication`)
      const copy = resend(run, log)
      TermCleaner.clean(copy, 0, cleanedPosition(log))
      assert.isUndefined(firstDifference(bytesOf(copy), bytesOf(log)))
    })
  }

  for (const run of ["clean", "cubic", "java"] as const) {
    it(`reads every message of ${run} from the publication and from the image`, () => {
      const { content, count, length } = RUNS[run]
      const sent = Array.from({ length: count }, (_, index) => content(index, length))
      assert.deepStrictEqual(messagesFrom(golden(`${run}-publication`), 0), sent)
      assert.deepStrictEqual(messagesFrom(golden(`${run}-image`), 0), sent)
    })
  }

  for (const run of ["lossy", "java-lossy"] as const) {
    it(`assembles the last messages of ${run} over a padded term end and a rotation`, () => {
      const { content, count, length } = RUNS[run]
      for (const side of ["publication", "image"]) {
        const log = golden(`${run}-${side}`)
        const position = cleanedPosition(log)
        const messages = messagesFrom(log, position)
        // The rest of a message whose beginning was cleaned is dropped: a message takes 3 frames, 3104 bytes.
        assert.isAbove(messages.length, 20)
        const first = count - messages.length
        assert.deepStrictEqual(
          messages,
          Array.from({ length: messages.length }, (_, index) => content(first + index, length))
        )
      }
    })
  }

  it("steps over the pads that a driver put in place of lost frames", () => {
    for (const [run, delivered] of [
      ["unreliable", 54],
      ["unreliable-java", 58]
    ] as const) {
      const { content, length } = RUNS[run]
      const messages = messagesFrom(golden(`${run}-image`), 0)
      assert.strictEqual(messages.length, delivered)
      for (const bytes of messages) {
        const index = Number(new DataView(bytes.buffer).getBigInt64(0, true))
        assert.deepStrictEqual(bytes, content(index, length))
      }
    }
  })

  it("rebuilds the image of the unreliable run from the frames that were not lost", () => {
    const publication = golden("unreliable-publication")
    const image = golden("unreliable-image")
    const rebuilt = LogBuffers.create(new HeapRegion("rebuilt", image.region.length), {
      ...LogBufferMetadata.read(image.metadata)
    })
    const packet = frameBuffer(publication.terms[0].bytes)
    const end = RUNS.unreliable.count * FrameDescriptor.alignFrame(RUNS.unreliable.length + 32)
    for (let offset = 0; offset < end; offset += 1056) {
      if (!isLost(image, offset)) {
        TermRebuilder.insert(rebuilt.terms[0], offset, packet, offset, 1056)
      }
    }
    const gap = new TermGap()
    const header = new HeaderWriter(rebuilt.metadata)
    let rebuiltOffset = 0
    while ((rebuiltOffset = scanForGap(rebuilt.terms[0], rebuiltOffset, end, gap)) < end) {
      TermGapFiller.tryFillGap(header, rebuilt.terms[0], 7, gap.offset, gap.length)
    }
    assert.isUndefined(firstDifference(rebuilt.terms[0].bytes, image.terms[0].bytes))
  })
})

/** True when a pad of the image covers the frame at `offset`. */
const isLost = (image: LogBuffers, offset: number): boolean => {
  let frame = 0
  while (frame < offset) {
    const next = frame + FrameDescriptor.alignFrame(FrameDescriptor.frameLengthAcquire(image.terms[0], frame))
    if (next > offset) {
      return FrameDescriptor.isPadding(image.terms[0], frame)
    }
    frame = next
  }
  return FrameDescriptor.isPadding(image.terms[0], frame)
}
