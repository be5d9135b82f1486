/** Over UDP on the loopback device, ours beside Java's. */
import { pings, streams, udp } from "./cases.shared.ts"

export default [
  streams("udp/32-bytes", { channel: udp, length: 32 }, 1_000_000, {
    batches: "five times the 0.65-0.98 million/s of Aeron's C driver"
  }),
  streams("udp/1024-bytes", { channel: udp, length: 1024 }, 200_000, { batches: "0.9 GB/s" }),
  pings("udp/ping", { channel: udp, length: 32 }, 2000, "p50 under 60 us")
]
