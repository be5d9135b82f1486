/** Sequential reads and key queries, ours beside RocketMQ's. */
import { fieldReads, queries, reads } from "./cases.shared.ts"

export default [
  reads("reads/sequential", 400_000, "3 times theirs"),
  fieldReads("reads/all-fields", 400_000, "3 times theirs"),
  queries("reads/keys", 40_000, "3 times theirs")
]
