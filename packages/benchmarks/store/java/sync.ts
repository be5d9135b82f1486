/** Puts of a kibibyte that wait for the device, ours beside RocketMQ's. */
import { puts, type Line } from "./cases.shared.ts"

const line: Line = { length: 1024, producers: 1, batch: 1, isDispatched: false, flushDiskType: "SYNC_FLUSH" }

export default [
  puts("sync/1-producer", line, 300, "equal"),
  puts("sync/64-producers", { ...line, producers: 64 }, 6400, "1.5 times theirs")
]
