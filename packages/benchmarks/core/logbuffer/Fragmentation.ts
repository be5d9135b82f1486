import { BatchReader } from "@millrace/core/kernel/logbuffer/BatchReader"
import { ExclusiveTermAppender } from "@millrace/core/kernel/logbuffer/ExclusiveTermAppender"
import { FragmentBatch } from "@millrace/core/kernel/logbuffer/FragmentBatch"
import * as TermCleaner from "@millrace/core/kernel/logbuffer/TermCleaner"
import { group } from "#harness/Group"
import { createLog } from "./benchLog.shared.ts"

/** Twelve fragments of the default MTU. */
const LENGTH = 16 * 1024

const message = new Uint8Array(LENGTH).fill(1)

export default group("core/logbuffer/Fragmentation", {
  baseline: "copy-twice",
  cases: {
    "copy-twice": {
      bytes: LENGTH,
      open: () => {
        const [first, second] = [new Uint8Array(new SharedArrayBuffer(LENGTH)), new Uint8Array(LENGTH)]
        return {
          run: (count) => {
            for (let done = 0; done < count; done++) {
              first.set(message)
              second.set(first)
            }
          }
        }
      }
    },
    append: {
      bytes: LENGTH,
      allocation: true,
      open: () => {
        const appender = new ExclusiveTermAppender(createLog())
        return {
          run: (count) => {
            for (let done = 0; done < count;) {
              done += appender.append(message, 0, LENGTH) < 0 ? 0 : 1
            }
          }
        }
      }
    },
    "append-assemble-and-clean": {
      bytes: LENGTH,
      allocation: true,
      open: () => {
        const log = createLog()
        const appender = new ExclusiveTermAppender(log)
        const reader = new BatchReader(log, 0)
        const batch = new FragmentBatch(1)
        let cleaned = 0
        return {
          run: (count) => {
            for (let done = 0; done < count;) {
              if (appender.append(message, 0, LENGTH) >= 0) {
                done += reader.read(batch)
                cleaned = TermCleaner.clean(log, cleaned, reader.position)
              }
            }
          }
        }
      }
    }
  }
})
