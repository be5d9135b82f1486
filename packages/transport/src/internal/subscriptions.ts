/** Subscriptions as their users hold them, over the `SubscriptionHandle` that goes with them through all connections. */
import { CONTINUE } from "@millrace/core/kernel/logbuffer/ControlledPoll"
import { CLOSED } from "@millrace/core/kernel/logbuffer/OfferResult"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as ChannelStatus from "../client/ChannelStatus.ts"
import type { ControlledHandler } from "../client/MessagePoll.ts"
import type { MessageHandler, Subscription, SubscriptionOptions } from "../Subscription.ts"
import { InvalidOption, type TransportError } from "../TransportError.ts"
import * as batchStreams from "./batchStreams.ts"
import * as channelState from "./channelState.ts"
import { type ClientRuntime, spanned } from "./clientRuntime.ts"
import { imageEvents, imageOf, images, uncontrolled } from "./images.ts"
import { checkChannel } from "./streamOptions.ts"
import { SubscriptionHandle } from "./subscriptionHandle.ts"
import { attempt, fail } from "./transportError.ts"
import * as typedStreams from "./typedStreams.ts"

const BATCH_COUNT_DEFAULT = 4096
const BATCH_BYTES_DEFAULT = 256 * 1024

/** Reads while the subscription is open; nothing is there while another driver is waited for. */
const reading = (handle: SubscriptionHandle, read: () => number): Effect.Effect<number, TransportError> =>
  Effect.suspend(() => {
    if (handle.kernel.isClosed) {
      return handle.end() ?? Effect.succeed(0)
    }
    return attempt(read)
  })

const pollBlocks: (handle: SubscriptionHandle) => Subscription["rawPoll"] = (handle) => (handler, lengthLimit) =>
  reading(handle, () => {
    handle.assertNotBorrowed()
    const { kernel } = handle
    return kernel.current.reduce((length, image) => length + kernel.pollBlock(image, handler, lengthLimit), 0)
  })

const pollUnsafe = (handle: SubscriptionHandle): Subscription["pollUnsafe"] => {
  let last: MessageHandler | undefined
  let controlled: ControlledHandler = () => CONTINUE
  return (handler, limit) => {
    if (handle.kernel.isClosed) {
      return handle.isWaiting ? 0 : CLOSED
    }
    // Mostly it is the one of the last poll.
    if (handler !== last) {
      last = handler
      controlled = uncontrolled(handler)
    }
    return handle.messagePoll.pollAll(controlled, limit)
  }
}

/** What the subscription is now: it may be another one of the same stream after each reconnection. */
const stateOf = (handle: SubscriptionHandle) => {
  const resolvedEndpoint = Effect.map(channelState.localAddresses(handle), ([address]) => address)
  const { channel, streamId } = handle.kernel
  return {
    channel,
    streamId,
    get registrationId() {
      return handle.kernel.registrationId
    },
    isConnected: Effect.sync(() => handle.kernel.isConnected),
    currentImages: Effect.sync(() => handle.kernel.current.map((reader) => imageOf(handle, reader))),
    imageBySessionId: (sessionId: number) =>
      Effect.sync(() => {
        const reader = handle.kernel.current.find((image) => image.sessionId === sessionId)
        return reader === undefined ? undefined : imageOf(handle, reader)
      }),
    channelStatus: channelState.status(handle),
    get channelStatusId() {
      return handle.kernel.channelStatusId
    },
    localSocketAddresses: channelState.localAddresses(handle),
    resolvedEndpoint,
    tryResolveChannelEndpointPort: Effect.map(resolvedEndpoint, (endpoint) =>
      ChannelStatus.resolveEndpointPort(channel, endpoint)
    )
  }
}

const subscriptionOf = (handle: SubscriptionHandle): Subscription => {
  const batches = batchStreams.owned(handle, handle.allImages)
  const borrowedBatches = batchStreams.borrowed(handle, handle.allImages)
  return Object.assign(stateOf(handle), {
    images: images(handle),
    imageEvents: imageEvents(handle),
    poll: (handler, limit) => {
      const controlled = uncontrolled(handler)
      return reading(handle, () => handle.messagePoll.pollAll(controlled, limit))
    },
    pollUnsafe: pollUnsafe(handle),
    controlledPoll: (handler, limit) => reading(handle, () => handle.messagePoll.pollAll(handler, limit)),
    blockPoll: pollBlocks(handle),
    rawPoll: pollBlocks(handle),
    batches,
    borrowedBatches,
    stream: batchStreams.payloads(handle, handle.allImages),
    messages: batchStreams.messages(batches),
    borrowedMessages: batchStreams.messages(borrowedBatches),
    typed: (schema, options) => typedStreams.typed(batches, schema, options),
    typedResults: (schema, options) => typedStreams.typedResults(batches, schema, options?.format ?? "json")
  } satisfies Partial<Subscription>)
}

const checkLimit = (
  option: keyof SubscriptionOptions,
  value: number | undefined
): Effect.Effect<void, TransportError> =>
  value === undefined || (Number.isInteger(value) && value > 0)
    ? Effect.void
    : fail(new InvalidOption({ option, value: String(value), allowed: "a whole number above 0" }))

export const make = Effect.fnUntraced(function* (
  client: ClientRuntime,
  options: SubscriptionOptions
): Effect.fn.Return<Subscription, TransportError, Scope.Scope> {
  const { batchBytesMax = BATCH_BYTES_DEFAULT, batchCountMax = BATCH_COUNT_DEFAULT, streamId } = options
  const channel = yield* checkChannel(options.channel, streamId)
  yield* checkLimit("batchCountMax", options.batchCountMax)
  yield* checkLimit("batchBytesMax", options.batchBytesMax)
  const add = SubscriptionHandle.add(client, { channel, streamId, batchCountMax, batchBytesMax }).pipe(
    spanned("addSubscription", { channel, streamId })
  )
  const close = (handle: SubscriptionHandle): Effect.Effect<void> =>
    Effect.sync(() => handle.close()).pipe(spanned("closeSubscription", { channel, streamId }))
  return subscriptionOf(yield* Effect.acquireRelease(add, close, { interruptible: true }))
})
