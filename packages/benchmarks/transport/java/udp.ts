/** Over UDP on the loopback device, ours beside Java's. */
import { networkPings, streams, udp } from "./cases.shared.ts"

export default [
  streams("udp/32-bytes", { channel: udp, length: 32 }, 1_000_000, {
    batches: "five times the 0.65-0.98 million/s of Aeron's C driver"
  }),
  streams("udp/1024-bytes", { channel: udp, length: 1024 }, 200_000, { batches: "0.9 GB/s" }),
  networkPings("udp/ping", { channel: udp, length: 32 }, 2000, { embedded: "p50 under 60 us" })
]
