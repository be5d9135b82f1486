/** The streams and sinks of logs. */
import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import {
  CapacityExhausted,
  Closed,
  type CoreError,
  type CoreErrorReason,
  LivenessLost,
  MaxPositionExceeded,
  MessageTooLong
} from "../CoreError.ts"
import * as IdleStrategy from "../IdleStrategy.ts"
import type { LogBuffer, OfferManyResult, OfferResult, SinkOptions, StreamOptions } from "../LogBuffer.ts"
import { BatchReader } from "../logbuffer/BatchReader.ts"
import { FragmentBatch } from "../logbuffer/FragmentBatch.ts"
import * as LogBufferMetadata from "../logbuffer/LogBufferMetadata.ts"
import * as OfferCode from "../logbuffer/OfferResult.ts"
import { ReaderSlot } from "../logbuffer/ReaderSlot.ts"
import { READERS_MAX } from "../logbuffer/SharingDescriptor.ts"
import { TermTail } from "../logbuffer/TermTail.ts"
import { attempt } from "./attempt.ts"
import { IdleWait } from "./idleWait.ts"
import { fail, handleOf, type LogBufferHandle, nowMs } from "./logBufferHandle.ts"

const BATCH_MAX_DEFAULT = 1024
const HEARTBEATS_IN_TIMEOUT = 5

export const offer = (self: LogBuffer, message: Uint8Array): Effect.Effect<OfferResult, CoreError> => {
  const handle = handleOf(self)
  return Effect.andThen(
    checkLength(handle, message),
    attempt(() => resultOf(handle.publisher.offer(message, 0, message.length)))
  )
}

export const offerMany = (
  self: LogBuffer,
  messages: ReadonlyArray<Uint8Array>
): Effect.Effect<OfferManyResult, CoreError> => {
  const handle = handleOf(self)
  return Effect.andThen(
    checkLengths(handle, messages),
    attempt(() => {
      const result = resultOf(handle.publisher.offerMany(messages, 0))
      return { accepted: handle.publisher.acceptedCount, result }
    })
  )
}

const resultOf = (code: number): OfferResult => {
  switch (code) {
    case OfferCode.NOT_CONNECTED:
      return { _tag: "NotConnected" }
    case OfferCode.BACK_PRESSURED:
      return { _tag: "BackPressured" }
    case OfferCode.CLOSED:
      return { _tag: "Ended" }
    case OfferCode.MAX_POSITION_EXCEEDED:
      return { _tag: "MaxPositionExceeded" }
    default:
      return { _tag: "Accepted", position: code }
  }
}

const checkLength = (handle: LogBufferHandle, { length }: Uint8Array): Effect.Effect<void, CoreError> =>
  length <= handle.maxMessageLength
    ? Effect.void
    : fail(new MessageTooLong({ length, lengthMax: handle.maxMessageLength }))

const checkLengths = (handle: LogBufferHandle, messages: ReadonlyArray<Uint8Array>): Effect.Effect<void, CoreError> => {
  const tooLong = messages.find(({ length }) => length > handle.maxMessageLength)
  return tooLong === undefined ? Effect.void : checkLength(handle, tooLong)
}

export const end = (self: LogBuffer): Effect.Effect<void, CoreError> => {
  const { metadata, termLength } = handleOf(self).log
  return attempt(() => {
    if (LogBufferMetadata.endOfStreamPosition(metadata) === Infinity) {
      LogBufferMetadata.setEndOfStreamPosition(metadata, new TermTail(metadata).producerPosition(termLength))
    }
  })
}

export const sink = (self: LogBuffer, options?: SinkOptions): Sink.Sink<void, Uint8Array, never, CoreError> =>
  Sink.unwrap(
    Effect.sync(() => {
      const handle = handleOf(self)
      const idle = new IdleWait(options?.idle ?? IdleStrategy.park())
      const all = Sink.forEachArray((messages: Arr.NonEmptyReadonlyArray<Uint8Array>) =>
        publishAll(handle, messages, idle)
      )
      return options?.end === true ? Sink.mapEffect(all, () => end(self)) : all
    })
  )

const publishAll = Effect.fnUntraced(function* (
  handle: LogBufferHandle,
  messages: ReadonlyArray<Uint8Array>,
  idle: IdleWait
): Effect.fn.Return<void, CoreError> {
  yield* checkLengths(handle, messages)
  let published = 0
  while (published < messages.length) {
    const from = published
    const code = yield* attempt(() => {
      const answer = handle.publisher.offerMany(messages, from)
      published += handle.publisher.acceptedCount
      handle.tend()
      return answer
    })
    const reason = published === messages.length ? undefined : reasonToStop(handle, code)
    if (reason !== undefined) {
      return yield* fail(reason)
    }
    if (published > from) {
      idle.reset()
    } else {
      yield* idle.wait
    }
  }
})

