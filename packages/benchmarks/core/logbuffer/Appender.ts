import { BatchAppender, framedLength } from "@millrace/core/kernel/logbuffer/BatchAppender"
import { BufferClaim } from "@millrace/core/kernel/logbuffer/BufferClaim"
import { ExclusiveTermAppender } from "@millrace/core/kernel/logbuffer/ExclusiveTermAppender"
import type { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import type { MessageAppender } from "@millrace/core/kernel/logbuffer/MessageAppender"
import { SlabAppender } from "@millrace/core/kernel/logbuffer/SlabAppender"
import { TermAppender } from "@millrace/core/kernel/logbuffer/TermAppender"
import { type Case, group } from "#harness/Group"
import { createLog, TERM_LENGTH } from "./benchLog.shared.ts"

// The terms are not cleaned between their uses: appenders do not look at what was there.

const exclusive = (log: LogBuffers): MessageAppender => new ExclusiveTermAppender(log)
const concurrent = (log: LogBuffers): MessageAppender => new TermAppender(log)

const single = (length: number, make: (log: LogBuffers) => MessageAppender, goal?: string): Case => ({
  bytes: length,
  allocation: true,
  ...(goal === undefined ? {} : { goal }),
  open: () => {
    const appender = make(createLog())
    const message = new Uint8Array(length)
    return {
      run: (count) => {
        for (let done = 0; done < count;) {
          done += appender.tryAppend(message, 0, length) < 0 ? 0 : 1
        }
      }
    }
  }
})

/** Messages that lie in one buffer. */
const slab = (batchCount: number, length: number, make = exclusive, goal?: string): Case => ({
  bytes: length,
  allocation: true,
  ...(goal === undefined ? {} : { goal }),
  open: () => {
    const batch = new SlabAppender(make(createLog()))
    const source = new Uint8Array(batchCount * length)
    const offsets = Int32Array.from({ length: batchCount }, (_, index) => index * length)
    const lengths = new Int32Array(batchCount).fill(length)
    return {
      run: (count) => {
        for (let done = 0; done < count; done += batch.appendedCount) {
          batch.appendSlab(source, offsets, lengths, 0, batchCount)
        }
      }
    }
  }
})

/** Messages that are arrays of their own. */
const arrays = (batchCount: number, length: number): Case => ({
  bytes: length,
  allocation: true,
  open: () => {
    const batch = new BatchAppender(exclusive(createLog()))
    const messages = Array.from({ length: batchCount }, () => new Uint8Array(length))
    return {
      run: (count) => {
        for (let done = 0; done < count; done += batch.appendedCount) {
          batch.appendAll(messages, 0, batchCount)
        }
      }
    }
  }
})

/** Messages of eight words that are encoded where they will lie. */
const inPlace = (batchCount: number): Case => ({
  bytes: 32,
  allocation: true,
  goal: "25 ns or less",
  open: () => {
    const batch = new BatchAppender(exclusive(createLog()))
    const batchLength = batchCount * framedLength(32)
    return {
      run: (count) => {
        for (let done = 0; done < count;) {
          if (batch.begin(batchLength) >= 0) {
            const words = batch.buffer.int32
            for (let index = 0; index < batchCount; index++) {
              const word = batch.next(32) >>> 2
              for (let field = 0; field < 8; field++) {
                words[word + field] = done + field
              }
            }
            batch.commit()
            done += batchCount
          }
        }
      }
    }
  }
})

const claim = (make: (log: LogBuffers) => MessageAppender): Case => ({
  bytes: 32,
  allocation: true,
  open: () => {
    const appender = make(createLog())
    const claimed = new BufferClaim()
    return {
      run: (count) => {
        for (let done = 0; done < count;) {
          if (appender.claim(32, claimed) >= 0) {
            claimed.buffer.int32[claimed.offset >>> 2] = done
            claimed.commit()
            done += 1
          }
        }
      }
    }
  }
})

export default group("core/logbuffer/Appender", {
  baseline: "copy-32",
  cases: {
    "copy-32": {
      bytes: 32,
      open: () => {
        const target = new Uint8Array(new SharedArrayBuffer(TERM_LENGTH))
        const message = new Uint8Array(32)
        return {
          run: (count) => {
            for (let done = 0; done < count; done++) {
              target.set(message, (64 * done) % TERM_LENGTH)
            }
          }
        }
      }
    },
    "exclusive-32": single(32, exclusive, "60 ns or less"),
    "exclusive-1024": single(1024, exclusive),
    "exclusive-claim-32": claim(exclusive),
    "concurrent-32": single(32, concurrent),
    "concurrent-1024": single(1024, concurrent),
    "concurrent-claim-32": claim(concurrent),
    "batch-16-32": slab(16, 32),
    "batch-64-32": slab(64, 32, exclusive, "25 ns or less"),
    "batch-64-1024": slab(64, 1024),
    "concurrent-batch-16-32": slab(16, 32, concurrent),
    "concurrent-batch-64-32": slab(64, 32, concurrent),
    "batch-64-32-arrays": arrays(64, 32),
    "batch-64-32-in-place": inPlace(64)
  }
})
