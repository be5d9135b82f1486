/**
 * Polling by a handler: messages of one image after the other, fragmented ones assembled, without an object for any of
 * them. A controlled handler says after each message how the poll goes on.
 */
import { ABORT, type Action, COMMIT, CONTINUE } from "@millrace/core/kernel/logbuffer/ControlledPoll"
import { FragmentBatch } from "@millrace/core/kernel/logbuffer/FragmentBatch"
import { assert } from "@millrace/core/kernel/memory/Assert"
import type { ImageReader } from "./ImageReader.ts"
import type { SubscriptionImages } from "./SubscriptionImages.ts"

/** The message that a handler has just been given: one object for all of them, valid during the call alone. */
export class PolledMessage {
  index = 0
  readonly batch: FragmentBatch

  constructor(batch: FragmentBatch) {
    this.batch = batch
  }

  get sessionId(): number {
    return this.batch.sessionId
  }

  get streamId(): number {
    return this.batch.streamId
  }

  /** Behind the message. */
  get position(): number {
    return this.batch.positions[this.index]!
  }

  get flags(): number {
    return this.batch.flags[this.index]!
  }

  get reservedValue(): bigint {
    return this.batch.reservedValues[this.index]!
  }
}

/** Takes `length` bytes of `bytes` from `offset`, the handler's during the call alone. */
export type ControlledHandler = (
  bytes: Uint8Array<ArrayBufferLike>,
  offset: number,
  length: number,
  message: PolledMessage
) => Action

/**
 * What polls read into. One serves all subscriptions of a client, since a poll ends before the next begins: with one each,
 * a thousand of them would read into 68 MB that no cache holds. Only a poll within the handler of another makes its own.
 */
export class PollBatches {
  private readonly countMax: number
  private spare: PolledMessage | undefined = undefined

  /** Each holds at most `countMax` messages. */
  constructor(countMax: number) {
    this.countMax = countMax
  }

  take(): PolledMessage {
    const message = this.spare ?? new PolledMessage(new FragmentBatch(this.countMax))
    this.spare = undefined
    return message
  }

  giveBack(message: PolledMessage): void {
    this.spare = message
  }
}

export class MessagePoll {
  private readonly images: SubscriptionImages
  private readonly lengthLimit: number
  private readonly batches: PollBatches
  private isPolling = false
  /** Whether the handler ended the poll of the image. */
  private isStopped = false

  /** A batch holds about `lengthLimit` bytes of log. */
  constructor(images: SubscriptionImages, batches: PollBatches, lengthLimit: number) {
    this.images = images
    this.batches = batches
    this.lengthLimit = lengthLimit
  }

  /**
   * At most `limit` messages of all images, beginning with another one each time. ABORT and BREAK end the poll of their
   * image. @returns how many were taken
   */
  pollAll(handler: ControlledHandler, limit: number): number {
    const images = this.images.current
    const first = this.images.nextTurn()
    let count = 0
    for (let i = 0; i < images.length && count < limit; i++) {
      count += this.poll(images[(first + i) % images.length]!, handler, limit - count)
    }
    return count
  }

  /**
   * At most `limit` messages of one image. What the handler took is given back when the poll ends, or by COMMIT at once;
   * a handler that throws has taken its message, and none of those behind it. Frames that begin at `positionLimit` or
   * behind it are left for another poll: of a message in fragments perhaps the last ones.
   */
  poll(image: ImageReader, handler: ControlledHandler, limit: number, positionLimit = Infinity): number {
    assert(!this.isPolling, "a subscription is polled by a handler of its own poll")
    this.isPolling = true
    this.isStopped = false
    const message = this.batches.take()
    let count = 0
    try {
      while (
        !this.isStopped &&
        count < limit &&
        this.images.readOne(image, message.batch, this.lengthLimit, limit - count, positionLimit) > 0
      ) {
        count += this.hand(image, message, handler)
      }
    } finally {
      this.isPolling = false
      this.batches.giveBack(message)
      // Padding and parts of a message move the reader too.
      image.release()
    }
    return count
  }

  /** @returns how many messages of the batch were taken */
  private hand(image: ImageReader, message: PolledMessage, handler: ControlledHandler): number {
    const { batch } = message
    let taken = 0
    try {
      while (taken < batch.count && !this.isStopped) {
        message.index = taken
        taken++
        const action = handler(batch.buffer, batch.offsets[taken - 1]!, batch.lengths[taken - 1]!, message)
        if (action === COMMIT) {
          image.releaseTo(batch.positions[taken - 1]!)
        } else if (action !== CONTINUE) {
          this.isStopped = true
          taken -= action === ABORT ? 1 : 0
        }
      }
    } finally {
      image.takeBack(batch, taken)
    }
    return taken
  }
}
