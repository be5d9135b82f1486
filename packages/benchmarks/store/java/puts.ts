/** Single puts and batches, acknowledged from memory, ours beside RocketMQ's. */
import { puts, type Line } from "./cases.shared.ts"

const line: Line = { length: 124, producers: 1, batch: 1, isDispatched: false, flushDiskType: "ASYNC_FLUSH" }

export default [
  puts("puts/acknowledged", line, 100_000, "2 times theirs"),
  puts("puts/dispatched", { ...line, isDispatched: true }, 100_000, "2 times theirs"),
  puts("puts/batches-of-32", { ...line, batch: 32, isDispatched: true }, 192_000, "3 times theirs")
]
