/**
 * The conductor of a client: the agent that talks to the driver. It sends commands, takes the answers out of the
 * broadcast, keeps the heartbeats of both sides in view, and owns every publication, subscription and mapped log.
 *
 * All callbacks run inside `doWork` or the call that sent the command; they must not throw.
 */
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import type { Clock } from "@millrace/core/kernel/agent/Clock"
import type { CopyBroadcastReceiver } from "@millrace/core/kernel/broadcast/CopyBroadcastReceiver"
import { Lapped } from "@millrace/core/kernel/broadcast/Lapped"
import { AtomicCounter } from "@millrace/core/kernel/counters/AtomicCounter"
import type { CountersReader } from "@millrace/core/kernel/counters/CountersReader"
import type { MessageHandler } from "@millrace/core/kernel/ringbuffer/MessageHandler"
import * as ChannelUri from "../channel/ChannelUri.ts"
import type { CounterUpdate } from "../command/CounterUpdate.ts"
import { type DriverProxy, FULL } from "../command/DriverProxy.ts"
import * as ErrorCode from "../command/ErrorCode.ts"
import type { ErrorResponse } from "../command/ErrorResponse.ts"
import type { ImageBuffersReady } from "../command/ImageBuffersReady.ts"
import type { ImageMessage } from "../command/ImageMessage.ts"
import type { PublicationBuffersReady } from "../command/PublicationBuffersReady.ts"
import type { PublicationError } from "../command/PublicationError.ts"
import type { ClientFailure, RequestFailure } from "./ClientFailure.ts"
import type { ClientHeartbeat } from "./ClientHeartbeat.ts"
import { ClientPublication } from "./ClientPublication.ts"
import type { ClientSettings } from "./ClientSettings.ts"
import { ImageReader } from "./ImageReader.ts"
import { type PendingRequest, PendingRequests } from "./PendingRequests.ts"
import { dispatch, type ResponseListener } from "./ResponseDispatch.ts"
import { isMissing, type SharedLogs } from "./SharedLogs.ts"
import { SubscriptionImages } from "./SubscriptionImages.ts"

/** Responses read in one tick. */
const RESPONSES_PER_TICK_MAX = 32
const NS_PER_MS = 1e6

export interface ClientContext {
  readonly settings: ClientSettings
  readonly clock: Clock
  readonly driver: DriverProxy
  readonly responses: CopyBroadcastReceiver
  readonly counters: CountersReader
  readonly heartbeat: ClientHeartbeat
  readonly logs: SharedLogs
}

/** What happens to a client as a whole. Must not throw. */
export interface ClientListener {
  onFailure(failure: ClientFailure): void
  /** A subscriber refused the stream of a publication of this client. */
  onPublicationError(error: PublicationError, channel: string): void
  /** A channel that this client uses failed. */
  onChannelError(channel: string, error: ErrorResponse): void
  /** An image was closed because its log holds what cannot be. */
  onCorruptImage(image: ImageReader, channel: string): void
}

/** Where the answer to a request goes. */
export interface RequestHandlers<A> {
  readonly onSuccess: (value: A) => void
  readonly onFailure: (failure: RequestFailure) => void
}

/** Nobody waits for the request any more. */
export type Cancel = () => void

export class ClientConductor implements Agent, ResponseListener {
  readonly roleName = "client-conductor"
  readonly clientId: bigint
  readonly counters: CountersReader
  unknownResponseCount = 0
  private readonly context: ClientContext
  private readonly listener: ClientListener
  private readonly pending: PendingRequests
  private readonly publications = new Map<bigint, ClientPublication>()
  private readonly subscriptions = new Map<bigint, SubscriptionImages>()
  /** Commands that did not fit in the ring and nobody waits for: they are sent when there is room. */
  private readonly unsent: Array<() => bigint> = []
  private readonly onMessage: MessageHandler = (typeId, buffer, offset, length) =>
    dispatch(this, typeId, buffer, offset, length)
  private state: { readonly _tag: "Active" } | { readonly _tag: "Closed" } | ClientFailure = { _tag: "Active" }
  private nowNs = 0
  private nextKeepaliveNs = 0

