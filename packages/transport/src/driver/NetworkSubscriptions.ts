/** The driver's network subscriptions, the endpoints that they receive by, and the images of what they receive. */
import * as FrameFlags from "@millrace/core/kernel/frame/FrameFlags"
import type { ChannelUri } from "../channel/ChannelUri.ts"
import * as SubscriptionParameters from "../channel/SubscriptionParameters.ts"
import type { UdpChannel } from "../channel/UdpChannel.ts"
import * as ErrorCode from "../command/ErrorCode.ts"
import type { SubscriptionMessage } from "../command/SubscriptionMessage.ts"
import type { SharedResources } from "./AgentResources.ts"
import type { ReceiveChannelEndpoint } from "./ChannelEndpoint.ts"
import type { ImageRequest } from "./ConductorCommands.ts"
import { ChannelResolution } from "./ChannelResolution.ts"
import type { Clients } from "./Clients.ts"
import type { ClosingEndpoints } from "./ClosingEndpoints.ts"
import { ControlProtocolError } from "./ControlProtocolError.ts"
import type { DriverContext, DriverNetwork } from "./DriverContext.ts"
import { type ImageIdentity, makeImage } from "./ImageFactory.ts"
import { type AllocatedLink, ImageLinks } from "./ImageLinks.ts"
import { isFailure, type PendingLog, type RawLog, refusalOf } from "./LogFactory.ts"
import type { LogFreeing } from "./LogFreeing.ts"
import * as ManagedResource from "./ManagedResource.ts"
import type { PendingCommand } from "./PendingCommand.ts"
import type { PositionCounter } from "./PositionCounter.ts"
import type { PublicationImage, PublicationImageListener } from "./PublicationImage.ts"
import type { ReceiveEndpoints } from "./ReceiveEndpoints.ts"
import type { ReceiverCommands } from "./ReceiverCommands.ts"
import { SubscriptionLink, type SubscriptionLinkFields } from "./SubscriptionLink.ts"

export class NetworkSubscriptionLink extends SubscriptionLink {
  readonly endpoint: ReceiveChannelEndpoint
  private readonly onClosed: (link: NetworkSubscriptionLink) => void

  constructor(
    fields: SubscriptionLinkFields,
    endpoint: ReceiveChannelEndpoint,
    onClosed: (link: NetworkSubscriptionLink) => void
  ) {
    super(fields)
    this.endpoint = endpoint
    this.onClosed = onClosed
  }

  override close(): void {
    super.close()
    this.onClosed(this)
  }

  matches(stream: {
    readonly endpoint: ReceiveChannelEndpoint
    readonly streamId: number
    readonly sessionId: number
  }): boolean {
    return (
      this.endpoint === stream.endpoint && this.streamId === stream.streamId && this.acceptsSession(stream.sessionId)
    )
  }
}

/** Images whose logs are being made at one time; the source of another repeats its SETUP. */
export const PENDING_IMAGES_MAX = 64

/** An image whose log is being made. */
interface PendingImage {
  readonly request: ImageRequest
  readonly identity: ImageIdentity
  readonly log: PendingLog
}

export class NetworkSubscriptions implements PublicationImageListener {
  private readonly context: DriverContext
  private readonly network: DriverNetwork
  private readonly clients: Clients
  private readonly subscriptionLinks: Array<SubscriptionLink>
  private readonly logs: LogFreeing
  private readonly receiver: ReceiverCommands
  private readonly endpoints: ReceiveEndpoints
  private readonly closing: ClosingEndpoints
  private readonly imageLinks: ImageLinks
  private readonly resources: SharedResources
  private readonly images: Array<PublicationImage> = []
  private pendingImages: Array<PendingImage> = []
  private uniqueForms = 0

  constructor(
    context: DriverContext,
    network: DriverNetwork,
    clients: Clients,
    subscriptionLinks: Array<SubscriptionLink>,
    logs: LogFreeing,
    receiver: ReceiverCommands,
    endpoints: ReceiveEndpoints,
    closing: ClosingEndpoints,
    resources: SharedResources
  ) {
    this.context = context
    this.network = network
    this.clients = clients
    this.subscriptionLinks = subscriptionLinks
    this.logs = logs
    this.receiver = receiver
    this.closing = closing
    this.endpoints = endpoints
    this.imageLinks = new ImageLinks(context, subscriptionLinks)
    this.resources = resources
  }

  /** Answered when the name is resolved and the socket open. */
  addSubscription(command: SubscriptionMessage, uri: ChannelUri): PendingCommand {
    SubscriptionParameters.refuseMediaTimestamps(uri)
    const surroundings = {
      uniqueSuffix: () => String(this.uniqueForms++),
      findByTag: (tag: bigint) => this.endpoints.findByTag(tag)
    }
    const resolution = new ChannelResolution(this.network, uri, surroundings, false)
    return {
      correlationId: command.correlationId,
      abandon: () => {},
      advance: (nowNs) => {
        const udpChannel = resolution.poll()
        if (udpChannel === undefined || !this.closing.isEmpty) {
          return false
        }
        this.link(command, udpChannel, nowNs)
        return true
      }
    }
  }

