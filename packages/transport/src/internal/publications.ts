/** Publications as their users hold them, over the kernel's `ClientPublication`. */
import { BufferClaim } from "@millrace/core/kernel/logbuffer/BufferClaim"
import * as OfferCode from "@millrace/core/kernel/logbuffer/OfferResult"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import type { ClientPublication } from "../client/ClientPublication.ts"
import type { ExclusivePublication } from "../ExclusivePublication.ts"
import type {
  MessageEncoder,
  OfferManyResult,
  OfferResult,
  Publication,
  PublicationOptions,
  TypedPublication
} from "../Publication.ts"
import {
  EncodeFailed,
  MaxPositionExceeded,
  MessageTooLong,
  NotConnected,
  TransportError,
  type TransportErrorReason
} from "../TransportError.ts"
import { type ClientRuntime, closedReason, endOf, request } from "./clientRuntime.ts"
import { awaitBacklog } from "./draining.ts"
import * as schemaCodec from "./schemaCodec.ts"
import { checkChannel } from "./streamOptions.ts"
import { attempt, fail } from "./transportError.ts"
import { waitFor } from "./waitFor.ts"

const LINGER_DEFAULT = Duration.seconds(5)

type Refusal = Exclude<OfferResult, { readonly _tag: "Accepted" }>

const NOT_CONNECTED: Refusal = { _tag: "NotConnected" }
const BACK_PRESSURED: Refusal = { _tag: "BackPressured" }
const ADMIN_ACTION: Refusal = { _tag: "AdminAction" }
const CLOSED: Refusal = { _tag: "Closed" }
const MAX_POSITION_EXCEEDED: Refusal = { _tag: "MaxPositionExceeded" }

const refusalOf = (code: number): Refusal => {
  switch (code) {
    case OfferCode.NOT_CONNECTED:
      return NOT_CONNECTED
    case OfferCode.BACK_PRESSURED:
      return BACK_PRESSURED
    case OfferCode.ADMIN_ACTION:
      return ADMIN_ACTION
    case OfferCode.MAX_POSITION_EXCEEDED:
      return MAX_POSITION_EXCEEDED
    default:
      return CLOSED
  }
}

const resultOf = (position: number): OfferResult =>
  position >= 0 ? { _tag: "Accepted", position } : refusalOf(position)

/** An offer that is repeated until all of it is accepted: `offer` goes on where it stopped, and says when it is done. */
interface Repeated {
  /** The kernel's answer to one attempt. */
  readonly offer: () => number
  readonly isDone: () => boolean
}

export class PublicationHandle {
  readonly client: ClientRuntime
  readonly kernel: ClientPublication
  private readonly resource: string
  private readonly connectTimeoutMs: number

  constructor(client: ClientRuntime, kernel: ClientPublication, connectTimeoutMs: number) {
    this.client = client
    this.kernel = kernel
    this.resource = `publication ${kernel.registrationId} of stream ${kernel.streamId} on ${kernel.channel}`
    this.connectTimeoutMs = connectTimeoutMs
  }

  /** One attempt. Fails when the client has ended, for a closed publication alone `Closed` is an answer. */
  offer(length: number, lengthMax: number, evaluate: () => number): Effect.Effect<OfferResult, TransportError> {
    return Effect.suspend(() => {
      if (length > lengthMax) {
        return fail(new MessageTooLong({ length, lengthMax }))
      }
      return Effect.flatMap(attempt(evaluate), (code) => this.answer(resultOf(code)))
    })
  }

  offerMany(evaluate: () => number): Effect.Effect<OfferManyResult, TransportError> {
    return Effect.flatMap(attempt(evaluate), (code) =>
      Effect.map(this.answer(resultOf(code)), (result) => ({ accepted: this.kernel.acceptedCount, result }))
    )
  }

  /** Waits for subscribers and room until the offer is done. */
  publish(repeated: Repeated): Effect.Effect<void, TransportError> {
    return Effect.suspend(() => {
      const startMs = performance.now()
      return waitFor(() => {
        let code: number
        do {
          code = repeated.offer()
          if (repeated.isDone()) {
            return Effect.void
          }
        } while (code >= 0 || code === OfferCode.ADMIN_ACTION)
        return this.refused(code, startMs)
      })
    })
  }

