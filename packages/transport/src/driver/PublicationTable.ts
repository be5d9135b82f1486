/**
 * The publications of one medium, IPC or the network: found by their ids, tags and streams, shared by clients that ask for
 * the same, and refused where what a client asks for is taken.
 */
import type { ChannelUri } from "../channel/ChannelUri.ts"
import { InvalidChannel } from "../channel/InvalidChannel.ts"
import * as PublicationParameters from "../channel/PublicationParameters.ts"
import type { PublicationMessage } from "../command/PublicationMessage.ts"
import type { ClientLiveness } from "./ClientLiveness.ts"
import type { Clients } from "./Clients.ts"
import type { DriverContext } from "./DriverContext.ts"
import type { PendingLog, RawLog } from "./LogFactory.ts"
import * as ManagedResource from "./ManagedResource.ts"
import { type LinkedPublication, PublicationLink } from "./PublicationLink.ts"
import { confirmMatch, type ExistingPublication } from "./PublicationMatch.ts"
import type { SessionIds } from "./SessionIds.ts"

/** What a table knows of a publication. */
interface TablePublication extends ManagedResource.ManagedResource, LinkedPublication, ExistingPublication {
  readonly registrationId: bigint
  readonly streamId: number
  readonly isExclusive: boolean
  readonly state: string
  readonly rawLog: RawLog
  readonly publisherLimit: { readonly id: number }
  /** Of the channel that it sends by; none of its clients sees another. */
  readonly channelStatusId: number
  updatePublisherLimit(): number
}

interface PublicationTableFields {
  readonly context: DriverContext
  readonly clients: Clients
  readonly sessionIds: SessionIds
  /** What clients hold, of all media. */
  readonly links: Array<PublicationLink>
  readonly defaults: PublicationParameters.PublicationDefaults
  /** Names the medium in refusals. */
  readonly medium: string
}

export class PublicationTable<P extends TablePublication> {
  readonly all: Array<P> = []
  private readonly fields: PublicationTableFields

  constructor(fields: PublicationTableFields) {
    this.fields = fields
  }

  find(registrationId: bigint): P | undefined {
    return this.all.find((publication) => publication.registrationId === registrationId)
  }

  /** One that a client may share that asks for a stream with these parameters. */
  findShared(
    streamId: number,
    { responseCorrelationId }: PublicationParameters.PublicationParameters,
    isOnChannel: (publication: P) => boolean = () => true
  ): P | undefined {
    return this.all.find(
      (publication) =>
        publication.streamId === streamId &&
        !publication.isExclusive &&
        publication.state === "Active" &&
        publication.parameters.responseCorrelationId === responseCorrelationId &&
        isOnChannel(publication)
    )
  }

  /** What the channel asks for. Throws `InvalidChannel`, also when it names a tag that nobody has, or takes one that somebody has. */
  parse(command: PublicationMessage, uri: ChannelUri): PublicationParameters.PublicationParameters {
    const tag = PublicationParameters.sessionTag(uri)
    const tagged = tag === undefined ? undefined : this.findByTag(tag)
    if (tag !== undefined && tagged === undefined) {
      const allowed = `the entity tag of ${this.fields.medium} publication of this driver`
      throw new InvalidChannel({ channel: uri.channel, parameter: "session-id", value: `tag:${tag}`, allowed })
    }
    const parameters = PublicationParameters.parse(
      uri,
      command.streamId,
      this.fields.defaults,
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

  /** `canonicalForm` is that of the channel; see `SessionIds`. */
  chooseSessionId(
    { channel, streamId }: PublicationMessage,
    { sessionId: wanted }: PublicationParameters.PublicationParameters,
    canonicalForm: string
  ): number {
    const { sessionIds } = this.fields
    const sessionId = wanted ?? sessionIds.nextFor(streamId, canonicalForm)
    if (sessionIds.isActive(sessionId, streamId, canonicalForm)) {
      const allowed = `a session id that no publication of stream ${streamId} has`
      throw new InvalidChannel({ channel, parameter: "session-id", value: String(sessionId), allowed })
    }
    return sessionId
  }

  requestLog(
    { correlationId }: PublicationMessage,
    { isSparse, termLength }: PublicationParameters.PublicationParameters
  ): PendingLog {
    return this.fields.context.logFactory.create({
      kind: "publication",
      registrationId: correlationId,
      termLength,
      isSparse
    })
  }

  add(publication: P, canonicalForm: string): void {
    this.all.push(publication)
    this.fields.sessionIds.add(publication.sessionId, publication.streamId, canonicalForm)
  }

  /** Throws when the client's channel asks for what the publication does not have. */
  share(
    command: PublicationMessage,
    uri: ChannelUri,
    parameters: PublicationParameters.PublicationParameters,
    publication: P
  ): void {
    confirmMatch(uri, parameters, publication)
    this.link(command, this.fields.clients.getOrAdd(command.clientId), publication)
  }

  /** The client holds the publication, and is told so. */
  link({ correlationId }: PublicationMessage, client: ClientLiveness, publication: P): void {
    this.fields.links.push(new PublicationLink(correlationId, client, publication))
    this.fields.context.clientProxy.onPublicationReady(
      {
        correlationId,
        registrationId: publication.registrationId,
        sessionId: publication.sessionId,
        streamId: publication.streamId,
        publisherLimitId: publication.publisherLimit.id,
        channelStatusId: publication.channelStatusId,
        logFile: publication.rawLog.fileName
      },
      publication.isExclusive
    )
  }

  updatePublisherLimits(): number {
    const publications = this.all
    let workCount = 0
    for (let i = 0; i < publications.length; i++) {
      workCount += publications[i]!.updatePublisherLimit()
    }
    return workCount
  }

  check(nowNs: number, nowMs: number): void {
    ManagedResource.checkAll(this.all, nowNs, nowMs)
  }

  private findByTag(tag: bigint): P | undefined {
    return this.all.find((publication) => publication.parameters.entityTag === tag)
  }
}
