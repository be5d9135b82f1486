/** The images of one subscription. Reading takes them in turn, so that a busy one does not starve the others. */
import { CorruptFrame } from "@millrace/core/kernel/logbuffer/FrameDescriptor"
import type { FragmentBatch } from "@millrace/core/kernel/logbuffer/FragmentBatch"
import type { BlockHandler } from "./LogBlock.ts"
import type { ImageReader } from "./ImageReader.ts"

/** Told about images as they come and go. Must not throw. */
export interface ImageListener {
  onAvailableImage(image: ImageReader): void
  onUnavailableImage(image: ImageReader): void
}

export interface SubscriptionFields {
  readonly registrationId: bigint
  readonly channel: string
  readonly streamId: number
  readonly channelStatusId: number
  /** An image was corrupt: it is closed, and not among the images any more. Must not throw. */
  readonly onCorrupt: (image: ImageReader) => void
}

export class SubscriptionImages {
  readonly registrationId: bigint
  readonly channel: string
  readonly streamId: number
  readonly channelStatusId: number
  isClosed = false
  private readonly onCorrupt: (image: ImageReader) => void
  private images: ReadonlyArray<ImageReader> = []
  private readonly listeners = new Set<ImageListener>()
  private nextIndex = 0

  constructor(fields: SubscriptionFields) {
    this.registrationId = fields.registrationId
    this.channel = fields.channel
    this.streamId = fields.streamId
    this.channelStatusId = fields.channelStatusId
    this.onCorrupt = fields.onCorrupt
  }

  /** As they are now: the array itself never changes. */
  get current(): ReadonlyArray<ImageReader> {
    return this.images
  }

  get isConnected(): boolean {
    return this.images.length > 0
  }

  addListener(listener: ImageListener): void {
    this.listeners.add(listener)
  }

  removeListener(listener: ImageListener): void {
    this.listeners.delete(listener)
  }

  add(image: ImageReader): void {
    this.images = [...this.images, image]
    for (const listener of this.listeners) {
      listener.onAvailableImage(image)
    }
  }

  has(correlationId: bigint): boolean {
    return this.images.some((image) => image.correlationId === correlationId)
  }

  /** Undefined when there is no such image. */
  remove(correlationId: bigint, reason: "Unavailable" | "Closed"): ImageReader | undefined {
    const image = this.images.find((candidate) => candidate.correlationId === correlationId)
    if (image === undefined) {
      return undefined
    }
    image.close(reason)
    this.drop(image)
    return image
  }

  /** Index of the image that the next look begins with. */
  nextTurn(): number {
    const turn = this.nextIndex % Math.max(this.images.length, 1)
    this.nextIndex = turn + 1
    return turn
  }

  /** Fills `batch` from the next image that has something; undefined when none has. Give it back by `release`. */
  read(batch: FragmentBatch, lengthLimit: number, countLimit?: number): ImageReader | undefined {
    const images = this.images
    const count = images.length
    for (let i = 0; i < count; i++) {
      const index = (this.nextIndex + i) % count
      const image = images[index]!
      if (this.readOne(image, batch, lengthLimit, countLimit) > 0) {
        this.nextIndex = index + 1
        return image
      }
      // Padding and parts of a message moved the reader without giving a batch: nothing holds on to those bytes.
      image.release()
    }
    return undefined
  }

  /**
   * As `read`, for one of the images. A corrupt one is closed and gives nothing more, so that a single publisher does not
   * keep a subscription from reading the others.
   */
  readOne(
    image: ImageReader,
    batch: FragmentBatch,
    lengthLimit: number,
    countLimit?: number,
    positionLimit?: number
  ): number {
    try {
      return image.read(batch, lengthLimit, countLimit, positionLimit)
    } catch (error) {
      if (!(error instanceof CorruptFrame)) {
        throw error
      }
      this.closeCorrupt(image, error)
      return 0
    }
  }

  /** Blocks of one image, as `ImageReader.pollBlock` and `readOne`. @returns bytes */
  pollBlock(image: ImageReader, handler: BlockHandler, lengthLimit: number): number {
    try {
      return image.pollBlock(handler, lengthLimit)
    } catch (error) {
      if (!(error instanceof CorruptFrame)) {
        throw error
      }
      this.closeCorrupt(image, error)
      return 0
    }
  }

  private closeCorrupt(image: ImageReader, error: CorruptFrame): void {
    image.closeCorrupt(error)
    this.drop(image)
    this.onCorrupt(image)
  }

  private drop(image: ImageReader): void {
    this.images = this.images.filter((other) => other !== image)
    for (const listener of this.listeners) {
      listener.onUnavailableImage(image)
    }
  }
}