/** Undefined when waiting may help. */
const reasonToStop = (handle: LogBufferHandle, code: number): CoreErrorReason | undefined => {
  switch (code) {
    case OfferCode.CLOSED:
      return new Closed({ resource: handle.name })
    case OfferCode.MAX_POSITION_EXCEEDED:
      return new MaxPositionExceeded({
        resource: handle.name,
        positionMax: handle.publisher.appender.positionMax
      })
    default:
      return handle.ownerLoss()
  }
}

/** A reader that has been let in, and where it stands. */
class Reading {
  readonly handle: LogBufferHandle
  readonly slot: ReaderSlot
  readonly reader: BatchReader

  constructor(handle: LogBufferHandle, slot: ReaderSlot) {
    this.handle = handle
    this.slot = slot
    this.reader = new BatchReader(handle.log, slot.position)
  }

  /** Gives back what was read before. */
  release(): void {
    if (this.slot.isActive) {
      this.slot.release(this.reader.position)
      this.handle.tend()
    }
  }

  /** Why there is nothing more to read; undefined when there may be. */
  end(): Effect.Effect<never, CoreError | Cause.Done> | undefined {
    const { handle, reader, slot } = this
    if (!slot.isActive) {
      const timeoutMs = handle.livenessTimeoutMs
      return fail(new LivenessLost({ resource: handle.name, role: "reader", timeoutMs }))
    }
    if (reader.position >= LogBufferMetadata.endOfStreamPosition(handle.log.metadata)) {
      return Cause.done()
    }
    const reason = handle.ownerLoss()
    return reason === undefined ? undefined : fail(reason)
  }
}

/** Lets a reader in, and gives signs of life for it until the scope closes, however slow its consumer is. */
const enter = Effect.fnUntraced(function* (
  handle: LogBufferHandle,
  idle: IdleWait
): Effect.fn.Return<Reading, CoreError, Scope.Scope> {
  const { metadata } = handle.log
  const slot = yield* Effect.acquireRelease(
    Effect.flatMap(
      attempt(() => ReaderSlot.request(metadata)),
      (requested) =>
        requested === undefined
          ? fail(new CapacityExhausted({ resource: `the readers of ${handle.name}`, capacity: READERS_MAX }))
          : Effect.succeed(requested)
    ),
    (requested) =>
      Effect.sync(() => {
        if (!metadata.state.isClosed) {
          requested.leave()
          handle.tend()
        }
      })
  )
  yield* attempt(() => handle.tend())
  while (yield* attempt(() => slot.isRequested)) {
    const reason = handle.ownerLoss()
    if (reason !== undefined) {
      return yield* fail(reason)
    }
    yield* idle.wait
  }
  yield* Effect.forkScoped(
    Effect.sync(() => {
      if (!metadata.state.isClosed && slot.isActive) {
        slot.heartbeat(nowMs())
      }
    }).pipe(Effect.andThen(Effect.sleep(handle.livenessTimeoutMs / HEARTBEATS_IN_TIMEOUT)), Effect.forever)
  )
  return yield* attempt(() => new Reading(handle, slot))
})

/** Reads until there are messages, or an end. */
const next = Effect.fnUntraced(function* (
  reading: Reading,
  batch: FragmentBatch,
  idle: IdleWait
): Effect.fn.Return<void, CoreError | Cause.Done> {
  for (;;) {
    const end = yield* attempt(() => {
      batch.count = 0
      reading.release()
      // Whatever was published before the end of the stream was seen is there to be read.
      const reason = reading.end()
      return reading.slot.isActive && reading.reader.read(batch) > 0 ? undefined : reason
    })
    if (batch.count > 0) {
      idle.reset()
      return
    }
    if (end !== undefined) {
      return yield* end
    }
    yield* idle.wait
  }
})

const batchesWith = <A>(
  self: LogBuffer,
  options: StreamOptions | undefined,
  take: (batch: FragmentBatch, reading: Reading) => A
): Stream.Stream<A, CoreError> =>
  Stream.fromChannel(
    Channel.fromTransform((_upstream, scope) =>
      Effect.gen(function* () {
        const idle = new IdleWait(options?.idle ?? IdleStrategy.park())
        const batch = new FragmentBatch(options?.batchMax ?? BATCH_MAX_DEFAULT)
        const reading = yield* Scope.provide(enter(handleOf(self), idle), scope)
        return Effect.map(next(reading, batch, idle), () => [take(batch, reading)] as const)
      })
    )
  )

export const batches = (self: LogBuffer, options?: StreamOptions): Stream.Stream<FragmentBatch, CoreError> =>
  batchesWith(self, options, (batch, reading) => {
    const owned = batch.toOwned()
    reading.release()
    return owned
  })

export const borrowedBatches = (self: LogBuffer, options?: StreamOptions): Stream.Stream<FragmentBatch, CoreError> =>
  batchesWith(self, options, (batch) => batch)

export const stream = (self: LogBuffer, options?: StreamOptions): Stream.Stream<Uint8Array, CoreError> =>
  Stream.mapArray(
    batches(self, options),
    ([batch]) =>
      Array.from({ length: batch.count }, (_, index) => batch.message(index)) as [Uint8Array, ...Array<Uint8Array>]
  )
