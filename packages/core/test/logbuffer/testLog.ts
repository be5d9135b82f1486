/** Logs of heap memory for the tests of the log buffer kernels, and the messages that go into them. */
import * as LogBufferDescriptor from "../../src/logbuffer/LogBufferDescriptor.ts"
import type { NewLog } from "../../src/logbuffer/LogBufferMetadata.ts"
import { initialTails } from "../../src/logbuffer/LogBufferMetadata.ts"
import { LogBuffers } from "../../src/logbuffer/LogBuffers.ts"
import { HeapRegion } from "../../src/memory/HeapRegion.ts"

export const SESSION_ID = -77
export const STREAM_ID = 1001
export const TERM_LENGTH = LogBufferDescriptor.TERM_LENGTH_MIN

export interface TestLog extends Partial<NewLog> {
  /** Terms that the stream has behind it already. Default 0. */
  readonly termCount?: number
  /** Where in its term the stream begins. Default 0. */
  readonly termOffset?: number
}

/** A log of 64 KiB terms and fragments of 224 bytes, unless said otherwise. */
export const makeLog = (options: TestLog = {}): LogBuffers => {
  const { termCount = 0, termOffset = 0, ...fields } = options
  const termLength = fields.termLength ?? TERM_LENGTH
  const initialTermId = fields.initialTermId ?? 7
  const pageSize = fields.pageSize ?? LogBufferDescriptor.PAGE_SIZE_MIN
  const region = new HeapRegion("log", LogBufferDescriptor.computeLogLength(termLength, pageSize))
  return LogBuffers.create(region, {
    correlationId: 1n,
    initialTermId,
    mtuLength: 256,
    termLength,
    pageSize,
    sessionId: SESSION_ID,
    streamId: STREAM_ID,
    type: LogBufferDescriptor.LogType.ConcurrentPublication,
    tails: initialTails(initialTermId, (initialTermId + termCount) | 0, termOffset),
    activeTermCount: termCount,
    ...fields
  })
}

/** Another view of the same memory, as another thread would make it. */
export const viewOf = (log: LogBuffers): LogBuffers =>
  new LogBuffers(new HeapRegion("view", (log.region as HeapRegion).memory))

/** `length` bytes that differ from message to message and from byte to byte. */
export const message = (seed: number, length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => (seed * 31 + index * 7 + 1) & 0xff)

/** The file of a whole log. */
export const bytesOf = (log: LogBuffers): Uint8Array => Uint8Array.from(log.region.buffer(0, log.region.length).bytes)

/** What a call throws, for assertions about tagged classes. */
export const thrownBy = (run: () => unknown): unknown => {
  try {
    run()
  } catch (error) {
    return error
  }
  throw new Error("nothing was thrown")
}
