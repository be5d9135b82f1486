/**
 * Whether memory and the event loop stay flat while one log grows: five runs, each of which appends a fifth of it behind
 * the others, with the default length of files. A gibibyte in all, with `BENCH_LARGE=1` twenty.
 */
import { group } from "#harness/Group"
import { BATCH, BODY_LENGTH, GIBIBYTE, openAppend, RECORD_LENGTH, writePlainly } from "./append.shared.ts"

const RUNS = 5
const TOTAL_LENGTH = (process.env["BENCH_LARGE"] === "1" ? 20 : 1) * GIBIBYTE

const bounds = {
  count: Math.ceil(TOTAL_LENGTH / RUNS / RECORD_LENGTH / BATCH) * BATCH,
  smokeCount: BATCH,
  warmUp: false
}

export default group("store/longAppend", {
  baseline: "plain-write",
  cases: {
    "plain-write": {
      ...bounds,
      bytes: RECORD_LENGTH,
      open: () => ({ run: (count) => writePlainly(count * RECORD_LENGTH) })
    },
    append: { ...bounds, bytes: BODY_LENGTH, open: () => openAppend({}, Number.POSITIVE_INFINITY) }
  }
})
