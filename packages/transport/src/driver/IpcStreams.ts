/** The driver's IPC publications and their subscribers. */
import type { ChannelUri } from "../channel/ChannelUri.ts"
import type { PublicationParameters } from "../channel/PublicationParameters.ts"
import * as SubscriptionParameters from "../channel/SubscriptionParameters.ts"
import * as ErrorCode from "../command/ErrorCode.ts"
import type { PublicationMessage } from "../command/PublicationMessage.ts"
import type { SubscriptionMessage } from "../command/SubscriptionMessage.ts"
import type { Clients } from "./Clients.ts"
import type { DriverContext } from "./DriverContext.ts"
import { type AllocatedLink, type ImageLink, ImageLinks } from "./ImageLinks.ts"
import { CHANNEL_STATUS_NONE, IpcPublication, type IpcPublicationListener } from "./IpcPublication.ts"
import type { LogFreeing } from "./LogFreeing.ts"
import { isFailure, type RawLog, refusalOf } from "./LogFactory.ts"
import type { PendingCommand } from "./PendingCommand.ts"
import type { PositionCounter } from "./PositionCounter.ts"
import * as PublicationErrors from "./PublicationErrors.ts"
import type { PublicationLink } from "./PublicationLink.ts"
import { PublicationTable } from "./PublicationTable.ts"
import { IPC_MEDIA, type SessionIds } from "./SessionIds.ts"
import * as PublicationLog from "./PublicationLog.ts"
import * as SocketBuffers from "./SocketBuffers.ts"
import * as StreamCounters from "./StreamCounters.ts"
import { IpcSubscriptionLink, type SubscriptionLink } from "./SubscriptionLink.ts"
import * as SystemCounters from "./SystemCounters.ts"

export class IpcStreams implements IpcPublicationListener {
  private readonly context: DriverContext
  private readonly clients: Clients
  private readonly sessionIds: SessionIds
  private readonly subscriptionLinks: Array<SubscriptionLink>
  private readonly logs: LogFreeing
  private readonly imageLinks: ImageLinks
  private readonly publications: PublicationTable<IpcPublication>

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
    this.subscriptionLinks = links.subscriptions
    this.logs = logs
    this.imageLinks = new ImageLinks(context, links.subscriptions)
    this.publications = new PublicationTable({
      context,
      clients,
      sessionIds,
      links: links.publications,
      defaults: context.settings.ipcPublication,
      medium: "an IPC"
    })
  }

  /** Undefined when the command was answered at once. */
  addPublication(command: PublicationMessage, uri: ChannelUri, isExclusive: boolean): PendingCommand | undefined {
    const { publications } = this
    const parameters = publications.parse(command, uri)
    const shared = isExclusive ? undefined : publications.findShared(command.streamId, parameters)
    if (shared !== undefined) {
      publications.share(command, uri, parameters, shared)
      return undefined
    }
    const sessionId = publications.chooseSessionId(command, parameters, IPC_MEDIA)
    const log = publications.requestLog(command, parameters)
    return {
      correlationId: command.correlationId,
      abandon: () => log.abandon(),
      advance: (nowNs) => {
        const result = log.poll()
        if (result === undefined) {
          return false
        }
        if (isFailure(result)) {
          throw refusalOf(result)
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
      this.publications.all.filter((publication) => canLink(publication, link)).map((image) => ({ image, link }))
    )
    this.subscriptionLinks.push(link)
    this.context.clientProxy.onSubscriptionReady(command.correlationId, CHANNEL_STATUS_NONE)
    this.imageLinks.complete(links, nowNs)
  }

  /** True when the image was an IPC publication's. */
  rejectImage(imageCorrelationId: bigint, reason: string, nowNs: number): boolean {
    const publication = this.publications.find(imageCorrelationId)
    if (publication === undefined) {
      return false
    }
    PublicationErrors.tell(this.context, {
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
    this.imageLinks.notifyEnd(publication)
    this.imageLinks.unlinkAll(publication)
    publication.reject(nowNs)
    return true
  }

  updatePublisherLimits(): number {
    return this.publications.updatePublisherLimits()
  }

  check(nowNs: number, nowMs: number): void {
    this.publications.check(nowNs, nowMs)
  }

  close(): void {
    for (const { rawLog } of this.publications.all.splice(0)) {
      this.logs.add(rawLog)
    }
  }

  onLinger(publication: IpcPublication): void {
    this.sessionIds.remove(publication.sessionId, publication.streamId, IPC_MEDIA)
    this.imageLinks.notifyEnd(publication)
  }

  onDone(publication: IpcPublication): void {
    this.imageLinks.unlinkAll(publication)
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

  private createPublication(
    command: PublicationMessage,
    isExclusive: boolean,
    parameters: PublicationParameters,
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
      this.publications.add(publication, IPC_MEDIA)
      this.publications.link(command, client, publication)
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
    parameters: PublicationParameters,
    sessionId: number,
    rawLog: RawLog,
    nowNs: number
  ): IpcPublication {
    const { counters, randomInt32, settings, socketBuffers } = this.context
    const { clientId, channel, correlationId: registrationId, streamId } = command
    const { log, startPosition, startTermId, startTermOffset } = PublicationLog.create(rawLog, {
      registrationId,
      sessionId,
      streamId,
      isExclusive,
      parameters,
      filePageSize: settings.filePageSize,
      randomTermId: randomInt32,
      socketBuffers: SocketBuffers.logFields(SocketBuffers.NONE, socketBuffers)
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

  private linksOf(publication: IpcPublication): ReadonlyArray<ImageLink> {
    return this.subscriptionLinks
      .filter((link) => link instanceof IpcSubscriptionLink && canLink(publication, link))
      .map((link) => ({ image: publication, link }))
  }
}

const canLink = (publication: IpcPublication, link: IpcSubscriptionLink): boolean =>
  link.matches(publication) && !link.isLinked(publication) && publication.isAcceptingSubscriptions
