import * as Mapping from "@millrace/core/kernel/native/Mapping"
import { ManyToOneRingBuffer } from "@millrace/core/kernel/ringbuffer/ManyToOneRingBuffer"
import { OneToOneRingBuffer } from "@millrace/core/kernel/ringbuffer/OneToOneRingBuffer"
import { parent } from "#harness/Peer"

const bench = parent()
const [path, kind, count] = process.argv.slice(2)
const region = Mapping.open(path!)
const ring = kind === "many" ? new ManyToOneRingBuffer(region.buffer()) : new OneToOneRingBuffer(region.buffer())
const message = new Uint8Array(32)
const messageCount = Number(count)

bench.send("ready")
await bench.receive()
for (let written = 0; written < messageCount;) {
  if (ring.write(1, message, 0, message.length)) {
    written++
  }
}
bench.close()
