import { BatchReader } from "@millrace/core/kernel/logbuffer/BatchReader"
import { ExclusiveTermAppender } from "@millrace/core/kernel/logbuffer/ExclusiveTermAppender"
import { FragmentBatch } from "@millrace/core/kernel/logbuffer/FragmentBatch"
import type { FragmentHandler } from "@millrace/core/kernel/logbuffer/FragmentHeader"
import { frameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import { scanForGap, TermGap } from "@millrace/core/kernel/logbuffer/TermGapScanner"
import * as TermReader from "@millrace/core/kernel/logbuffer/TermReader"
import * as TermRebuilder from "@millrace/core/kernel/logbuffer/TermRebuilder"
import { scanForAvailability, TermScan } from "@millrace/core/kernel/logbuffer/TermScanner"
import { group } from "#harness/Group"
import { createLog, FRAME_LENGTH, TERM_LENGTH } from "./benchLog.shared.ts"

const FRAMES = TERM_LENGTH / FRAME_LENGTH

/** A log whose first term is full of messages of 32 bytes. */
const fullLog = () => {
  const log = createLog()
  const appender = new ExclusiveTermAppender(log)
  const message = new Uint8Array(32).fill(1)
  while (appender.position() < TERM_LENGTH) {
    appender.append(message, 0, 32)
  }
  return log
}

let checksum = 0

const handler: FragmentHandler = (bytes, offset, length, header) => {
  checksum = (checksum + bytes[offset]! + length + header.flags) | 0
}

const batches = (isOwned: boolean) => () => {
  const reader = new BatchReader(fullLog(), 0)
  const batch = new FragmentBatch(1024)
  return {
    run: (count: number) => {
      let done = 0
      while (done < count) {
        const read = reader.read(batch)
        const { buffer, lengths, offsets } = isOwned ? batch.toOwned() : batch
        for (let index = 0; index < read; index++) {
          checksum = (checksum + buffer[offsets[index]!]! + lengths[index]!) | 0
        }
        done += read
        if (reader.position === TERM_LENGTH) {
          reader.position = 0
        }
      }
    }
  }
}

export default group("core/logbuffer/Reader", {
  baseline: "bare-loop",
  cases: {
    "bare-loop": {
      bytes: 32,
      open: () => {
        const words = fullLog().terms[0].int32
        return {
          run: (count) => {
            for (let done = 0; done < count; done += FRAMES) {
              let offset = 0
              while (offset < TERM_LENGTH) {
                const length = words[offset >>> 2]!
                checksum = (checksum + length + words[(offset >>> 2) + 8]!) | 0
                offset += (length + 31) & ~31
              }
            }
          }
        }
      }
    },
    frames: {
      bytes: 32,
      allocation: true,
      goal: "15 ns or less",
      open: () => {
        const term = fullLog().terms[0]
        const cursor = new TermReader.TermCursor()
        return {
          run: (count) => {
            for (let done = 0; done < count; done += FRAMES) {
              cursor.termOffset = 0
              TermReader.read(term, 0, cursor, Infinity, handler)
            }
          }
        }
      }
    },
    "borrowed-batches": { bytes: 32, allocation: true, goal: "15 ns or less", open: batches(false) },
    "owned-batches": { bytes: 32, allocation: true, open: batches(true) },
    "scan-for-mtu": {
      bytes: 32,
      allocation: true,
      open: () => {
        const term = fullLog().terms[0]
        const scan = new TermScan()
        return {
          run: (count) => {
            let offset = 0
            for (let done = 0; done < count; done += 22) {
              offset = offset + 1408 > TERM_LENGTH ? 0 : offset
              offset += scanForAvailability(term, offset, 1408, scan)
            }
          }
        }
      }
    },
    "scan-for-gap": {
      bytes: 32,
      allocation: true,
      open: () => {
        const term = fullLog().terms[0]
        const gap = new TermGap()
        return {
          run: (count) => {
            for (let done = 0; done < count; done += FRAMES) {
              scanForGap(term, 0, TERM_LENGTH, gap)
            }
          }
        }
      }
    },
    "rebuild-datagrams-of-22": {
      bytes: 32,
      allocation: true,
      open: () => {
        const packet = frameBuffer(fullLog().terms[0].bytes)
        const term = createLog().terms[0]
        return {
          run: (count) => {
            let offset = 0
            for (let done = 0; done < count; done += 22) {
              if (offset + 1408 > TERM_LENGTH) {
                offset = 0
                term.bytes.fill(0)
              }
              TermRebuilder.insert(term, offset, packet, offset, 1408)
              offset += 1408
            }
          }
        }
      }
    }
  }
})
