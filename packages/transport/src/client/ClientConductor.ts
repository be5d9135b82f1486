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
import type { DriverProxy } from "../command/DriverProxy.ts"
import * as ErrorCode from "../command/ErrorCode.ts"
import type { ErrorResponse } from "../command/ErrorResponse.ts"
import type { ImageBuffersReady } from "../command/ImageBuffersReady.ts"
import type { ImageMessage } from "../command/ImageMessage.ts"
import type { NextSessionId } from "../command/NextSessionId.ts"
import type { PublicationBuffersReady } from "../command/PublicationBuffersReady.ts"
import type { PublicationError } from "../command/PublicationError.ts"
import type { ClientFailure, RequestFailure } from "./ClientFailure.ts"
import type { ClientHeartbeat } from "./ClientHeartbeat.ts"
import type { ClientListener } from "./ClientListener.ts"
import { ClientPublication } from "./ClientPublication.ts"
import type { ClientSettings } from "./ClientSettings.ts"
import { type Cancel, CommandSender, type RequestHandlers } from "./CommandSender.ts"
import { DriverLiveness } from "./DriverLiveness.ts"
import { ImageReader } from "./ImageReader.ts"
import { dispatch, type ResponseListener } from "./ResponseDispatch.ts"
import { isMissing, type SharedLogs } from "./SharedLogs.ts"
import { SubscriptionImages } from "./SubscriptionImages.ts"
import { UserCounters } from "./UserCounters.ts"

/** Responses read in one tick. */
const RESPONSES_PER_TICK_MAX = 32
const NS_PER_MS = 1e6
/** A driver that was silent for this part of the driver timeout may have been replaced. */
const SILENCE_PART = 1 / 4

export interface ClientContext {
  readonly settings: ClientSettings
  readonly clock: Clock
  readonly driver: DriverProxy
  readonly responses: CopyBroadcastReceiver
  readonly counters: CountersReader
  readonly heartbeat: ClientHeartbeat
  readonly logs: SharedLogs
  /** Whether another driver than this client's has its place. Asked of a silent driver alone: it looks at a file. */
  readonly isDriverReplaced: () => boolean
}

export class ClientConductor implements Agent, ResponseListener {
  readonly roleName = "client-conductor"
  readonly clientId: bigint
  readonly counters: CountersReader
  readonly userCounters: UserCounters
  unknownResponseCount = 0
  private readonly context: ClientContext
  private readonly listener: ClientListener
  private readonly commands: CommandSender
  private readonly publications = new Map<bigint, ClientPublication>()
  private readonly subscriptions = new Map<bigint, SubscriptionImages>()
  private readonly onMessage: MessageHandler = (typeId, buffer, offset, length) =>
    dispatch(this, typeId, buffer, offset, length)
  private readonly driverLiveness: DriverLiveness
  private nowNs = 0
  private nextKeepaliveNs = 0

  constructor(context: ClientContext, listener: ClientListener) {
    this.context = context
    this.listener = listener
    this.clientId = context.driver.clientId
    this.counters = context.counters
    this.commands = new CommandSender(context.driver, context.settings.driverTimeoutNs, context.clock)
    this.userCounters = new UserCounters(this.commands, context.counters)
    this.nowNs = context.clock.nanoTime()
    this.driverLiveness = new DriverLiveness(context.driver.driverHeartbeatMs, this.nowNs)
  }

  /** Why no request can be sent, or undefined when one can. */
  get inactive(): RequestFailure | undefined {
    return this.commands.inactive
  }

  /** When the driver was last alive, epoch ms; −1 after it ended. */
  get driverHeartbeatMs(): number {
    return this.context.driver.driverHeartbeatMs
  }

  onStart(nowNs: number): void {
    this.nowNs = nowNs
    this.nextKeepaliveNs = nowNs + this.context.settings.keepaliveIntervalNs
  }

  doWork(nowNs: number): number {
    const intervalNs = nowNs - this.nowNs
    this.nowNs = nowNs
    if (this.inactive !== undefined) {
      this.context.logs.checkLinger(nowNs)
      return 0
    }
    if (intervalNs > this.context.settings.interServiceTimeoutNs) {
      const limitMs = this.context.settings.interServiceTimeoutNs / NS_PER_MS
      this.fail({ _tag: "ServiceTimeout", intervalMs: Math.round(intervalNs / NS_PER_MS), limitMs })
      return 1
    }
    // Heartbeats are no work: as work they kept an idle client at 1.3 % of a core, now 0.35 %. A request is, since its answer
    // comes soon, and a runner that has gone to rest would find it late.
    const workCount = this.commands.takeRequestCount() + this.processResponses()
    this.processTimers()
    return workCount
  }

  /** The driver is told, and every log is unmapped. */
  onClose(): void {
    if (this.inactive === undefined) {
      this.context.driver.clientClose()
      this.endAll({ _tag: "Closed" })
    }
    this.context.logs.closeAll()
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
    return this.commands.request("publication", send, handlers, channel, streamId)
  }

  addSubscription(channel: string, streamId: number, handlers: RequestHandlers<SubscriptionImages>): Cancel {
    const send = () => this.context.driver.addSubscription(channel, streamId)
    return this.commands.request("subscription", send, handlers, channel, streamId)
  }

