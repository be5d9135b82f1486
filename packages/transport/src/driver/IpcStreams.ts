/** The driver's IPC publications and their subscribers. */
import type { ChannelUri } from "../channel/ChannelUri.ts"
import { InvalidChannel } from "../channel/InvalidChannel.ts"
import * as PublicationParameters from "../channel/PublicationParameters.ts"
import * as SubscriptionParameters from "../channel/SubscriptionParameters.ts"
import * as ErrorCode from "../command/ErrorCode.ts"
import type { PublicationMessage } from "../command/PublicationMessage.ts"
import type { SubscriptionMessage } from "../command/SubscriptionMessage.ts"
import type { ClientLiveness } from "./ClientLiveness.ts"
import type { Clients } from "./Clients.ts"
import { ControlProtocolError } from "./ControlProtocolError.ts"
import type { DriverContext } from "./DriverContext.ts"
import { type AllocatedLink, type ImageLink, ImageLinks } from "./ImageLinks.ts"
import { confirmMatch } from "./PublicationMatch.ts"
import { IpcPublication, type IpcPublicationListener } from "./IpcPublication.ts"
import type { LogFreeing } from "./LogFreeing.ts"
import { isFailure, type RawLog } from "./LogFactory.ts"
import * as ManagedResource from "./ManagedResource.ts"
import type { PendingCommand } from "./PendingCommand.ts"
import type { PositionCounter } from "./PositionCounter.ts"
import { PublicationLink } from "./PublicationLink.ts"
import { IPC_MEDIA, type SessionIds } from "./SessionIds.ts"
import * as PublicationLog from "./PublicationLog.ts"
import * as StreamCounters from "./StreamCounters.ts"
import { IpcSubscriptionLink, type SubscriptionLink } from "./SubscriptionLink.ts"
import * as SystemCounters from "./SystemCounters.ts"

/** An IPC channel has no endpoint, so no counter shows its status. */
const CHANNEL_STATUS_NONE = -1

export class IpcStreams implements IpcPublicationListener {
  private readonly context: DriverContext
  private readonly clients: Clients
  private readonly sessionIds: SessionIds
  private readonly publicationLinks: Array<PublicationLink>
  private readonly subscriptionLinks: Array<SubscriptionLink>
  private readonly logs: LogFreeing
  private readonly imageLinks: ImageLinks
  private readonly publications: Array<IpcPublication> = []

  constructor(
    context: DriverContext,
    clients: Clients,
    sessionIds: SessionIds,
    links: {
      readonly publications: Array<PublicationLink>
      readonly subscriptions: Array<SubscriptionLink>
    },
    logs: LogFreeing
  ) {
    this.context = context
    this.clients = clients
    this.sessionIds = sessionIds
    this.publicationLinks = links.publications
    this.subscriptionLinks = links.subscriptions
    this.logs = logs
    this.imageLinks = new ImageLinks(context)
  }

  find(registrationId: bigint): IpcPublication | undefined {
    return this.publications.find((publication) => publication.registrationId === registrationId)
  }

  findByTag(tag: bigint): IpcPublication | undefined {
    return this.publications.find((publication) => publication.parameters.entityTag === tag)
  }

  /** Undefined when the command was answered at once. */
  addPublication(command: PublicationMessage, uri: ChannelUri, isExclusive: boolean): PendingCommand | undefined {
    const parameters = this.parse(command, uri)
    const shared = isExclusive ? undefined : this.findShared(command.streamId, parameters.responseCorrelationId)
    if (shared !== undefined) {
      confirmMatch(uri, parameters, shared)
      this.linkPublication(command, this.clients.getOrAdd(command.clientId), shared)
      return undefined
    }
    const sessionId = this.chooseSessionId(command, parameters)
    const log = this.context.logFactory.create({
      kind: "publication",
      registrationId: command.correlationId,
      termLength: parameters.termLength,
      isSparse: parameters.isSparse
    })
    return {
      correlationId: command.correlationId,
      abandon: () => log.abandon(),
      advance: (nowNs) => {
        const result = log.poll()
        if (result === undefined) {
          return false
        }
        if (isFailure(result)) {
          const code = result.isStorageSpace ? ErrorCode.STORAGE_SPACE : ErrorCode.GENERIC_ERROR
          throw new ControlProtocolError(code, result.message)
        }
        this.createPublication(command, isExclusive, parameters, sessionId, result, nowNs)
        return true
      }
    }
  }