  closed(): TransportErrorReason {
    return closedReason(this.client, this.resource)
  }

  private answer(result: OfferResult): Effect.Effect<OfferResult, TransportError> {
    if (result._tag !== "Closed") {
      return Effect.succeed(result)
    }
    const end = endOf(this.client)
    return end === undefined || end._tag === "Closed" ? Effect.succeed(result) : fail(end)
  }

  /** Undefined when waiting may help. */
  private refused(code: number, startMs: number): Effect.Effect<never, TransportError> | undefined {
    if (code === OfferCode.CLOSED) {
      return fail(this.closed())
    }
    const { channel, positionMax, streamId } = this.kernel
    if (code === OfferCode.MAX_POSITION_EXCEEDED) {
      return fail(new MaxPositionExceeded({ positionMax }))
    }
    const waitedMs = performance.now() - startMs
    return code === OfferCode.NOT_CONNECTED && waitedMs > this.connectTimeoutMs
      ? fail(new NotConnected({ channel, streamId, waitedMs }))
      : undefined
  }
}

const publishOne = (handle: PublicationHandle, message: Uint8Array): Effect.Effect<void, TransportError> => {
  const { kernel } = handle
  if (message.length > kernel.maxMessageLength) {
    return fail(new MessageTooLong({ length: message.length, lengthMax: kernel.maxMessageLength }))
  }
  let isDone = false
  return handle.publish({
    offer: () => {
      const code = kernel.offer(message, 0, message.length)
      isDone = code >= 0
      return code
    },
    isDone: () => isDone
  })
}

const publishMany = (
  handle: PublicationHandle,
  messages: ReadonlyArray<Uint8Array>
): Effect.Effect<void, TransportError> =>
  Effect.suspend(() => {
    const { kernel } = handle
    let accepted = 0
    return Effect.andThen(
      checkLengths(messages, kernel.maxMessageLength),
      handle.publish({
        offer: () => {
          const code = accepted < messages.length ? kernel.offerMany(messages, accepted) : 0
          accepted += accepted < messages.length ? kernel.acceptedCount : 0
          return code
        },
        isDone: () => accepted === messages.length
      })
    )
  })

const publishBatch = (
  handle: PublicationHandle,
  count: number,
  lengthMax: number,
  encode: MessageEncoder
): Effect.Effect<void, TransportError> =>
  Effect.suspend(() => {
    const { kernel } = handle
    if (lengthMax > kernel.maxPayloadLength) {
      return fail(new MessageTooLong({ length: lengthMax, lengthMax: kernel.maxPayloadLength }))
    }
    let accepted = 0
    return handle.publish({
      offer: () => {
        const first = accepted
        const encodeNext: MessageEncoder =
          first === 0 ? encode : (bytes, offset, index) => encode(bytes, offset, first + index)
        const code = kernel.offerBatch(count - first, lengthMax, encodeNext)
        accepted += kernel.acceptedCount
        return code
      },
      isDone: () => accepted === count
    })
  })

const checkLengths = (messages: ReadonlyArray<Uint8Array>, lengthMax: number): Effect.Effect<void, TransportError> => {
  for (const { length } of messages) {
    if (length > lengthMax) {
      return fail(new MessageTooLong({ length, lengthMax }))
    }
  }
  return Effect.void
}

const tryClaim: (handle: PublicationHandle, length: number) => ReturnType<Publication["tryClaim"]> = (
  { client, kernel },
  length
) =>
  Effect.suspend(() => {
    if (length > kernel.maxPayloadLength) {
      return fail(new MessageTooLong({ length, lengthMax: kernel.maxPayloadLength }))
    }
    const claim = new BufferClaim()
    return Effect.flatMap(
      attempt(() => kernel.tryClaim(length, claim)),
      (position): ReturnType<Publication["tryClaim"]> => {
        if (position >= 0) {
          return Effect.succeed({ _tag: "Claimed", claim, position })
        }
        const refusal = refusalOf(position)
        const end = refusal._tag === "Closed" ? endOf(client) : undefined
        return end === undefined || end._tag === "Closed" ? Effect.succeed(refusal) : fail(end)
      }
    )
  })

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

