/**
 * One subscription of a user's through all connections of its client: where its messages are read from, and how it is made
 * anew when the driver was lost.
 */
import { FragmentBatch } from "@millrace/core/kernel/logbuffer/FragmentBatch"
import { assert } from "@millrace/core/kernel/memory/Assert"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { ImageReader } from "../client/ImageReader.ts"
import { MessagePoll } from "../client/MessagePoll.ts"
import type { ImageListener, SubscriptionImages } from "../client/SubscriptionImages.ts"
import { ImageLost, ImageRevoked, type TransportError } from "../TransportError.ts"
import { type ClientConnection, type ClientRuntime, type Command, request } from "./clientRuntime.ts"
import { RestorableHandle } from "./restorableHandle.ts"
import { corruptImage, fail } from "./transportError.ts"

/** Where batches are read from: all images of a subscription in turn, or one image. */
export interface Source {
  /** The image that gave messages to the batch; undefined when there are none now. */
  readonly read: (batch: FragmentBatch) => ImageReader | undefined
  /** Why there will be no more messages; undefined while there may be. `Done` is the end of an image's stream. */
  readonly end: () => Effect.Effect<never, TransportError | Cause.Done> | undefined
}

export interface SubscriptionRequest {
  readonly channel: string
  readonly streamId: number
  readonly batchCountMax: number
  readonly batchBytesMax: number
}

export class SubscriptionHandle extends RestorableHandle<SubscriptionImages> {
  private readonly options: SubscriptionRequest
  private readonly listeners = new Set<ImageListener>()
  /** Set while a borrowed batch is out: any other read would give its bytes back under its reader. */
  private borrower: object | undefined = undefined
  private polling: MessagePoll | undefined = undefined

  private constructor(client: ClientRuntime, kernel: SubscriptionImages, options: SubscriptionRequest) {
    const resource = `subscription ${kernel.registrationId} of stream ${kernel.streamId} on ${kernel.channel}`
    super(client, kernel, resource, commandOf(options))
    this.options = options
  }

  static add(client: ClientRuntime, options: SubscriptionRequest): Effect.Effect<SubscriptionHandle, TransportError> {
    return Effect.map(request(client, commandOf(options)), (kernel) => {
      const handle = new SubscriptionHandle(client, kernel, options)
      client.restorables.add(handle)
      return handle
    })
  }

  protected override onRestored(kernel: SubscriptionImages): void {
    this.polling = undefined
    for (const listener of this.listeners) {
      kernel.addListener(listener)
      for (const image of kernel.current) {
        listener.onAvailableImage(image)
      }
    }
  }

  close(): void {
    this.forget()
    this.connection.conductor.closeSubscription(this.kernel)
    this.client.wakeDriver()
  }

  /** Why nothing can be read any more; undefined while something may come. */
  end(): Effect.Effect<never, TransportError> | undefined {
    return this.kernel.isClosed && !this.isWaiting ? fail(this.closed()) : undefined
  }

  /** The listener hears of the images of every connection, until it is removed. */
  addListener(listener: ImageListener): void {
    this.listeners.add(listener)
    this.kernel.addListener(listener)
  }

  removeListener(listener: ImageListener): void {
    this.listeners.delete(listener)
    this.kernel.removeListener(listener)
  }

  newBatch(): FragmentBatch {
    return new FragmentBatch(this.options.batchCountMax)
  }

  /** What polls read by: one for all of them, made by the first. */
  get messagePoll(): MessagePoll {
    const { batchBytesMax, batchCountMax } = this.options
    this.assertNotBorrowed()
    this.polling ??= new MessagePoll(this.kernel, this.client.pollBatches(batchCountMax), batchBytesMax)
    return this.polling
  }

  assertNotBorrowed(by?: object): void {
    assert(
      this.borrower === undefined || this.borrower === by,
      "a subscription is read by another stream while its borrowed batches are"
    )
  }

  borrow(by: object): void {
    this.assertNotBorrowed(by)
    this.borrower = by
  }

  giveBack(by: object): void {
    if (this.borrower === by) {
      this.borrower = undefined
    }
  }

  readonly allImages: Source = {
    read: (batch) => this.kernel.read(batch, this.options.batchBytesMax),
    end: () => this.end()
  }

  /** One image, which belongs to the connection that there is now. */
  oneImage(image: ImageReader): Source {
    const { kernel, connection } = this
    return {
      read: (batch) => {
        if (kernel.readOne(image, batch, this.options.batchBytesMax) > 0) {
          return image
        }
        image.release()
        return undefined
      },
      end: () => this.endOfImage(image, connection)
    }
  }

  private endOfImage(
    image: ImageReader,
    connection: ClientConnection
  ): Effect.Effect<never, TransportError | Cause.Done> | undefined {
    const { position, sessionId, streamId } = image
    if (image.isPublicationRevoked) {
      return fail(new ImageRevoked({ sessionId, streamId, position }))
    }
    if (image.isEndOfStream) {
      return Cause.done()
    }
    if (image.end === undefined) {
      return undefined
    }
    if (image.corruption !== undefined) {
      return fail(corruptImage(image, this.kernel.channel))
    }
    if (image.end === "Closed") {
      return fail(this.closed())
    }
    return fail(this.client.endOfConnection(connection) ?? new ImageLost({ sessionId, streamId, position }))
  }
}

const commandOf = ({ channel, streamId }: SubscriptionRequest): Required<Command<SubscriptionImages>> => ({
  description: `add subscription ${channel} ${streamId}`,
  send: (conductor, handlers) => conductor.addSubscription(channel, streamId, handlers),
  undo: (conductor, kernel) => conductor.closeSubscription(kernel)
})
