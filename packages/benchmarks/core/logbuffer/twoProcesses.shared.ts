/** What both processes of the benchmark share: one or two logs in a file, and a page of positions behind them. */
import { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import type { Region } from "@millrace/core/kernel/memory/Region"
import { createLog, LOG_LENGTH } from "./benchLog.shared.ts"

export const MESSAGE_LENGTH = 32
export const FILE_LENGTH = 2 * LOG_LENGTH + 4096
/** A reader cleans as much at a time: in a real log the keeper or driver does, and no message waits for it. */
export const CLEAN_LENGTH = 4096
/** Offsets in the page of positions: how far the reader of each log has come. */
export const READER_OFFSET = [0, 64] as const

/** One of the two logs as a region of its own. */
const logRegion = (region: Region, index: number): Region => ({
  state: region.state,
  length: LOG_LENGTH,
  buffer: (offset = 0, length = LOG_LENGTH - offset) => region.buffer(index * LOG_LENGTH + offset, length),
  close: () => region.close()
})

export const createLogs = (region: Region): readonly [LogBuffers, LogBuffers] => [
  createLog(logRegion(region, 0)),
  createLog(logRegion(region, 1))
]

export const openLogs = (region: Region): readonly [LogBuffers, LogBuffers] => [
  new LogBuffers(logRegion(region, 0)),
  new LogBuffers(logRegion(region, 1))
]

export const positions = (region: Region): AtomicBuffer => region.buffer(2 * LOG_LENGTH, 4096)
