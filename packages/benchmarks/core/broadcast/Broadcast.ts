import { TRAILER_LENGTH } from "@millrace/core/kernel/broadcast/BroadcastDescriptor"
import { BroadcastReceiver } from "@millrace/core/kernel/broadcast/BroadcastReceiver"
import { BroadcastTransmitter } from "@millrace/core/kernel/broadcast/BroadcastTransmitter"
import { CopyBroadcastReceiver } from "@millrace/core/kernel/broadcast/CopyBroadcastReceiver"
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import { group } from "#harness/Group"

const CAPACITY = 64 * 1024
const source = new Uint8Array(1024)
// Kept a small integer: a larger number would be garbage of the benchmark itself.
let checksum = 0

const onMessage = (typeId: number, _buffer: AtomicBuffer, _offset: number, length: number): void => {
  checksum = (checksum + (typeId + length)) | 0
}

const transmitAndReceive = (length: number, receiverCount: number) => {
  const buffer = new HeapRegion("bench", CAPACITY + TRAILER_LENGTH).buffer()
  const transmitter = new BroadcastTransmitter(buffer)
  const receivers = Array.from(
    { length: receiverCount },
    () => new CopyBroadcastReceiver(new BroadcastReceiver(buffer))
  )
  return {
    run: (count: number) => {
      for (let done = 0; done < count; done++) {
        transmitter.transmit(1, source, 0, length)
        for (const receiver of receivers) {
          receiver.receive(onMessage)
        }
      }
    }
  }
}

export default group("core/broadcast/Broadcast", {
  baseline: "transmit-32",
  cases: {
    "transmit-32": { bytes: 32, allocation: true, open: () => transmitAndReceive(32, 0) },
    "transmit-512": { bytes: 512, allocation: true, open: () => transmitAndReceive(512, 0) },
    "to-one-receiver-32": { bytes: 32, allocation: true, open: () => transmitAndReceive(32, 1) },
    "to-four-receivers-32": { bytes: 32, allocation: true, open: () => transmitAndReceive(32, 4) }
  }
})
