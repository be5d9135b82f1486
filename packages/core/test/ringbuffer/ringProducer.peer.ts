import { ManyToOneRingBuffer } from "../../src/ringbuffer/ManyToOneRingBuffer.ts"
import * as Peers from "../Peers.ts"
import * as StressMessage from "./StressMessage.ts"

Peers.peer<{ readonly producer: number; readonly messageCount: number; readonly seed: number }>(
  (region, { messageCount, producer, seed }) => {
    const ring = new ManyToOneRingBuffer(region.buffer())
    const nextLength = StressMessage.lengths(seed, producer)
    const choose = Peers.random(seed + producer)
    const source = new Uint8Array(StressMessage.LENGTH_MAX)
    const sourceView = new DataView(source.buffer)
    const typeId = producer + 1
    for (let sequence = 0; sequence < messageCount; sequence++) {
      const length = nextLength()
      const way = choose() % 8
      if (way === 0) {
        const abandoned = ring.tryClaim(typeId, length)
        if (abandoned >= 0) {
          ring.abort(abandoned)
        }
      }
      if (way < 4) {
        StressMessage.encode(source, sourceView, 0, length, producer, sequence)
        while (!ring.write(typeId, source, 0, length)) {
          Peers.pause()
        }
      } else {
        let offset = ring.tryClaim(typeId, length)
        while (offset < 0) {
          Peers.pause()
          offset = ring.tryClaim(typeId, length)
        }
        StressMessage.encode(ring.buffer.bytes, ring.buffer.view, offset, length, producer, sequence)
        ring.commit(offset)
      }
    }
    return messageCount
  }
)
