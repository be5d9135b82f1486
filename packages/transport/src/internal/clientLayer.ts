/** A client over its connections: what it is asked for goes to the one that there is. */
import type { CounterRecord, CountersReader } from "@millrace/core/kernel/counters/CountersReader"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as PubSub from "effect/PubSub"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as Take from "effect/Take"
import { SocketAddress } from "../channel/SocketAddress.ts"
import type { ClientOptions, ClientService, ClientStatus } from "../Client.ts"
import type { ClientFailure } from "../client/ClientFailure.ts"
import type { ClientListener } from "../client/ClientListener.ts"
import type { CounterEvent } from "../Counters.ts"
import * as MediaDriver from "../MediaDriver.ts"
import {
  ChannelFailed,
  Closed,
  PublicationRejected,
  TransportError,
  type TransportErrorReason
} from "../TransportError.ts"
import { isRecoverable, openConnection, type ReconnectOptions, superviseConnections } from "./clientReconnect.ts"
import { type ClientConnection, ClientRuntime, request } from "./clientRuntime.ts"
import { concludeClient } from "./concludeClient.ts"
import * as counterHandles from "./counterHandles.ts"
import { healthOf } from "./driverHealth.ts"
import * as publications from "./publications.ts"
import * as subscriptions from "./subscriptions.ts"
import { attempt, corruptImage, fail, reasonOfFailure } from "./transportError.ts"

/** Errors, and counters that come and go, that wait for one who listens to them. */
const EVENTS_MAX = 256
/** Changes of the status that wait for one who listens to them; then the oldest is forgotten. */
const STATUS_MAX = 64

type Events<A> = PubSub.PubSub<Take.Take<A, TransportError>>

/** What a client tells without being asked. All end with the client. */
interface Topics {
  readonly errors: Events<TransportError>
  readonly counters: Events<CounterEvent>
  readonly status: Events<ClientStatus>
  readonly failure: Deferred.Deferred<never, TransportError>
}

const makeTopics = Effect.gen(function* () {
  const topics: Topics = {
    errors: yield* PubSub.dropping<Take.Take<TransportError, TransportError>>(EVENTS_MAX),
    counters: yield* PubSub.dropping<Take.Take<CounterEvent, TransportError>>(EVENTS_MAX),
    status: yield* PubSub.sliding<Take.Take<ClientStatus, TransportError>>({ capacity: STATUS_MAX, replay: 1 }),
    failure: yield* Deferred.make<never, TransportError>()
  }
  yield* Effect.addFinalizer(() =>
    PubSub.publish(topics.status, [{ _tag: "Closed" }]).pipe(
      Effect.andThen(Effect.sync(() => endTopics(topics, Exit.void)))
    )
  )
  return topics
})

const endTopics = (topics: Topics, exit: Exit.Exit<void, TransportError>): void => {
  PubSub.endUnsafe(topics.errors, exit)
  PubSub.endUnsafe(topics.counters, exit)
  PubSub.endUnsafe(topics.status, exit)
}

const failTopics = (topics: Topics, reason: TransportErrorReason): void => {
  const error = new TransportError({ reason })
  Deferred.doneUnsafe(topics.failure, Effect.fail(error))
  endTopics(topics, Exit.fail(error))
}

/**
 * The conductor tells in the middle of its work: whoever hears of it goes on after that, and may end the client.
 */
const listenerOf = (topics: Topics, onFailure: (failure: ClientFailure) => void): ClientListener => {
  const tell = (reason: TransportErrorReason): void => {
    queueMicrotask(() => PubSub.publishUnsafe(topics.errors, [new TransportError({ reason })]))
  }
  const tellCounter = (event: CounterEvent): void => {
    queueMicrotask(() => PubSub.publishUnsafe(topics.counters, [event]))
  }
  return {
    onFailure,
    onPublicationError: ({ address, message: detail, port, sessionId, streamId }, channel) => {
      // Over IPC there is no address: the subscriber is at the same driver.
      const by = port === 0 ? "aeron:ipc" : new SocketAddress(address, port).text
      tell(new PublicationRejected({ channel, sessionId, streamId, by, detail }))
    },
    onChannelError: (channel, { message: detail }) => tell(new ChannelFailed({ channel, detail })),
    onCorruptImage: (image, channel) => tell(corruptImage(image, channel)),
    onAvailableCounter: (registrationId, counterId) => tellCounter({ _tag: "Available", registrationId, counterId }),
    onUnavailableCounter: (registrationId, counterId) => tellCounter({ _tag: "Unavailable", registrationId, counterId })
  }
}

