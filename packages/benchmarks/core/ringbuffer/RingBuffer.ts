import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import { ManyToOneRingBuffer } from "@millrace/core/kernel/ringbuffer/ManyToOneRingBuffer"
import { OneToOneRingBuffer } from "@millrace/core/kernel/ringbuffer/OneToOneRingBuffer"
import { TRAILER_LENGTH } from "@millrace/core/kernel/ringbuffer/RingBufferDescriptor"
import { group } from "#harness/Group"
import { MessageChannel, receiveMessageOnPort } from "node:worker_threads"

const CAPACITY = 64 * 1024
/** Messages between two reads, as a consumer finds them that looks in now and then. */
const BURST = 64

const source = new Uint8Array(1024)
// Kept a small integer: a larger number would be garbage of the benchmark itself.
let checksum = 0

const onMessage = (typeId: number, _buffer: AtomicBuffer, offset: number): void => {
  checksum = (checksum + (typeId + offset)) | 0
}

const buffer = (): AtomicBuffer => new HeapRegion("bench", CAPACITY + TRAILER_LENGTH).buffer()

type Ring = ManyToOneRingBuffer | OneToOneRingBuffer

const writeAndRead = (ring: Ring, length: number) => (count: number) => {
  for (let done = 0; done < count; done += BURST) {
    for (let i = 0; i < BURST; i++) {
      ring.write(1, source, 0, length)
    }
    drain(ring)
  }
}

const claimAndRead = (ring: Ring, length: number) => (count: number) => {
  for (let done = 0; done < count; done += BURST) {
    for (let i = 0; i < BURST; i++) {
      ring.commit(ring.tryClaim(1, length))
    }
    drain(ring)
  }
}

const drain = (ring: Ring): void => {
  while (ring.read(onMessage) > 0) {
    // A read stops at the end of the buffer.
  }
}

export default group("core/ringbuffer/RingBuffer", {
  baseline: "message-port-32",
  cases: {
    "message-port-32": {
      bytes: 32,
      open: () => {
        const { port1, port2 } = new MessageChannel()
        const message = source.slice(0, 32)
        return {
          run: (count) => {
            for (let done = 0; done < count; done++) {
              port1.postMessage(message)
              const received = receiveMessageOnPort(port2) as { readonly message: Uint8Array }
              checksum = (checksum + received.message.length) | 0
            }
          },
          close: () => port1.close()
        }
      }
    },
    "many-to-one-32": {
      bytes: 32,
      allocation: true,
      open: () => ({ run: writeAndRead(new ManyToOneRingBuffer(buffer()), 32) })
    },
    "many-to-one-claim-32": {
      bytes: 32,
      allocation: true,
      open: () => ({ run: claimAndRead(new ManyToOneRingBuffer(buffer()), 32) })
    },
    "many-to-one-512": {
      bytes: 512,
      allocation: true,
      open: () => ({ run: writeAndRead(new ManyToOneRingBuffer(buffer()), 512) })
    },
    "one-to-one-32": {
      bytes: 32,
      allocation: true,
      open: () => ({ run: writeAndRead(new OneToOneRingBuffer(buffer()), 32) })
    },
    "one-to-one-claim-32": {
      bytes: 32,
      allocation: true,
      open: () => ({ run: claimAndRead(new OneToOneRingBuffer(buffer()), 32) })
    },
    "one-to-one-512": {
      bytes: 512,
      allocation: true,
      open: () => ({ run: writeAndRead(new OneToOneRingBuffer(buffer()), 512) })
    }
  }
})
