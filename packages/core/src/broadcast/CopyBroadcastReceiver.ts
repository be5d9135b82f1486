/**
 * Follows a broadcast buffer and hands each message on as a copy that can no longer be overwritten. Being lapped is
 * an error here: a client that misses a message of its driver no longer knows what it owns.
 */
import { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import type { MessageHandler } from "../ringbuffer/MessageHandler.ts"
import * as Bytes from "../memory/Bytes.ts"
import type { BroadcastReceiver } from "./BroadcastReceiver.ts"
import { Lapped } from "./Lapped.ts"

/** First length of the scratch buffer. It grows when a longer message comes, to the longest message at most. */
export const SCRATCH_LENGTH_DEFAULT = 4096

export class CopyBroadcastReceiver {
  readonly receiver: BroadcastReceiver
  private scratch: AtomicBuffer

  constructor(receiver: BroadcastReceiver, scratchLength: number = SCRATCH_LENGTH_DEFAULT) {
    this.receiver = receiver
    this.scratch = this.newScratch(scratchLength)
  }

  /**
   * Hands the next message to `handler`, if there is one; returns 1 or 0. The copy is valid until the handler returns.
   * Throws `Lapped` when messages were lost; calling again goes on with what is still there.
   */
  receive(handler: MessageHandler): number {
    const receiver = this.receiver
    const lappedCount = receiver.lappedCount
    const isAvailable = receiver.receiveNext()
    if (lappedCount !== receiver.lappedCount) {
      throw this.lapped()
    }
    if (!isAvailable) {
      return 0
    }

    const { length, offset, typeId } = receiver
    if (length > this.scratch.length) {
      this.scratch = this.newScratch(2 ** Math.ceil(Math.log2(length)))
    }
    Bytes.copy(receiver.buffer.bytes, offset, this.scratch.bytes, 0, length)
    if (!receiver.validate()) {
      throw this.lapped()
    }
    handler(typeId, this.scratch, 0, length)
    return 1
  }

  private newScratch(length: number): AtomicBuffer {
    return new AtomicBuffer(this.receiver.buffer.state, new ArrayBuffer(length), 0, length)
  }

  private lapped(): Lapped {
    return new Lapped(this.receiver.buffer.state.name, this.receiver.capacity)
  }
}