/** Connects, and goes on with the next driver whenever one is lost, if that is wanted. */
const start = Effect.fnUntraced(function* (
  options: ReconnectOptions,
  topics: Topics
): Effect.fn.Return<ClientRuntime, TransportError, Scope.Scope> {
  const { directory, wakeUnsafe } = options.driver
  const scope = yield* Effect.scope
  /** Empty while the first connection is being made, which may fail at once. */
  const made: { client?: ClientRuntime } = {}
  const onFailure = (failure: ClientFailure): void => {
    const reason = reasonOfFailure(failure, directory, "")
    if (options.reconnectTimeoutMs !== undefined && isRecoverable(failure)) {
      made.client?.wait(reason)
    } else {
      made.client?.finish(reason)
      queueMicrotask(() => failTopics(topics, reason))
    }
  }
  const listener = listenerOf(topics, onFailure)
  const first = yield* openConnection(options, listener, scope)
  const { clientId } = first.connection.conductor
  const client = new ClientRuntime(directory, wakeUnsafe, first.connection, yield* Latch.make(true))
  made.client = client
  // Whoever waits for a driver that this client waits for is told that nobody does any more.
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      if (client.isWaiting) {
        client.finish(new Closed({ resource: "the client" }))
      }
    })
  )
  const tell = (status: ClientStatus) => PubSub.publish(topics.status, [status])
  yield* tell({ _tag: "Connected", clientId })
  yield* Effect.logDebug("millrace: connected to a media driver").pipe(
    Effect.annotateLogs({ directory, clientId: String(clientId), pid: first.connection.header.pid })
  )
  if (options.reconnectTimeoutMs !== undefined) {
    const onEnd = (reason: TransportErrorReason): void => {
      client.finish(reason)
      failTopics(topics, reason)
    }
    yield* Effect.forkScoped(superviseConnections({ client, options, listener, scope, tell }, first, onEnd))
  }
  return client
})

export const make = Effect.fnUntraced(function* (
  options: ClientOptions
): Effect.fn.Return<ClientService, TransportError, Scope.Scope> {
  const current = yield* MediaDriver.CurrentDriver
  const driver = options.directory === undefined ? current : { directory: options.directory, wakeUnsafe: () => {} }
  const concluded = yield* concludeClient(options)
  const topics = yield* makeTopics
  const client = yield* start({ ...concluded, driver, idle: options.idle }, topics)
  const errors = Stream.fromPubSubTake(topics.errors)
  return {
    get clientId() {
      return client.connection.conductor.clientId
    },
    directory: driver.directory,
    awaitFailure: Deferred.await(topics.failure),
    errors,
    status: Stream.fromPubSubTake(topics.status),
    publication: (publication) => publications.make(client, publication, errors),
    exclusivePublication: (publication) => publications.makeExclusive(client, publication, errors),
    subscription: (subscription) => subscriptions.make(client, subscription),
    counters: counters(client),
    countersUnsafe: () => client.connection.counters,
    addCounter: (counter) => counterHandles.add(client, counter),
    addStaticCounter: (counter) => counterHandles.addStatic(client, counter),
    counterEvents: Stream.fromPubSubTake(topics.counters),
    nextSessionId: (streamId) =>
      request<number>(client, {
        description: `next session id of stream ${streamId}`,
        send: (conductor, handlers) => conductor.nextSessionId(streamId, handlers)
      }),
    nextCorrelationId: connected(client, ({ conductor }) => conductor.nextCorrelationId()),
    unknownResponseCount: Effect.sync(() => client.connection.conductor.unknownResponseCount),
    health: healthOf(client, concluded.driverTimeoutMs)
  }
})

const counters = (client: ClientRuntime): Effect.Effect<ReadonlyArray<CounterRecord>, TransportError> =>
  connected(client, (connection) => recordsOf(connection.counters))

/** Evaluated while there is a driver. */
const connected = <A>(
  client: ClientRuntime,
  evaluate: (connection: ClientConnection) => A
): Effect.Effect<A, TransportError> =>
  Effect.suspend(() => {
    const reason = client.waitingFor ?? client.end
    return reason === undefined ? attempt(() => evaluate(client.connection)) : fail(reason)
  })

const recordsOf = (reader: CountersReader): ReadonlyArray<CounterRecord> => {
  const records: Array<CounterRecord> = []
  reader.forEach((record) => records.push(record))
  return records
}
