/**
 * Counts what the kernels allocate, in a process of its own: a test runner allocates too. Prints one JSON object of
 * bytes a message. Started with a new space that holds more than an older Node, which counts no total, could miss.
 */
import { getHeapStatistics } from "node:v8"
import { frameBuffer } from "../../src/frame/FrameBuffer.ts"
import { SlabAppender } from "../../src/logbuffer/SlabAppender.ts"
import { BatchReader } from "../../src/logbuffer/BatchReader.ts"
import { ExclusiveTermAppender } from "../../src/logbuffer/ExclusiveTermAppender.ts"
import { FragmentBatch } from "../../src/logbuffer/FragmentBatch.ts"
import type { MessageAppender } from "../../src/logbuffer/MessageAppender.ts"
import { TermAppender } from "../../src/logbuffer/TermAppender.ts"
import * as TermCleaner from "../../src/logbuffer/TermCleaner.ts"
import { scanForGap, TermGap } from "../../src/logbuffer/TermGapScanner.ts"
import * as TermReader from "../../src/logbuffer/TermReader.ts"
import * as TermRebuilder from "../../src/logbuffer/TermRebuilder.ts"
import { scanForAvailability, TermScan } from "../../src/logbuffer/TermScanner.ts"
import { makeLog, TERM_LENGTH } from "./testLog.ts"

/** Terms behind the streams at their start: positions beyond 2^31 are no small integers to the engine. */
const FAR = 3 * 2 ** 20
const FAR_POSITION = FAR * TERM_LENGTH

const count = Number(process.argv[2])

const allocated = (): number => {
  const statistics: { readonly total_allocated_bytes?: number; readonly used_heap_size: number } = getHeapStatistics()
  return statistics.total_allocated_bytes ?? statistics.used_heap_size
}

const perMessage = (run: (messages: number) => void): number => {
  // Until the optimising compiler has seen everything twice, interpreted code boxes its numbers.
  for (let round = 0; round < 10; round++) {
    run(20_000)
  }
  // The least of four runs: compiling in the background allocates once, a kernel that allocates does so each time.
  let least = Infinity
  for (let round = 0; round < 4; round++) {
    const before = allocated()
    run(count / 4)
    least = Math.min(least, (allocated() - before) / (count / 4))
  }
  return least
}

/** A publisher whose log is cleaned behind it, as far as it has a term's end to clean. */
const appending = (make: (log: ReturnType<typeof makeLog>) => MessageAppender) => {
  const log = makeLog({ termCount: FAR })
  const appender = make(log)
  const source = new Uint8Array(64)
  let cleaned = FAR_POSITION
  return (messages: number): void => {
    for (let index = 0; index < messages; index++) {
      // Whole arrays, parts of one, short ones and fragmented ones.
      const length = index % 64
      if (appender.tryAppend(source, 0, length === 0 ? 64 : length) < 0) {
        cleaned = TermCleaner.clean(log, cleaned, appender.position())
      }
    }
  }
}

const batches = (isSlab: boolean) => {
  const log = makeLog({ termCount: FAR })
  const appender = new ExclusiveTermAppender(log)
  const batch = new SlabAppender(appender)
  const slab = new Uint8Array(64 * 32)
  const offsets = Int32Array.from({ length: 64 }, (_, index) => 32 * index)
  const lengths = new Int32Array(64).fill(32)
  const messages = Array.from({ length: 64 }, () => new Uint8Array(32))
  let cleaned = FAR_POSITION
  return (total: number): void => {
    for (let index = 0; index < total; index += 64) {
      const position = isSlab ? batch.appendSlab(slab, offsets, lengths, 0, 64) : batch.appendAll(messages, 0, 64)
      if (position < 0) {
        cleaned = TermCleaner.clean(log, cleaned, appender.position())
      }
    }
  }
}

/** A log whose active term, the first partition, is full of messages of 32 bytes. */
const fullTerm = () => {
  const log = makeLog({ termCount: FAR })
  const appender = new ExclusiveTermAppender(log)
  while (appender.position() < FAR_POSITION + TERM_LENGTH) {
    appender.append(new Uint8Array(32), 0, 32)
  }
  return log
}

const FRAMES_IN_TERM = TERM_LENGTH / 64

const readingFrames = () => {
  const { terms } = fullTerm()
  const cursor = new TermReader.TermCursor()
  let sum = 0
  const handler: Parameters<typeof TermReader.read>[4] = (bytes, offset, length, header) => {
    sum = (sum + bytes[offset]! + length + header.flags) | 0
  }
  return (messages: number): void => {
    for (let index = 0; index < messages; index += FRAMES_IN_TERM) {
      cursor.termOffset = 0
      TermReader.read(terms[0], FAR_POSITION, cursor, Infinity, handler)
    }
    return void sum
  }
}

const readingBatches = () => {
  const reader = new BatchReader(fullTerm(), FAR_POSITION)
  const batch = new FragmentBatch(256)
  return (messages: number): void => {
    let read = 0
    while (read < messages) {
      read += reader.read(batch)
      if (reader.position === FAR_POSITION + TERM_LENGTH) {
        reader.position = FAR_POSITION
      }
    }
  }
}

const scanning = () => {
  const { terms } = fullTerm()
  const scan = new TermScan()
  return (messages: number): void => {
    let offset = 0
    for (let index = 0; index < messages; index += 22) {
      offset = offset + 1408 > TERM_LENGTH ? 0 : offset
      offset += scanForAvailability(terms[0], offset, 1408, scan)
    }
  }
}

const scanningForGaps = () => {
  const { terms } = fullTerm()
  const gap = new TermGap()
  return (messages: number): void => {
    for (let index = 0; index < messages; index += FRAMES_IN_TERM) {
      scanForGap(terms[0], 0, TERM_LENGTH, gap)
    }
  }
}

const rebuilding = () => {
  const packet = frameBuffer(fullTerm().terms[0].bytes)
  const image = makeLog()
  return (messages: number): void => {
    let offset = 0
    for (let index = 0; index < messages; index++) {
      if (offset === TERM_LENGTH) {
        offset = 0
        TermCleaner.clean(image, 0, TERM_LENGTH)
      }
      TermRebuilder.insert(image.terms[0], offset, packet, offset, 64)
      offset += 64
    }
  }
}

console.log(
  JSON.stringify({
    exclusive: perMessage(appending((log) => new ExclusiveTermAppender(log))),
    concurrent: perMessage(appending((log) => new TermAppender(log))),
    slabBatch: perMessage(batches(true)),
    arrayBatch: perMessage(batches(false)),
    termReader: perMessage(readingFrames()),
    batchReader: perMessage(readingBatches()),
    termScanner: perMessage(scanning()),
    gapScanner: perMessage(scanningForGaps()),
    rebuilder: perMessage(rebuilding())
  })
)