  /** A SETUP of a stream that somebody wants. */
  onSetup(request: ImageRequest): void {
    try {
      this.beginImage(request)
    } catch (error) {
      this.giveUp(request, error)
    }
  }

  /** Images whose logs have come. */
  doWork(nowNs: number): number {
    let workCount = 0
    if (this.pendingImages.length > 0) {
      this.pendingImages = this.pendingImages.filter((pending) => !this.isSettled(pending, nowNs))
      workCount = 1
    }
    return workCount
  }

  /** True when the image was one of these. */
  rejectImage(correlationId: bigint, reason: string): boolean {
    const image = this.find(correlationId)
    if (image !== undefined) {
      this.receiver.onRejectImage(correlationId, reason)
    }
    return image !== undefined
  }

  check(nowNs: number, nowMs: number): void {
    ManagedResource.checkAll(this.images, nowNs, nowMs)
  }

  close(): void {
    for (const { log } of this.pendingImages.splice(0)) {
      log.abandon()
    }
    for (const { rawLog, state } of this.images) {
      if (state !== "Done") {
        this.logs.add(rawLog)
      }
    }
    this.images.length = 0
  }

  onLinger(image: PublicationImage): void {
    // Subscriptions that share an image agree on it.
    const isRejoin = this.imageLinks.linkedTo(image)[0]?.parameters.isRejoin ?? true
    this.imageLinks.notifyEnd(image)
    const { endpoint, registrationId, sessionId, streamId } = image
    this.receiver.onReleaseImage(registrationId)
    if (isRejoin) {
      this.receiver.onRemoveState(endpoint.id, sessionId, streamId, "CoolDown")
    }
    image.endpoint.decreaseImageReferences()
    this.endpoints.closeIfUnused(image.endpoint)
  }

  onDone(image: PublicationImage): void {
    this.imageLinks.unlinkAll(image)
    this.resources.removeLog(image.rawLog.fileName)
    this.logs.add(image.rawLog)
  }

  onLeftBehind(image: PublicationImage, link: SubscriptionLink): void {
    this.imageLinks.notifyUnavailable(image, link)
  }

  onRejoin(image: PublicationImage, link: SubscriptionLink, position: PositionCounter): void {
    this.imageLinks.notifyAvailable(image, link, position)
  }

  onSubscribersChanged(image: PublicationImage): void {
    this.receiver.onSubscribers(image.registrationId, image.subscriberCounters)
  }

  onDraining(correlationId: bigint, nowNs: number): void {
    this.find(correlationId)?.onDraining(nowNs)
  }

  onReleased(correlationId: bigint): void {
    this.find(correlationId)?.onReceiverReleased()
  }

  /** A stranger chooses what lies in an image: one that cannot be rebuilt ends, and the others go on. */
  onFailed(correlationId: bigint, error: unknown): void {
    this.context.recordError(error)
    this.find(correlationId)?.onFailed()
  }

  private find(correlationId: bigint): PublicationImage | undefined {
    return this.images.find(({ registrationId }) => registrationId === correlationId)
  }

  private link(command: SubscriptionMessage, udpChannel: UdpChannel, nowNs: number): void {
    const parameters = SubscriptionParameters.parse(udpChannel.uri, this.context.settings.subscription)
    this.checkForClash(command, udpChannel, parameters)
    const endpoint = this.endpoints.get(command.correlationId, udpChannel)
    try {
      const link = new NetworkSubscriptionLink(
        {
          registrationId: command.correlationId,
          streamId: command.streamId,
          channel: command.channel,
          client: this.clients.getOrAdd(command.clientId),
          parameters
        },
        endpoint,
        (closed) => this.onLinkClosed(closed)
      )
      const images = this.images.filter((image) => link.matches(image) && image.isAcceptingSubscriptions)
      const links = this.imageLinks.allocate(images.map((image) => ({ image, link })))
      this.register(link)
      this.context.clientProxy.onSubscriptionReady(command.correlationId, endpoint.status.counterId)
      this.imageLinks.complete(links, nowNs)
    } catch (error) {
      this.endpoints.closeIfUnused(endpoint)
      throw error
    }
  }

  private register(link: NetworkSubscriptionLink): void {
    const { endpoint, sessionId, streamId } = link
    this.subscriptionLinks.push(link)
    if (endpoint.increaseStreamReferences(streamId, sessionId) === 1) {
      this.receiver.onAddSubscription(endpoint.id, streamId, sessionId)
    }
  }

