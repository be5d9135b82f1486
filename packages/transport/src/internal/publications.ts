/** Publications as their users hold them, over the `PublicationHandle` that goes with them through all connections. */
import { frameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import type { ExclusivePublication } from "../ExclusivePublication.ts"
import type { Publication, PublicationOptions, TypedPublication } from "../Publication.ts"
import { EncodeFailed, MessageTooLong, PublicationRejected, TransportError } from "../TransportError.ts"
import * as channelState from "./channelState.ts"
import { type ClientRuntime, spanned } from "./clientRuntime.ts"
import { awaitBacklog } from "./draining.ts"
import { PublicationHandle } from "./publicationHandle.ts"
import { checkLengths, publishBatch, publishMany, publishOne, tryClaim } from "./publicationOffers.ts"
import * as schemaCodec from "./schemaCodec.ts"
import { checkChannel } from "./streamOptions.ts"
import { fail } from "./transportError.ts"

const LINGER_DEFAULT = Duration.seconds(5)

/** What goes wrong in a client without a call that could fail with it. */
export type ClientErrors = Stream.Stream<TransportError, TransportError>

const typed = <A>(
  publication: Publication,
  schema: schemaCodec.PlainSchema<A>,
  format: schemaCodec.MessageFormat
): TypedPublication<A> => {
  const codec = schemaCodec.make(schema, format)
  const encode = (value: A): Effect.Effect<Uint8Array, TransportError> =>
    Effect.try({
      try: () => codec.encode(value),
      catch: (thrown) => new TransportError({ reason: new EncodeFailed({ detail: String(thrown) }) })
    })
  const encodeAll = (values: ReadonlyArray<A>): Effect.Effect<ReadonlyArray<Uint8Array>, TransportError> =>
    Effect.try({
      try: () => values.map((value) => codec.encode(value)),
      catch: (thrown) => new TransportError({ reason: new EncodeFailed({ detail: String(thrown) }) })
    })
  return {
    offer: (value) => Effect.flatMap(encode(value), publication.offer),
    publish: (value) => Effect.flatMap(encode(value), publication.publish),
    sink: Sink.forEachArray((values: ReadonlyArray<A>) => Effect.flatMap(encodeAll(values), publication.publishMany))
  }
}

/** Those of the client that are of this publication. */
const errorsOf = (
  handle: PublicationHandle,
  errors: ClientErrors
): Stream.Stream<PublicationRejected, TransportError> =>
  errors.pipe(
    Stream.map(({ reason }) => reason),
    Stream.filter((reason) => reason instanceof PublicationRejected),
    Stream.filter(
      ({ channel, sessionId, streamId }) =>
        channel === handle.kernel.channel &&
        sessionId === handle.kernel.sessionId &&
        streamId === handle.kernel.streamId
    )
  )

/** What the publication is now: it may be another one of the same stream after each reconnection. */
const stateOf = (handle: PublicationHandle) => ({
  channel: handle.kernel.channel,
  streamId: handle.kernel.streamId,
  get sessionId() {
    return handle.kernel.sessionId
  },
  get registrationId() {
    return handle.kernel.registrationId
  },
  get originalRegistrationId() {
    return handle.kernel.originalRegistrationId
  },
  get maxMessageLength() {
    return handle.kernel.maxMessageLength
  },
  get maxPayloadLength() {
    return handle.kernel.maxPayloadLength
  },
  get positionMax() {
    return handle.kernel.positionMax
  },
  get termLength() {
    return handle.kernel.log.buffers.termLength
  },
  get initialTermId() {
    return handle.kernel.log.buffers.initialTermId
  },
  isConnected: Effect.sync(() => handle.kernel.isConnected),
  position: handle.read(
    () => handle.kernel.position(),
    () => handle.kernel.closedPosition
  ),
  positionLimit: handle.read(
    () => handle.kernel.positionLimit(),
    () => handle.kernel.closedPosition
  ),
  availableWindow: handle.read(
    () => handle.kernel.availableWindow(),
    () => 0
  ),
  channelStatus: channelState.status(handle),
  get channelStatusId() {
    return handle.kernel.channelStatusId
  },
  get positionLimitId() {
    return handle.kernel.positionLimitId
  },
  localSocketAddresses: channelState.localAddresses(handle)
})

const publicationOf = (handle: PublicationHandle, errors: ClientErrors): Publication => {
  const publication: Publication = Object.assign(stateOf(handle), {
    errors: errorsOf(handle, errors),
    offer: (message, reservedValue) =>
      handle.offer(message.length, handle.kernel.maxMessageLength, () =>
        handle.kernel.offer(message, 0, message.length, reservedValue)
      ),
    offerParts: (parts, reservedValue) => {
      const length = parts.reduce((sum, part) => sum + part.length, 0)
      return handle.offer(length, handle.kernel.maxMessageLength, () => handle.kernel.offerParts(parts, reservedValue))
    },
    offerMany: (messages) =>
      handle.offerMany(() => {
        const { kernel } = handle
        checkLengths(messages, 0, kernel.maxMessageLength)
        return kernel.offerMany(messages, 0)
      }),
    offerBatch: (count, lengthMax, encode) =>
      Effect.suspend(() => {
        const { kernel } = handle
        return lengthMax > kernel.maxPayloadLength
          ? fail(new MessageTooLong({ length: lengthMax, lengthMax: kernel.maxPayloadLength }))
          : handle.offerMany(() => kernel.offerBatch(count, lengthMax, encode))
      }),
    tryClaim: (length) => tryClaim(handle, length),
    publish: (message) => Effect.suspend(() => publishOne(handle, message)),
    publishMany: (messages) => publishMany(handle, messages),
    publishBatch: (count, lengthMax, encode) => publishBatch(handle, count, lengthMax, encode),
    sink: Sink.forEachArray((messages: ReadonlyArray<Uint8Array>) => publishMany(handle, messages)),
    typed: (schema, options) => typed(publication, schema, options?.format ?? "json"),
    revoke: Effect.sync(() => void handle.close(true)),
    offerUnsafe: (message) => handle.codeOf(handle.kernel.offer(message, 0, message.length))
  } satisfies Partial<Publication>)
  return publication
}

/** The driver keeps what was published for its subscribers; waiting here keeps this program for them. */
const close = (handle: PublicationHandle, linger: Duration.Duration): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { counters, kernel } = handle
    if (!handle.close(false)) {
      return Effect.void
    }
    const ended = { id: kernel.originalRegistrationId, endPosition: kernel.closedPosition }
    return awaitBacklog(counters, ended, linger, () => handle.isConnectionOver)
  }).pipe(spanned("closePublication", attributesOf(handle.kernel)))