  addSubscription(command: SubscriptionMessage, uri: ChannelUri, nowNs: number): void {
    const parameters = SubscriptionParameters.parse(uri, this.context.settings.subscription)
    const link = new IpcSubscriptionLink({
      registrationId: command.correlationId,
      streamId: command.streamId,
      channel: command.channel,
      client: this.clients.getOrAdd(command.clientId),
      parameters
    })
    const links = this.imageLinks.allocate(
      this.publications.filter((publication) => canLink(publication, link)).map((image) => ({ image, link }))
    )
    this.subscriptionLinks.push(link)
    this.context.clientProxy.onSubscriptionReady(command.correlationId, CHANNEL_STATUS_NONE)
    this.imageLinks.complete(links, nowNs)
  }

  /** True when the image was an IPC publication's. */
  rejectImage(imageCorrelationId: bigint, reason: string, nowNs: number): boolean {
    const publication = this.find(imageCorrelationId)
    if (publication === undefined) {
      return false
    }
    this.context.clientProxy.onPublicationError({
      registrationId: publication.registrationId,
      destinationRegistrationId: -1n,
      sessionId: publication.sessionId,
      streamId: publication.streamId,
      receiverId: -1n,
      groupTag: -1n,
      address: Uint8Array.of(127, 0, 0, 1),
      port: 0,
      code: ErrorCode.IMAGE_REJECTED,
      message: reason
    })
    for (const link of this.subscriptionLinks) {
      if (link.isLinked(publication)) {
        this.imageLinks.notifyUnavailable(publication, link)
        link.unlink(publication)
      }
    }
    publication.reject(nowNs)
    return true
  }

  updatePublisherLimits(): number {
    const publications = this.publications
    let workCount = 0
    for (let i = 0; i < publications.length; i++) {
      workCount += publications[i]!.updatePublisherLimit()
    }
    return workCount
  }

  check(nowNs: number, nowMs: number): void {
    ManagedResource.checkAll(this.publications, nowNs, nowMs)
  }

  close(): void {
    for (const publication of this.publications) {
      this.logs.add(publication.rawLog)
    }
    this.publications.length = 0
  }

  onLinger(publication: IpcPublication): void {
    this.sessionIds.remove(publication.sessionId, publication.streamId, IPC_MEDIA)
    for (const link of this.subscriptionLinks) {
      if (link.isLinked(publication)) {
        this.imageLinks.notifyUnavailable(publication, link)
      }
    }
  }

  onDone(publication: IpcPublication): void {
    for (const link of this.subscriptionLinks) {
      link.unlink(publication)
    }
    this.logs.add(publication.rawLog)
  }

  onRevoked(): void {
    this.context.systemCounters.increment(SystemCounters.PUBLICATIONS_REVOKED)
  }

  onUnblocked(): void {
    this.context.systemCounters.increment(SystemCounters.UNBLOCKED_PUBLICATIONS)
  }

  onFailed(error: unknown): void {
    this.context.recordError(error)
  }

  onLeftBehind(publication: IpcPublication, link: SubscriptionLink): void {
    this.imageLinks.notifyUnavailable(publication, link)
  }

  onRejoin(publication: IpcPublication, link: SubscriptionLink, position: PositionCounter): void {
    this.imageLinks.notifyAvailable(publication, link, position)
  }

  onCoolDownEnd(publication: IpcPublication, nowNs: number): boolean {
    try {
      this.imageLinks.complete(this.imageLinks.allocate(this.linksOf(publication)), nowNs)
      return true
    } catch (error) {
      this.context.recordError(error)
      return false
    }
  }

  private parse(command: PublicationMessage, uri: ChannelUri): PublicationParameters.PublicationParameters {
    const tag = PublicationParameters.sessionTag(uri)
    const tagged = tag === undefined ? undefined : this.findByTag(tag)
    if (tag !== undefined && tagged === undefined) {
      const allowed = "the entity tag of an IPC publication of this driver"
      throw new InvalidChannel({ channel: uri.channel, parameter: "session-id", value: `tag:${tag}`, allowed })
    }
    const defaults = this.context.settings.ipcPublication
    const parameters = PublicationParameters.parse(
      uri,
      command.streamId,
      defaults,
      tagged === undefined
        ? undefined
        : { sessionId: tagged.sessionId, mtuLength: tagged.log.mtuLength, termLength: tagged.log.termLength }
    )
    const { entityTag } = parameters
    const holder = entityTag === PublicationParameters.NULL_VALUE ? undefined : this.findByTag(entityTag)
    if (holder !== undefined) {
      const allowed = `a tag that is not in use: ${holder.channel} has it`
      throw new InvalidChannel({ channel: uri.channel, parameter: "tags", value: String(entityTag), allowed })
    }
    return parameters
  }

