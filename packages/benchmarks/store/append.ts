/** A quarter of a gibibyte appended and on the device, beside the same bytes written plainly: how near the disk is. */
import { group } from "#harness/Group"
import {
  append,
  BODY_LENGTH,
  Collections,
  GIBIBYTE,
  memory,
  MEBIBYTE,
  RECORD_LENGTH,
  writePlainly
} from "./append.shared.ts"
import { OpenedStore } from "./opened.shared.ts"

const COUNT = 230_400
/** The store is begun anew beyond this: a benchmark should not fill the disk. */
const STORED_MAX = 1_000_000

export default group("store/append", {
  baseline: "plain-write",
  cases: {
    "plain-write": {
      bytes: RECORD_LENGTH,
      count: COUNT,
      open: () => ({ run: (count) => writePlainly(count * RECORD_LENGTH) })
    },
    append: {
      bytes: BODY_LENGTH,
      count: COUNT,
      open: () => {
        const store = new OpenedStore({ mappedFileSizeCommitLog: GIBIBYTE / 4 })
        let stored = 0
        return {
          run: async (count) => {
            if (stored > STORED_MAX) {
              await store.end()
              stored = 0
            }
            const before = memory()
            const collections = new Collections()
            const start = process.hrtime.bigint()
            const bytes = await store.run(append(stored, count))
            const elapsedNs = Number(process.hrtime.bigint() - start)
            await collections.end()
            stored += count
            const after = memory()
            return {
              operations: count,
              elapsedNs,
              figures: {
                "collections/GiB": (collections.count * GIBIBYTE) / bytes,
                "heap growth MiB": (after.heapBytes - before.heapBytes) / MEBIBYTE
              }
            }
          },
          close: () => store.end()
        }
      },
      goal: "0.8 or more: the disk is the limit"
    }
  }
})