  private onLinkClosed({ endpoint, sessionId, streamId }: NetworkSubscriptionLink): void {
    if (endpoint.decreaseStreamReferences(streamId, sessionId) === 0) {
      this.receiver.onRemoveSubscription(endpoint.id, streamId, sessionId)
    }
    this.endpoints.closeIfUnused(endpoint)
  }

  /** Two subscriptions of one stream share its images, which are reliable or not, rejoin or not. */
  private checkForClash(
    command: SubscriptionMessage,
    udpChannel: UdpChannel,
    parameters: SubscriptionParameters.SubscriptionParameters
  ): void {
    const endpoint = this.endpoints.findShared(udpChannel)
    const { tag } = udpChannel.fields
    if (tag !== undefined && tag !== endpoint?.udpChannel.fields.tag) {
      // Aeron's drivers compare only what has the same tag.
      return
    }
    for (const link of this.subscriptionLinks) {
      if (
        !(link instanceof NetworkSubscriptionLink) ||
        link.streamId !== command.streamId ||
        link.endpoint !== endpoint ||
        link.sessionId !== parameters.sessionId
      ) {
        continue
      }
      for (const [option, has, wants] of [
        ["reliable", link.parameters.isReliable, parameters.isReliable],
        ["rejoin", link.parameters.isRejoin, parameters.isRejoin]
      ] as const) {
        if (has !== wants) {
          const message = `option conflicts with existing subscription: ${option}=${wants} existingChannel=${link.channel} channel=${command.channel}`
          throw new ControlProtocolError(ErrorCode.INVALID_CHANNEL, message)
        }
      }
    }
  }

  private interestedLinks(
    { sessionId, streamId }: ImageRequest,
    endpoint: ReceiveChannelEndpoint
  ): ReadonlyArray<NetworkSubscriptionLink> {
    return this.subscriptionLinks.filter(
      (link): link is NetworkSubscriptionLink =>
        link instanceof NetworkSubscriptionLink && link.matches({ endpoint, sessionId, streamId })
    )
  }

  private beginImage(request: ImageRequest): void {
    const { commands, logFactory } = this.context
    const endpoint = this.endpoints.find(request.endpointId)
    const [first] = endpoint === undefined ? [] : this.interestedLinks(request, endpoint)
    if (endpoint === undefined || first === undefined || this.pendingImages.length >= PENDING_IMAGES_MAX) {
      this.giveUp(request, undefined)
      return
    }
    const windowLength = Math.min(this.endpoints.windowLength(endpoint.udpChannel), request.termLength / 2)
    if (request.mtuLength > windowLength) {
      const message = `mtuLength=${request.mtuLength} > initialWindowLength=${windowLength}`
      throw new ControlProtocolError(ErrorCode.GENERIC_ERROR, message)
    }
    const correlationId = commands.nextCorrelationId()
    const log = logFactory.create({
      kind: "image",
      registrationId: correlationId,
      termLength: request.termLength,
      isSparse: first.parameters.isSparse
    })
    const isGroup = first.parameters.isGroup ?? FrameFlags.has(request.flags, FrameFlags.SETUP_GROUP)
    this.pendingImages.push({ request, identity: { correlationId, windowLength, isGroup }, log })
  }

  private isSettled(pending: PendingImage, nowNs: number): boolean {
    const log = pending.log.poll()
    if (log === undefined) {
      return false
    }
    const { identity, request } = pending
    if (isFailure(log)) {
      this.giveUp(request, refusalOf(log))
      return true
    }
    this.logs.onMapped(log)
    try {
      this.createImage(request, identity, log, nowNs)
    } catch (error) {
      this.logs.add(log)
      this.giveUp(request, error)
    }
    return true
  }

  private createImage(request: ImageRequest, identity: ImageIdentity, rawLog: RawLog, nowNs: number): void {
    const endpoint = this.endpoints.find(request.endpointId)
    const links = endpoint === undefined ? [] : this.interestedLinks(request, endpoint)
    const [first] = links
    if (endpoint === undefined || first === undefined) {
      this.logs.add(rawLog)
      this.giveUp(request, undefined)
      return
    }
    const made = makeImage(this.context, this, request, endpoint, identity, first, rawLog, nowNs)
    const { description, image, log } = made
    let allocated: ReadonlyArray<AllocatedLink>
    try {
      allocated = this.imageLinks.allocate(links.map((link) => ({ image, link })))
    } catch (error) {
      image.close()
      throw error
    }
    endpoint.increaseImageReferences()
    this.images.push(image)
    this.imageLinks.complete(allocated, nowNs)
    this.resources.addLog(rawLog.fileName, log)
    this.receiver.onNewImage({ ...description, subscriberPositions: image.subscriberCounters })
  }

  /** The session becomes unknown again; `error` is noted, if there is one. */
  private giveUp(request: ImageRequest, error: unknown): void {
    if (error !== undefined) {
      this.context.recordError(error)
    }
    this.receiver.onRemoveState(request.endpointId, request.sessionId, request.streamId, "InitInProgress")
  }
}
