/** What lies in a log, frame by frame. */
import * as FrameDescriptor from "../../packages/core/src/logbuffer/FrameDescriptor.ts"
import * as LogBufferDescriptor from "../../packages/core/src/logbuffer/LogBufferDescriptor.ts"
import type { LogBuffers } from "../../packages/core/src/logbuffer/LogBuffers.ts"
import { LogBufferUnblocker } from "../../packages/core/src/logbuffer/LogBufferUnblocker.ts"

/**
 * The frames from `start` on as words: `D72` is data and `P320` padding, each with its frame length; `@` and the position
 * where it goes no further come last.
 */
export const frames = (log: LogBuffers, start: number): string => walk(log, start, () => false)

/** As `frames`, but where a reader would stand still our unblocker is called, as a driver does; `u` says that it acted. */
export const unblocked = (log: LogBuffers, start: number): string => {
  const unblocker = new LogBufferUnblocker(log)
  return walk(log, start, (position) => unblocker.unblock(position))
}

const walk = (log: LogBuffers, start: number, unblock: (position: number) => boolean): string => {
  const words: Array<string> = []
  let position = start
  for (;;) {
    const term = log.terms[LogBufferDescriptor.indexByPosition(position, log.termLength)]!
    const offset = LogBufferDescriptor.computeTermOffset(position, log.termLength)
    const length = FrameDescriptor.frameLengthAcquire(term, offset)
    if (length > 0) {
      words.push(`${FrameDescriptor.isPadding(term, offset) ? "P" : "D"}${length}`)
      position += FrameDescriptor.alignFrame(length)
    } else if (unblock(position)) {
      words.push("u")
    } else {
      return [...words, `@${position}`].join(" ")
    }
  }
}
