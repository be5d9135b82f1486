import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import type { Broadcast, StreamOptions } from "../Broadcast.ts"
import { BroadcastReceiver } from "../broadcast/BroadcastReceiver.ts"
import { BroadcastTransmitter } from "../broadcast/BroadcastTransmitter.ts"
import { CopyBroadcastReceiver } from "../broadcast/CopyBroadcastReceiver.ts"
import { Lapped } from "../broadcast/Lapped.ts"
import type { CoreError } from "../CoreError.ts"
import * as IdleStrategy from "../IdleStrategy.ts"
import type { Region } from "../memory/Region.ts"
import { attempt } from "./attempt.ts"
import { checkLength, collectInto, type Message } from "./bufferMessages.ts"
import { IdleWait } from "./idleWait.ts"

/** The public face of one buffer, with the transmitter of this program. */
export class BroadcastHandle implements Broadcast {
  readonly region: Region
  readonly transmitter: BroadcastTransmitter

  constructor(region: Region) {
    this.region = region
    this.transmitter = new BroadcastTransmitter(region.buffer())
  }

  get capacity(): number {
    return this.transmitter.capacity
  }

  get maxMessageLength(): number {
    return this.transmitter.maxMessageLength
  }
}

export const transmit = (transmitter: BroadcastTransmitter, message: Message): Effect.Effect<void, CoreError> =>
  Effect.andThen(
    checkLength(message, transmitter.maxMessageLength),
    attempt(() => transmitter.transmit(message.typeId, message.payload, 0, message.payload.length))
  )

export const sink = (transmitter: BroadcastTransmitter): Sink.Sink<void, Message, never, CoreError> =>
  Sink.forEach((message: Message) => transmit(transmitter, message))

export const stream = (region: Region, options: StreamOptions | undefined): Stream.Stream<Message, CoreError> =>
  Stream.fromPull(
    Effect.map(
      attempt(() => new Follower(region, options)),
      (follower) => {
        const idle = new IdleWait(options?.idle ?? IdleStrategy.park())
        return Effect.gen(function* () {
          for (;;) {
            const messages = yield* attempt(() => follower.take())
            if (Arr.isReadonlyArrayNonEmpty(messages)) {
              idle.reset()
              return messages
            }
            yield* idle.wait
          }
        })
      }
    )
  )

/** One run of a stream: a receiver, and the lapping it has to tell after the messages that came before it. */
class Follower {
  readonly #receiver: CopyBroadcastReceiver
  readonly #batchMax: number
  readonly #skipsWhenLapped: boolean
  #lapped: Lapped | undefined

  constructor(region: Region, options: StreamOptions | undefined) {
    this.#receiver = new CopyBroadcastReceiver(new BroadcastReceiver(region.buffer()))
    this.#batchMax = options?.batchMax ?? 256
    this.#skipsWhenLapped = options?.onLapped === "skip"
  }

  take(): ReadonlyArray<Message> {
    const messages: Array<Message> = []
    const collect = collectInto(messages)
    try {
      this.#throwLapped()
      while (messages.length < this.#batchMax && this.#receiver.receive(collect) > 0) {
        // One message a call.
      }
    } catch (error) {
      if (!(error instanceof Lapped)) {
        throw error
      }
      if (!this.#skipsWhenLapped) {
        if (messages.length === 0) {
          throw error
        }
        this.#lapped = error
      }
    }
    return messages
  }

  #throwLapped(): void {
    if (this.#lapped !== undefined) {
      throw this.#lapped
    }
  }
}