  constructor(context: ClientContext, listener: ClientListener) {
    this.context = context
    this.listener = listener
    this.clientId = context.driver.clientId
    this.counters = context.counters
    this.pending = new PendingRequests(context.settings.driverTimeoutNs)
    this.nowNs = context.clock.nanoTime()
  }

  /** Why no request can be sent, or undefined when one can. */
  get inactive(): RequestFailure | undefined {
    return this.state._tag === "Active" ? undefined : this.state
  }

  onStart(nowNs: number): void {
    this.nowNs = nowNs
    this.nextKeepaliveNs = nowNs + this.context.settings.keepaliveIntervalNs
  }

  doWork(nowNs: number): number {
    if (this.state._tag !== "Active") {
      return 0
    }
    const intervalNs = nowNs - this.nowNs
    this.nowNs = nowNs
    if (intervalNs > this.context.settings.interServiceTimeoutNs) {
      const limitMs = this.context.settings.interServiceTimeoutNs / NS_PER_MS
      this.fail({ _tag: "ServiceTimeout", intervalMs: Math.round(intervalNs / NS_PER_MS), limitMs })
      return 1
    }
    return this.processResponses() + this.processTimers()
  }

  /** The driver is told, and every log is unmapped. */
  onClose(): void {
    if (this.state._tag === "Active") {
      this.context.driver.clientClose()
      this.endAll({ _tag: "Closed" })
    }
  }

  addPublication(
    channel: string,
    streamId: number,
    isExclusive: boolean,
    handlers: RequestHandlers<ClientPublication>
  ): Cancel {
    const { driver } = this.context
    const send = isExclusive
      ? () => driver.addExclusivePublication(channel, streamId)
      : () => driver.addPublication(channel, streamId)
    return this.request("publication", send, handlers, channel, streamId)
  }

  addSubscription(channel: string, streamId: number, handlers: RequestHandlers<SubscriptionImages>): Cancel {
    const send = () => this.context.driver.addSubscription(channel, streamId)
    return this.request("subscription", send, handlers, channel, streamId)
  }

  addCounter(
    typeId: number,
    key: Uint8Array,
    label: string,
    handlers: RequestHandlers<{ readonly registrationId: bigint; readonly counterId: number }>
  ): Cancel {
    return this.request("counter", () => this.context.driver.addCounter(typeId, key, label), handlers)
  }

  removeCounter(registrationId: bigint): void {
    this.sendEventually(() => this.context.driver.removeCounter(registrationId))
  }

  rejectImage(image: ImageReader, reason: string, handlers: RequestHandlers<void>): Cancel {
    const send = () => this.context.driver.rejectImage(image.correlationId, image.position, reason)
    return this.request("operation", send, handlers)
  }

  /** Offers answer CLOSED from now on; the driver lets subscribers drain, unless it is revoked. */
  closePublication(publication: ClientPublication, revoke: boolean): void {
    if (!publication.isClosed) {
      publication.close()
      this.publications.delete(publication.registrationId)
      this.releaseLog(publication)
      this.sendEventually(() => this.context.driver.removePublication(publication.registrationId, revoke))
    }
  }

  closeSubscription(subscription: SubscriptionImages): void {
    if (!subscription.isClosed) {
      subscription.isClosed = true
      this.subscriptions.delete(subscription.registrationId)
      this.closeImages(subscription, "Closed")
      this.sendEventually(() => this.context.driver.removeSubscription(subscription.registrationId))
    }
  }

  onError(response: ErrorResponse): void {
    if (response.code === ErrorCode.CHANNEL_ENDPOINT_ERROR) {
      const channel = this.channelOf(Number(response.offendingCorrelationId))
      if (channel !== undefined) {
        this.listener.onChannelError(channel, response)
      }
      return
    }
    const request = this.pending.take(response.offendingCorrelationId)
    if (request?.isAbandoned === false) {
      request.onFailure({ _tag: "Refused", code: response.code, message: response.message })
    }
  }

