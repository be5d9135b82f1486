import type { CounterRecord } from "@millrace/core/kernel/counters/CountersReader"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ClientOptions, ClientService } from "../Client.ts"
import type { ClientListener } from "../client/ClientConductor.ts"
import * as MediaDriver from "../MediaDriver.ts"
import { InvalidOption, TransportError } from "../TransportError.ts"
import { connect } from "./clientConnect.ts"
import type { ClientRuntime } from "./clientRuntime.ts"
import * as publications from "./publications.ts"
import * as subscriptions from "./subscriptions.ts"
import { attempt, fail, reasonOfFailure } from "./transportError.ts"

const DRIVER_TIMEOUT_MS = 10_000
const KEEPALIVE_INTERVAL_MS = 500
const RESOURCE_LINGER_MS = 3_000

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
  const listener: ClientListener = {
    onFailure: (cause) => {
      const reason = reasonOfFailure(cause, driver.directory, "")
      Deferred.doneUnsafe(failure, Effect.fail(new TransportError({ reason })))
    },
    onPublicationError: () => {},
    onChannelError: () => {}
  }
  const client = yield* connect(
    {
      driver,
      driverTimeoutMs,
      keepaliveIntervalMs: yield* positive("keepaliveInterval", options.keepaliveInterval, keepaliveDefaultMs),
      resourceLingerMs: yield* positive("resourceLinger", options.resourceLinger, RESOURCE_LINGER_MS),
      clientName: options.name ?? "",
      idle: options.idle
    },
    listener
  )
  return {
    clientId: client.conductor.clientId,
    directory: driver.directory,
    awaitFailure: Deferred.await(failure),
    publication: (publication) => publications.make(client, publication),
    exclusivePublication: (publication) => publications.makeExclusive(client, publication),
    subscription: (subscription) => subscriptions.make(client, subscription),
    counters: counters(client)
  }
})

const counters = (client: ClientRuntime): Effect.Effect<ReadonlyArray<CounterRecord>, TransportError> =>
  attempt(() => {
    const records: Array<CounterRecord> = []
    client.counters.forEach((record) => records.push(record))
    return records
  })
