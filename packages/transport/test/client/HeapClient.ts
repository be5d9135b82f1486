/** A client's conductor beside a `HeapDriver`: both stand still until a test steps them. */
import { BroadcastReceiver } from "@millrace/core/kernel/broadcast/BroadcastReceiver"
import { CopyBroadcastReceiver } from "@millrace/core/kernel/broadcast/CopyBroadcastReceiver"
import { FragmentBatch } from "@millrace/core/kernel/logbuffer/FragmentBatch"
import { assert } from "@effect/vitest"
import { ClientConductor } from "../../src/client/ClientConductor.ts"
import type { RequestHandlers } from "../../src/client/CommandSender.ts"
import type { ClientFailure, RequestFailure } from "../../src/client/ClientFailure.ts"
import { ClientHeartbeat } from "../../src/client/ClientHeartbeat.ts"
import type { ClientPublication } from "../../src/client/ClientPublication.ts"
import type { ImageReader } from "../../src/client/ImageReader.ts"
import { SharedLogs } from "../../src/client/SharedLogs.ts"
import type { SubscriptionImages } from "../../src/client/SubscriptionImages.ts"
import type { PublicationError } from "../../src/command/PublicationError.ts"
import type { HeapDriver } from "../driver/HeapDriver.ts"

export const CHANNEL = "aeron:ipc"
export const STREAM = 1001

export class HeapClient {
  readonly conductor: ClientConductor
  readonly failures: Array<ClientFailure> = []
  readonly publicationErrors: Array<PublicationError> = []
  readonly channelErrors: Array<string> = []
  readonly corruptImages: Array<ImageReader> = []
  readonly counterEvents: Array<readonly ["+" | "-", registrationId: bigint, counterId: number]> = []
  isDriverReplaced = false
  /** Set to make the next mapping of a log fail. */
  mappingError: Error | undefined = undefined
  readonly mapped: Array<{ readonly state: { readonly isClosed: boolean } }> = []
  private readonly driver: HeapDriver

  constructor(driver: HeapDriver) {
    this.driver = driver
    const proxy = driver.newClient()
    const logs = new SharedLogs((fileName) => {
      if (this.mappingError !== undefined) {
        throw this.mappingError
      }
      const region = driver.logFactory.map(fileName)
      this.mapped.push(region)
      return region
    }, 3e9)
    this.conductor = new ClientConductor(
      {
        settings: {
          driverTimeoutNs: 10e9,
          keepaliveIntervalNs: 500e6,
          resourceLingerNs: 3e9,
          interServiceTimeoutNs: 10e9,
          clientName: "heap"
        },
        clock: driver.clock,
        driver: proxy,
        responses: new CopyBroadcastReceiver(new BroadcastReceiver(driver.toClients.buffer())),
        counters: driver.counters,
        heartbeat: new ClientHeartbeat(driver.counters, proxy.clientId, " name=heap"),
        logs,
        isDriverReplaced: () => this.isDriverReplaced
      },
      {
        onFailure: (failure) => this.failures.push(failure),
        onPublicationError: (error) => this.publicationErrors.push(error),
        onChannelError: (channel, { message }) => this.channelErrors.push(`${channel}: ${message}`),
        onCorruptImage: (image) => this.corruptImages.push(image),
        onAvailableCounter: (registrationId, counterId) => this.counterEvents.push(["+", registrationId, counterId]),
        onUnavailableCounter: (registrationId, counterId) => this.counterEvents.push(["-", registrationId, counterId])
      }
    )
    this.conductor.onStart(driver.clock.nanoTime())
  }

  /** A tick of the driver and one of the client. */
  step(): void {
    this.driver.tick()
    this.conductor.doWork(this.driver.clock.nanoTime())
  }

  /** Time passes in steps of half a second, with a tick of both in each. */
  pass(ms: number): void {
    for (let passed = 0; passed < ms; passed += 500) {
      this.driver.clock.advanceMs(500)
      this.step()
    }
  }

  addPublication(channel = CHANNEL, isExclusive = false): ClientPublication {
    return this.answer<ClientPublication>((handlers) =>
      this.conductor.addPublication(channel, STREAM, isExclusive, handlers)
    )
  }

  addSubscription(channel = CHANNEL): SubscriptionImages {
    return this.answer<SubscriptionImages>((handlers) => this.conductor.addSubscription(channel, STREAM, handlers))
  }

  /** Sends a request and steps until it is answered. */
  answer<A>(send: (handlers: RequestHandlers<A>) => unknown): A {
    let value: { readonly a: A } | undefined
    send({ onSuccess: (a) => (value = { a }), onFailure: (failure) => assert.fail(JSON.stringify(failure)) })
    this.step()
    assert(value !== undefined)
    return value.a
  }

  refusal<A>(send: (handlers: RequestHandlers<A>) => unknown): RequestFailure {
    let refused: RequestFailure | undefined
    send({ onSuccess: () => assert.fail("was accepted"), onFailure: (failure) => (refused = failure) })
    this.step()
    assert(refused !== undefined)
    return refused
  }
}

const decoder = new TextDecoder()

/** Everything there is to read, as text. */
export const readAll = (subscription: SubscriptionImages): ReadonlyArray<string> => {
  const texts: Array<string> = []
  const batch = new FragmentBatch(64)
  for (;;) {
    const image = subscription.read(batch, Infinity)
    if (image === undefined) {
      return texts
    }
    for (let index = 0; index < batch.count; index++) {
      texts.push(decoder.decode(batch.message(index)))
    }
    image.release()
  }
}
