/** Writes into the ring of a file as a thread of `RingProducers` does: `path count producer`. */
import { once } from "node:events"
import * as Mapping from "../../packages/core/src/native/Mapping.ts"
import { ManyToOneRingBuffer } from "../../packages/core/src/ringbuffer/ManyToOneRingBuffer.ts"
import * as Peers from "../../packages/core/test/Peers.ts"
import * as StressMessage from "../../packages/core/test/ringbuffer/StressMessage.ts"

const [path, countText, producerText] = process.argv.slice(2)
const count = Number(countText)
const producer = Number(producerText)
const region = Mapping.open(path!)
const ring = new ManyToOneRingBuffer(region.buffer())
const message = new Uint8Array(256)
const view = new DataView(message.buffer)

console.log("ready")
await once(process.stdin, "data")
for (let sequence = 0; sequence < count; sequence++) {
  const length = StressMessage.HEADER_LENGTH + (sequence % 93)
  StressMessage.encode(message, view, 0, length, producer, sequence)
  while (!ring.write(producer + 1, message, 0, length)) {
    Peers.pause()
  }
}
region.close()
console.log("written")
process.stdin.destroy()
