/** A simulated process with a client: its publications and subscriptions, and how it comes to its end. */
import type { ClientListener } from "../../../transport/src/client/ClientListener.ts"
import type { RequestHandlers } from "../../../transport/src/client/CommandSender.ts"
import type { ClientFailure, RequestFailure } from "../../../transport/src/client/ClientFailure.ts"
import type { ClientPublication } from "../../../transport/src/client/ClientPublication.ts"
import type { SubscriptionImages } from "../../../transport/src/client/SubscriptionImages.ts"
import { connectClient, type SimulatedClient } from "../../../transport/src/internal/simulatedDriver.ts"
import { SimulationFailure } from "../SimulationFailure.ts"
import type { Host } from "./Host.ts"
import type { Publisher } from "./Publisher.ts"
import type { Subscriber } from "./Subscriber.ts"

const TIMES = { driverTimeoutMs: 10_000, keepaliveIntervalMs: 500, resourceLingerMs: 3000, clientName: "simulated" }

export class Application {
  readonly host: Host
  readonly client: SimulatedClient
  readonly publishers: Array<Publisher> = []
  readonly subscribers: Array<Subscriber> = []
  /** How its client ended by itself. */
  failure: ClientFailure | undefined = undefined
  /** Something was done to it or its host that may end its client. */
  isExcused = false
  stalledUntilNs = 0
  private readonly onFailure: (failure: SimulationFailure) => void

  constructor(host: Host, onFailure: (failure: SimulationFailure) => void) {
    this.host = host
    this.onFailure = onFailure
    const listener: ClientListener = {
      onFailure: (failure) => this.onClientFailure(failure),
      onPublicationError: () => {},
      onAvailableCounter: () => {},
      onUnavailableCounter: () => {},
      onChannelError: (channel, { message }) =>
        onFailure(new SimulationFailure("channels work", `${channel}: ${message}`)),
      // Its subscriber finds it among the images that went away.
      onCorruptImage: () => {}
    }
    this.client = connectClient(host, host.directory, TIMES, listener)
  }

  get isAlive(): boolean {
    return this.failure === undefined
  }

  doWork(): void {
    this.client.conductor.doWork(this.host.clock.nanoTime())
  }

  addPublication(
    channel: string,
    streamId: number,
    isExclusive: boolean,
    onSuccess: (publication: ClientPublication) => void
  ): void {
    this.client.conductor.addPublication(channel, streamId, isExclusive, this.handlers(channel, onSuccess))
  }

  addSubscription(channel: string, streamId: number, onSuccess: (subscription: SubscriptionImages) => void): void {
    this.client.conductor.addSubscription(channel, streamId, this.handlers(channel, onSuccess))
  }

  closePublisher(publisher: Publisher, revoke: boolean): void {
    this.publishers.splice(this.publishers.indexOf(publisher), 1)
    publisher.settle(true)
    publisher.onClosed(revoke)
    this.client.conductor.closePublication(publisher.publication, revoke)
  }

  closeSubscriber(subscriber: Subscriber): void {
    this.subscribers.splice(this.subscribers.indexOf(subscriber), 1)
    this.client.conductor.closeSubscription(subscriber.subscription)
  }

  rejectImage(subscriber: Subscriber): void {
    const [image] = subscriber.subscription.current
    if (image !== undefined) {
      subscriber.onRejected(image)
      this.client.conductor.rejectImage(image, "rejected by the simulation", {
        onSuccess: () => {},
        onFailure: () => {}
      })
    }
  }

  /** An end in order. */
  close(): void {
    for (const publisher of this.publishers) {
      publisher.settle(true)
      publisher.onClosed(false)
    }
    this.client.conductor.onClose()
    this.leave()
  }

  /** The process is gone from one moment to the next. */
  kill(): void {
    for (const publisher of this.publishers) {
      publisher.die()
    }
    this.client.mappings.closeAll()
    this.leave()
  }

  private leave(): void {
    this.publishers.length = 0
    this.subscribers.length = 0
  }

  private onClientFailure(failure: ClientFailure): void {
    this.failure = failure
    for (const publisher of this.publishers) {
      publisher.die()
    }
    if (!this.isExcused) {
      this.onFailure(new SimulationFailure("clients live", `on ${this.host.directory}: ${describe(failure)}`))
    }
  }

  private handlers<A>(channel: string, onSuccess: (value: A) => void): RequestHandlers<A> {
    return {
      onSuccess,
      onFailure: (failure) => {
        if (!this.isExcused && !isExpected(failure)) {
          const detail = failure._tag === "Refused" ? failure.message : failure._tag
          this.onFailure(new SimulationFailure("requests are granted", `${channel}: ${detail}`))
        }
      }
    }
  }
}

/** What ends the client is told to the client. A session that goes on lingering cannot be taken again yet. */
const isExpected = (failure: RequestFailure): boolean =>
  !["Refused", "NoResponse", "CommandsFull", "Unmappable"].includes(failure._tag) ||
  (failure._tag === "Refused" && /session-id|clash|closing/i.test(failure.message))

const describe = (failure: ClientFailure): string =>
  failure._tag === "Corrupt"
    ? `Corrupt: ${failure.error instanceof Error ? failure.error.stack : String(failure.error)}`
    : `${failure._tag} ${JSON.stringify(failure, (_key, value) => (typeof value === "bigint" ? String(value) : value))}`
