import * as LogBufferDescriptor from "@millrace/core/kernel/logbuffer/LogBufferDescriptor"
import { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import type { Region } from "@millrace/core/kernel/memory/Region"

export const TERM_LENGTH = 1024 * 1024
export const PAGE_SIZE = 4096
export const LOG_LENGTH = LogBufferDescriptor.computeLogLength(TERM_LENGTH, PAGE_SIZE)
/** A message of 32 bytes in a log. */
export const FRAME_LENGTH = 64

export const createLog = (
  region: Region = new HeapRegion("bench", LOG_LENGTH),
  type: number = LogBufferDescriptor.LogType.ExclusivePublication
): LogBuffers =>
  LogBuffers.create(region, {
    correlationId: 1n,
    initialTermId: 0,
    mtuLength: 1408,
    termLength: TERM_LENGTH,
    pageSize: PAGE_SIZE,
    sessionId: 1,
    streamId: 1001,
    type
  })
