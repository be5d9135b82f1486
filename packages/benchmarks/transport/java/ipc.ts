/** Over shared memory, ours beside Java's. */
import { ipc, pings, streams } from "./cases.shared.ts"

export default [
  streams("ipc/32-bytes", { channel: ipc, length: 32 }, 5_000_000, { batches: "ahead of Java" }),
  streams("ipc/1024-bytes", { channel: ipc, length: 1024 }, 1_000_000, { batches: "4 million/s" }),
  pings("ipc/ping", { channel: ipc, length: 32 }, 20_000, "p50 under Java's")
]