  onAvailableImage(response: ImageBuffersReady): void {
    const subscription = this.subscriptions.get(response.subscriptionRegistrationId)
    if (subscription === undefined || subscription.has(response.correlationId)) {
      return
    }
    try {
      const subscriberPosition = new AtomicCounter(this.counters.values, response.subscriberPositionId)
      const log = this.context.logs.acquire(response.correlationId, response.logFile)
      subscription.add(new ImageReader({ ...response, subscriberPosition, log }))
    } catch (error) {
      // A log that was deleted is of an image that has ended, which the driver will say next. One that cannot be mapped
      // ends the client: without the image the subscription would silently miss a stream.
      if (!isMissing(error)) {
        this.fail({ _tag: "Corrupt", error })
      }
    }
  }

  onUnavailableImage(response: ImageMessage): void {
    const subscription = this.subscriptions.get(response.subscriptionRegistrationId)
    const image = subscription?.remove(response.correlationId, "Unavailable")
    if (image !== undefined) {
      this.releaseLog(image)
    }
  }

  onPublicationReady(response: PublicationBuffersReady, isExclusive: boolean): void {
    const request = this.pending.take(response.correlationId, "publication")
    if (request === undefined) {
      return
    }
    if (request.isAbandoned) {
      this.sendEventually(() => this.context.driver.removePublication(response.correlationId, false))
      return
    }
    try {
      const limit = new AtomicCounter(this.counters.values, response.publisherLimitId)
      const publication = new ClientPublication({
        registrationId: response.correlationId,
        originalRegistrationId: response.registrationId,
        channel: request.channel,
        streamId: response.streamId,
        sessionId: response.sessionId,
        isExclusive,
        channelStatusId: response.channelStatusId,
        log: this.context.logs.acquire(response.registrationId, response.logFile),
        limit
      })
      this.publications.set(response.correlationId, publication)
      request.onSuccess(publication as never)
    } catch (error) {
      this.sendEventually(() => this.context.driver.removePublication(response.correlationId, false))
      request.onFailure({ _tag: "Unmappable", error })
    }
  }

  onPublicationError(response: PublicationError): void {
    for (const publication of this.publications.values()) {
      if (publication.originalRegistrationId === response.registrationId) {
        this.listener.onPublicationError(response, publication.channel)
        return
      }
    }
  }

  onOperationSuccess(correlationId: bigint): void {
    const request = this.pending.take(correlationId, "operation")
    if (request?.isAbandoned === false) {
      request.onSuccess(undefined as never)
    }
  }

  onSubscriptionReady(response: CounterUpdate): void {
    const request = this.pending.take(response.correlationId, "subscription")
    if (request === undefined) {
      return
    }
    if (request.isAbandoned) {
      this.sendEventually(() => this.context.driver.removeSubscription(response.correlationId))
      return
    }
    const subscription = new SubscriptionImages({
      registrationId: response.correlationId,
      channel: request.channel,
      streamId: request.streamId,
      channelStatusId: response.counterId,
      onCorrupt: (image) => this.onCorruptImage(image, request.channel)
    })
    this.subscriptions.set(response.correlationId, subscription)
    request.onSuccess(subscription as never)
  }

  onCounterReady(response: CounterUpdate): void {
    const request = this.pending.take(response.correlationId, "counter")
    if (request?.isAbandoned === true) {
      this.removeCounter(response.correlationId)
    } else {
      request?.onSuccess({ registrationId: response.correlationId, counterId: response.counterId } as never)
    }
  }

  onUnavailableCounter(): void {}

  // Answers to commands that this client does not send: they are for others.
  onStaticCounter(): void {}

  onNextAvailableSessionId(): void {}

  onClientTimeout(clientId: bigint): void {
    if (clientId === this.clientId) {
      this.fail({ _tag: "ClientTimeout", clientId })
    }
  }

  onUnknownResponse(): void {
    this.unknownResponseCount++
  }

  /** Its position stands still from now on, and would hold up the publisher: the driver is to take it away for all. */
  private onCorruptImage(image: ImageReader, channel: string): void {
    this.releaseLog(image)
    this.listener.onCorruptImage(image, channel)
    // One that may be left behind holds up nobody. It may have been already, and have read what was overwritten since.
    if (ChannelUri.parse(channel).get("tether") !== "false") {
      const reason = `corrupt frame at position ${image.position}`
      this.sendEventually(() => this.context.driver.rejectImage(image.correlationId, image.position, reason))
    }
  }