const publicationOf = (handle: PublicationHandle): Publication => {
  const { kernel } = handle
  const { maxMessageLength, maxPayloadLength } = kernel
  const read = (evaluate: () => number): Effect.Effect<number, TransportError> =>
    Effect.flatMap(attempt(evaluate), (value) =>
      value === OfferCode.CLOSED ? fail(handle.closed()) : Effect.succeed(value)
    )
  const publication: Publication = {
    channel: kernel.channel,
    streamId: kernel.streamId,
    sessionId: kernel.sessionId,
    registrationId: kernel.registrationId,
    maxMessageLength,
    maxPayloadLength,
    isConnected: Effect.sync(() => kernel.isConnected),
    position: read(() => kernel.position()),
    positionLimit: read(() => kernel.positionLimit()),
    offer: (message) => handle.offer(message.length, maxMessageLength, () => kernel.offer(message, 0, message.length)),
    offerParts: (parts) => {
      const length = parts.reduce((sum, part) => sum + part.length, 0)
      return handle.offer(length, maxMessageLength, () => kernel.offerParts(parts))
    },
    offerMany: (messages) =>
      Effect.andThen(
        checkLengths(messages, maxMessageLength),
        handle.offerMany(() => kernel.offerMany(messages, 0))
      ),
    offerBatch: (count, lengthMax, encode) =>
      lengthMax > maxPayloadLength
        ? fail(new MessageTooLong({ length: lengthMax, lengthMax: maxPayloadLength }))
        : handle.offerMany(() => kernel.offerBatch(count, lengthMax, encode)),
    tryClaim: (length) => tryClaim(handle, length),
    publish: (message) => Effect.suspend(() => publishOne(handle, message)),
    publishMany: (messages) => publishMany(handle, messages),
    publishBatch: (count, lengthMax, encode) => publishBatch(handle, count, lengthMax, encode),
    sink: Sink.forEachArray((messages: ReadonlyArray<Uint8Array>) => publishMany(handle, messages)),
    typed: (schema, options) => typed(publication, schema, options?.format ?? "json"),
    offerUnsafe: (message) => kernel.offer(message, 0, message.length)
  }
  return publication
}

/** The driver keeps what was published for its subscribers; waiting here keeps this program for them. */
const close = (handle: PublicationHandle, linger: Duration.Duration): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { client, kernel } = handle
    if (kernel.isClosed) {
      return Effect.void
    }
    const endPosition = Math.max(kernel.position(), 0)
    client.conductor.closePublication(kernel, false)
    client.wakeDriver()
    return awaitBacklog(client.counters, { id: kernel.originalRegistrationId, endPosition }, linger)
  })

const acquire = Effect.fnUntraced(function* (
  client: ClientRuntime,
  options: PublicationOptions,
  isExclusive: boolean
): Effect.fn.Return<PublicationHandle, TransportError, Scope.Scope> {
  const channel = yield* checkChannel(options.channel, options.streamId)
  const linger = options.linger === undefined ? LINGER_DEFAULT : Duration.fromInputUnsafe(options.linger)
  const connectTimeoutMs = options.connectTimeout === undefined ? Infinity : Duration.toMillis(options.connectTimeout)
  const add = request<ClientPublication>(client, `add publication ${channel} ${options.streamId}`, (handlers) =>
    client.conductor.addPublication(channel, options.streamId, isExclusive, handlers)
  ).pipe(Effect.map((kernel) => new PublicationHandle(client, kernel, connectTimeoutMs)))
  return yield* Effect.acquireRelease(add, (handle) => close(handle, linger), { interruptible: true })
})

export const make = (
  client: ClientRuntime,
  options: PublicationOptions
): Effect.Effect<Publication, TransportError, Scope.Scope> => Effect.map(acquire(client, options, false), publicationOf)

export const makeExclusive = (
  client: ClientRuntime,
  options: PublicationOptions
): Effect.Effect<ExclusivePublication, TransportError, Scope.Scope> =>
  Effect.map(acquire(client, options, true), (handle) => ({
    ...publicationOf(handle),
    revoke: Effect.sync(() => {
      client.conductor.closePublication(handle.kernel, true)
      client.wakeDriver()
    })
  }))