  /** A session id that no stream of this id has, and that the driver will not give to another. */
  nextSessionId(streamId: number, handlers: RequestHandlers<number>): Cancel {
    return this.commands.request("sessionId", () => this.context.driver.nextAvailableSessionId(streamId), handlers)
  }

  nextCorrelationId(): bigint {
    return this.context.driver.nextCorrelationId()
  }

  rejectImage(image: ImageReader, reason: string, handlers: RequestHandlers<void>): Cancel {
    const send = () => this.context.driver.rejectImage(image.correlationId, image.position, reason)
    return this.commands.request("operation", send, handlers)
  }

  /** Offers answer CLOSED from now on; the driver lets subscribers drain, unless it is revoked. */
  closePublication(publication: ClientPublication, revoke: boolean): void {
    if (!publication.isClosed) {
      publication.close()
      this.publications.delete(publication.registrationId)
      this.releaseLog(publication)
      this.commands.sendEventually(() => this.context.driver.removePublication(publication.registrationId, revoke))
    }
  }

  closeSubscription(subscription: SubscriptionImages): void {
    if (!subscription.isClosed) {
      subscription.isClosed = true
      this.subscriptions.delete(subscription.registrationId)
      this.closeImages(subscription, "Closed")
      this.commands.sendEventually(() => this.context.driver.removeSubscription(subscription.registrationId))
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
    const request = this.commands.take(response.offendingCorrelationId)
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
    const request = this.commands.take(response.correlationId, "publication")
    if (request === undefined) {
      return
    }
    if (request.isAbandoned) {
      this.commands.sendEventually(() => this.context.driver.removePublication(response.correlationId, false))
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
      this.commands.sendEventually(() => this.context.driver.removePublication(response.correlationId, false))
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
    const request = this.commands.take(correlationId, "operation")
    if (request?.isAbandoned === false) {
      request.onSuccess(undefined as never)
    }
  }

  onSubscriptionReady(response: CounterUpdate): void {
    const request = this.commands.take(response.correlationId, "subscription")
    if (request === undefined) {
      return
    }
    if (request.isAbandoned) {
      this.commands.sendEventually(() => this.context.driver.removeSubscription(response.correlationId))
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
    this.userCounters.onCounterReady(response)
    this.listener.onAvailableCounter(response.correlationId, response.counterId)
  }

  onUnavailableCounter({ correlationId, counterId }: CounterUpdate): void {
    this.listener.onUnavailableCounter(correlationId, counterId)
  }

  onStaticCounter(response: CounterUpdate): void {
    this.userCounters.onStaticCounter(response)
  }

  onNextAvailableSessionId({ correlationId, sessionId }: NextSessionId): void {
    const request = this.commands.take(correlationId, "sessionId")
    if (request?.isAbandoned === false) {
      request.onSuccess(sessionId as never)
    }
  }

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
      this.commands.sendEventually(() => this.context.driver.rejectImage(image.correlationId, image.position, reason))
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

  private processTimers(): void {
    if (this.nowNs < this.nextKeepaliveNs || this.inactive !== undefined) {
      return
    }
    this.nextKeepaliveNs = this.nowNs + this.context.settings.keepaliveIntervalNs
    const nowMs = this.context.clock.epochMs()
    this.checkDriver()
    if (this.inactive === undefined && !this.context.heartbeat.beat(nowMs)) {
      this.fail({ _tag: "ClientTimeout", clientId: this.clientId })
    }
    if (this.inactive === undefined) {
      this.context.logs.checkLinger(this.nowNs)
      this.commands.checkTimeouts(this.nowNs)
    }
  }

  private checkDriver(): void {
    const heartbeatMs = this.context.driver.driverHeartbeatMs
    const timeoutMs = this.context.settings.driverTimeoutNs / NS_PER_MS
    const ageMs = this.driverLiveness.silenceNs(heartbeatMs, this.nowNs) / NS_PER_MS
    if (heartbeatMs < 0) {
      this.fail({ _tag: "DriverEnded" })
    } else if (ageMs > timeoutMs) {
      this.fail({ _tag: "DriverTimeout", ageMs, timeoutMs })
    } else if (ageMs > timeoutMs * SILENCE_PART && this.context.isDriverReplaced()) {
      this.fail({ _tag: "DriverReplaced", ageMs })
    }
  }

  private fail(failure: ClientFailure): void {
    if (this.inactive !== undefined) {
      return
    }
    if (failure._tag === "ServiceTimeout" || failure._tag === "Lapped" || failure._tag === "DriverTimeout") {
      // It lives, or was only held up: what it keeps for this client would hold up others until it times that out.
      this.context.driver.clientClose()
    }
    this.endAll(failure)
    this.listener.onFailure(failure)
  }

  /** Logs linger: what was read or claimed a moment ago is still there. */
  private endAll(end: { readonly _tag: "Closed" } | ClientFailure): void {
    for (const publication of this.publications.values()) {
      publication.close()
    }
    for (const subscription of this.subscriptions.values()) {
      subscription.isClosed = true
      this.closeImages(subscription, end._tag === "Closed" ? "Closed" : "Unavailable")
    }
    this.publications.clear()
    this.subscriptions.clear()
    this.userCounters.closeAll()
    this.context.logs.releaseAll(this.nowNs)
    this.commands.close(end)
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