  private findShared(streamId: number, responseCorrelationId: bigint): IpcPublication | undefined {
    return this.publications.find(
      (publication) =>
        publication.streamId === streamId &&
        !publication.isExclusive &&
        publication.state === "Active" &&
        publication.parameters.responseCorrelationId === responseCorrelationId
    )
  }

  private chooseSessionId(
    command: PublicationMessage,
    parameters: PublicationParameters.PublicationParameters
  ): number {
    const sessionId = parameters.sessionId ?? this.sessionIds.nextFor(command.streamId, IPC_MEDIA)
    if (this.sessionIds.isActive(sessionId, command.streamId, IPC_MEDIA)) {
      throw new InvalidChannel({
        channel: command.channel,
        parameter: "session-id",
        value: String(sessionId),
        allowed: `a session id that no publication of stream ${command.streamId} has`
      })
    }
    return sessionId
  }

  private createPublication(
    command: PublicationMessage,
    isExclusive: boolean,
    parameters: PublicationParameters.PublicationParameters,
    sessionId: number,
    rawLog: RawLog,
    nowNs: number
  ): void {
    this.logs.onMapped(rawLog)
    try {
      // Whatever can be refused comes first: from the registration on nothing is taken back.
      const client = this.clients.getOrAdd(command.clientId)
      const publication = this.newPublication(command, isExclusive, parameters, sessionId, rawLog, nowNs)
      const links = this.allocateLinks(publication)
      this.publications.push(publication)
      this.sessionIds.add(sessionId, command.streamId, IPC_MEDIA)
      this.linkPublication(command, client, publication)
      this.imageLinks.complete(links, nowNs)
    } catch (error) {
      this.logs.add(rawLog)
      throw error
    }
  }

  /** Throws when the counters of its subscriptions run out; then the publication has given up its own. */
  private allocateLinks(publication: IpcPublication): ReadonlyArray<AllocatedLink> {
    try {
      return this.imageLinks.allocate(this.linksOf(publication))
    } catch (error) {
      publication.close()
      throw error
    }
  }

  private newPublication(
    command: PublicationMessage,
    isExclusive: boolean,
    parameters: PublicationParameters.PublicationParameters,
    sessionId: number,
    rawLog: RawLog,
    nowNs: number
  ): IpcPublication {
    const { counters, randomInt32, settings } = this.context
    const { clientId, channel, correlationId: registrationId, streamId } = command
    const { log, startPosition, startTermId, startTermOffset } = PublicationLog.create(rawLog, {
      registrationId,
      sessionId,
      streamId,
      isExclusive,
      parameters,
      filePageSize: settings.filePageSize,
      randomTermId: randomInt32
    })
    const identity = { clientId, registrationId, sessionId, streamId, channel }
    const [publisherPosition, publisherLimit] = StreamCounters.allocateAll(
      () => StreamCounters.publisherPosition(counters, identity, isExclusive, startPosition),
      () => StreamCounters.publisherLimit(counters, identity, startPosition)
    )
    return new IpcPublication(
      {
        registrationId,
        channel,
        sessionId,
        streamId,
        isExclusive,
        parameters,
        log,
        rawLog,
        publisherPosition,
        publisherLimit,
        unblockTimeoutNs: settings.publicationUnblockTimeoutNs,
        imageLivenessTimeoutNs: settings.imageLivenessTimeoutNs,
        startTermId,
        startTermOffset
      },
      this,
      nowNs
    )
  }

  private linkPublication(command: PublicationMessage, client: ClientLiveness, publication: IpcPublication): void {
    this.publicationLinks.push(new PublicationLink(command.correlationId, client, publication))
    this.context.clientProxy.onPublicationReady(
      {
        correlationId: command.correlationId,
        registrationId: publication.registrationId,
        sessionId: publication.sessionId,
        streamId: publication.streamId,
        publisherLimitId: publication.publisherLimit.id,
        channelStatusId: CHANNEL_STATUS_NONE,
        logFile: publication.rawLog.fileName
      },
      publication.isExclusive
    )
  }

  private linksOf(publication: IpcPublication): ReadonlyArray<ImageLink> {
    return this.subscriptionLinks
      .filter((link) => link instanceof IpcSubscriptionLink && canLink(publication, link))
      .map((link) => ({ image: publication, link }))
  }
}

const canLink = (publication: IpcPublication, link: IpcSubscriptionLink): boolean =>
  link.matches(publication) && !link.isLinked(publication) && publication.isAcceptingSubscriptions
