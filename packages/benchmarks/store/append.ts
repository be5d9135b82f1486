/** A quarter of a gibibyte appended and on the device, beside the same bytes written plainly: how near the disk is. */
import { group } from "#harness/Group"
import { BODY_LENGTH, GIBIBYTE, openAppend, RECORD_LENGTH, writePlainly } from "./append.shared.ts"

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
      open: () => openAppend({ mappedFileSizeCommitLog: GIBIBYTE / 4 }, STORED_MAX),
      goal: "0.8 or more: the disk is the limit"
    }
  }
})