  /** Undefined when nothing of this client uses the channel with this status. */
  private channelOf(channelStatusId: number): string | undefined {
    for (const users of [this.publications.values(), this.subscriptions.values()]) {
      for (const user of users) {
        if (user.channelStatusId === channelStatusId) {
          return user.channel
        }
      }
    }
    return undefined
  }

  private request<A>(
    kind: PendingRequest["kind"],
    send: () => bigint,
    handlers: RequestHandlers<A>,
    channel = "",
    streamId = 0
  ): Cancel {
    if (this.inactive !== undefined) {
      handlers.onFailure(this.inactive)
      return noCancel
    }
    const correlationId = send()
    if (correlationId === FULL) {
      handlers.onFailure({ _tag: "CommandsFull" })
      return noCancel
    }
    const request: PendingRequest = { kind, channel, streamId, ...handlers, isAbandoned: false }
    this.pending.add(correlationId, request, this.context.clock.nanoTime())
    return () => {
      request.isAbandoned = true
    }
  }

  private sendEventually(send: () => bigint): void {
    if (this.state._tag === "Active" && send() === FULL) {
      this.unsent.push(send)
    }
  }

  private processResponses(): number {
    let workCount = 0
    try {
      while (workCount < RESPONSES_PER_TICK_MAX && this.context.responses.receive(this.onMessage) > 0) {
        workCount++
      }
    } catch (error) {
      this.fail(error instanceof Lapped ? { _tag: "Lapped" } : { _tag: "Corrupt", error })
    }
    return workCount
  }

  private processTimers(): number {
    if (this.nowNs < this.nextKeepaliveNs || this.state._tag !== "Active") {
      return 0
    }
    this.nextKeepaliveNs = this.nowNs + this.context.settings.keepaliveIntervalNs
    const nowMs = this.context.clock.epochMs()
    this.checkDriver(nowMs)
    if (this.state._tag === "Active" && !this.context.heartbeat.beat(nowMs)) {
      this.fail({ _tag: "ClientTimeout", clientId: this.clientId })
    }
    if (this.state._tag === "Active") {
      this.context.logs.checkLinger(this.nowNs)
      this.pending.checkTimeouts(this.nowNs)
      this.retryUnsent()
    }
    return 1
  }

  private checkDriver(nowMs: number): void {
    const heartbeatMs = this.context.driver.driverHeartbeatMs
    const timeoutMs = this.context.settings.driverTimeoutNs / NS_PER_MS
    if (heartbeatMs < 0) {
      this.fail({ _tag: "DriverEnded" })
    } else if (nowMs - heartbeatMs > timeoutMs) {
      this.fail({ _tag: "DriverTimeout", ageMs: nowMs - heartbeatMs, timeoutMs })
    }
  }

  private retryUnsent(): void {
    for (const send of this.unsent.splice(0)) {
      this.sendEventually(send)
    }
  }

  private fail(failure: ClientFailure): void {
    if (this.state._tag === "Active") {
      this.endAll(failure)
      this.listener.onFailure(failure)
    }
  }

  private endAll(state: { readonly _tag: "Closed" } | ClientFailure): void {
    this.state = state
    for (const publication of this.publications.values()) {
      publication.close()
    }
    for (const subscription of this.subscriptions.values()) {
      subscription.isClosed = true
      this.closeImages(subscription, state._tag === "Closed" ? "Closed" : "Unavailable")
    }
    this.publications.clear()
    this.subscriptions.clear()
    this.unsent.length = 0
    this.context.logs.closeAll()
    this.pending.failAll(state)
  }

  private closeImages(subscription: SubscriptionImages, reason: "Unavailable" | "Closed"): void {
    for (const image of subscription.current) {
      subscription.remove(image.correlationId, reason)
      this.releaseLog(image)
    }
  }

  private releaseLog(user: ClientPublication | ImageReader): void {
    this.context.logs.release(user.log, this.nowNs)
  }
}

const noCancel: Cancel = () => {}
