import type { CounterRecord } from "@millrace/core/kernel/counters/CountersReader"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as PubSub from "effect/PubSub"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as Take from "effect/Take"
import { SocketAddress } from "../channel/SocketAddress.ts"
import type { ClientOptions, ClientService } from "../Client.ts"
import type { ClientListener } from "../client/ClientListener.ts"
import * as MediaDriver from "../MediaDriver.ts"
import {
  ChannelFailed,
  InvalidOption,
  PublicationRejected,
  TransportError,
  type TransportErrorReason
} from "../TransportError.ts"
import { connect } from "./clientConnect.ts"
import type { ClientRuntime } from "./clientRuntime.ts"
import * as publications from "./publications.ts"
import * as subscriptions from "./subscriptions.ts"
import { attempt, corruptImage, fail, reasonOfFailure } from "./transportError.ts"

const DRIVER_TIMEOUT_MS = 10_000
const KEEPALIVE_INTERVAL_MS = 500
const RESOURCE_LINGER_MS = 3_000
/** Errors that wait for one who listens to them. */
const ERRORS_MAX = 256

const shown = (value: unknown): string => String(value)

const positive = (
  option: keyof ClientOptions,
  input: Duration.Input | undefined,
  defaultMs: number
): Effect.Effect<number, TransportError> => {
  const ms = input === undefined ? defaultMs : Duration.toMillis(input)
  return Number.isFinite(ms) && ms > 0
    ? Effect.succeed(ms)
    : fail(new InvalidOption({ option, value: shown(input), allowed: "a duration above 0" }))
}

export const make = Effect.fnUntraced(function* (
  options: ClientOptions
): Effect.fn.Return<ClientService, TransportError, Scope.Scope> {
  const current = yield* MediaDriver.CurrentDriver
  const driver = options.directory === undefined ? current : { directory: options.directory, wakeUnsafe: () => {} }
  const driverTimeoutMs = yield* positive("driverTimeout", options.driverTimeout, DRIVER_TIMEOUT_MS)
  const keepaliveDefaultMs = Math.min(KEEPALIVE_INTERVAL_MS, driverTimeoutMs / 4)
  const failure = yield* Deferred.make<never, TransportError>()
  const errors = yield* PubSub.dropping<Take.Take<TransportError, TransportError>>(ERRORS_MAX)
  yield* Effect.addFinalizer(() => PubSub.end(errors, Exit.void))
  const client = yield* connect(
    {
      driver,
      driverTimeoutMs,
      keepaliveIntervalMs: yield* positive("keepaliveInterval", options.keepaliveInterval, keepaliveDefaultMs),
      resourceLingerMs: yield* positive("resourceLinger", options.resourceLinger, RESOURCE_LINGER_MS),
      clientName: options.name ?? "",
      idle: options.idle
    },
    listenerOf(driver.directory, failure, errors)
  )
  return {
    clientId: client.conductor.clientId,
    directory: driver.directory,
    awaitFailure: Deferred.await(failure),
    errors: Stream.fromPubSubTake(errors),
    publication: (publication) => publications.make(client, publication),
    exclusivePublication: (publication) => publications.makeExclusive(client, publication),
    subscription: (subscription) => subscriptions.make(client, subscription),
    counters: counters(client)
  }
})

type Errors = PubSub.PubSub<Take.Take<TransportError, TransportError>>

const listenerOf = (
  directory: string,
  failure: Deferred.Deferred<never, TransportError>,
  errors: Errors
): ClientListener => {
  const tell = (reason: TransportErrorReason): void => {
    PubSub.publishUnsafe(errors, [new TransportError({ reason })])
  }
  return {
    onFailure: (cause) => {
      const error = new TransportError({ reason: reasonOfFailure(cause, directory, "") })
      Deferred.doneUnsafe(failure, Effect.fail(error))
      PubSub.endUnsafe(errors, Exit.fail(error))
    },
    onPublicationError: ({ address, message: detail, port, sessionId, streamId }, channel) => {
      // Over IPC there is no address: the subscriber is at the same driver.
      const by = port === 0 ? "aeron:ipc" : new SocketAddress(address, port).text
      tell(new PublicationRejected({ channel, sessionId, streamId, by, detail }))
    },
    onChannelError: (channel, { message: detail }) => tell(new ChannelFailed({ channel, detail })),
    onCorruptImage: (image, channel) => tell(corruptImage(image, channel)),
    onAvailableCounter: () => {},
    onUnavailableCounter: () => {}
  }
}

const counters = (client: ClientRuntime): Effect.Effect<ReadonlyArray<CounterRecord>, TransportError> =>
  attempt(() => {
    const records: Array<CounterRecord> = []
    client.counters.forEach((record) => records.push(record))
    return records
  })
