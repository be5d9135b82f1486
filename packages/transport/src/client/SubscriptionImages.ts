/** The images of one subscription. Reading takes them in turn, so that a busy one does not starve the others. */
import type { FragmentBatch } from "@millrace/core/kernel/logbuffer/FragmentBatch"
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
}

export class SubscriptionImages {
  readonly registrationId: bigint
  readonly channel: string
  readonly streamId: number
  readonly channelStatusId: number
  isClosed = false
  private images: ReadonlyArray<ImageReader> = []
  private readonly listeners = new Set<ImageListener>()
  private nextIndex = 0

  constructor(fields: SubscriptionFields) {
    this.registrationId = fields.registrationId
    this.channel = fields.channel
    this.streamId = fields.streamId
    this.channelStatusId = fields.channelStatusId
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
    this.images = this.images.filter((other) => other !== image)
    for (const listener of this.listeners) {
      listener.onUnavailableImage(image)
    }
    return image
  }

  /** Fills `batch` from the next image that has something; undefined when none has. Give it back by `release`. */
  read(batch: FragmentBatch, lengthLimit: number): ImageReader | undefined {
    const images = this.images
    const count = images.length
    for (let i = 0; i < count; i++) {
      const index = (this.nextIndex + i) % count
      const image = images[index]!
      if (image.read(batch, lengthLimit) > 0) {
        this.nextIndex = index + 1
        return image
      }
      // Padding and parts of a message moved the reader without giving a batch: nothing holds on to those bytes.
      image.release()
    }
    return undefined
  }
}