const attributesOf = ({ channel, streamId }: { readonly channel: string; readonly streamId: number }) => ({
  channel,
  streamId
})

const acquire = Effect.fnUntraced(function* (
  client: ClientRuntime,
  options: PublicationOptions,
  isExclusive: boolean
): Effect.fn.Return<PublicationHandle, TransportError, Scope.Scope> {
  const { streamId } = options
  const channel = yield* checkChannel(options.channel, streamId)
  const linger = options.linger === undefined ? LINGER_DEFAULT : Duration.fromInputUnsafe(options.linger)
  const connectTimeoutMs = options.connectTimeout === undefined ? Infinity : Duration.toMillis(options.connectTimeout)
  const add = PublicationHandle.add(client, { channel, streamId, isExclusive }, connectTimeoutMs).pipe(
    spanned(isExclusive ? "addExclusivePublication" : "addPublication", { channel, streamId })
  )
  return yield* Effect.acquireRelease(add, (handle) => close(handle, linger), { interruptible: true })
})

export const make = (
  client: ClientRuntime,
  options: PublicationOptions,
  errors: ClientErrors
): Effect.Effect<Publication, TransportError, Scope.Scope> =>
  Effect.map(acquire(client, options, false), (handle) => publicationOf(handle, errors))

export const makeExclusive = (
  client: ClientRuntime,
  options: PublicationOptions,
  errors: ClientErrors
): Effect.Effect<ExclusivePublication, TransportError, Scope.Scope> =>
  Effect.map(acquire(client, options, true), (handle) =>
    Object.assign(publicationOf(handle, errors), {
      appendPadding: (length: number) =>
        handle.offer(length, handle.kernel.maxMessageLength, () => handle.kernel.appendPadding(length)),
      offerBlock: (block: Uint8Array) =>
        handle.offer(block.length, Infinity, () => handle.kernel.offerBlock(frameBuffer(block), 0, block.length))
    })
  )
