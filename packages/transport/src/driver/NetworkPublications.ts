/** The driver's network publications and the endpoints that they send by. */
import type { ChannelUri } from "../channel/ChannelUri.ts"
import { InvalidChannel } from "../channel/InvalidChannel.ts"
import * as PublicationParameters from "../channel/PublicationParameters.ts"
import type { UdpChannel } from "../channel/UdpChannel.ts"
import * as ErrorCode from "../command/ErrorCode.ts"
import type { PublicationMessage } from "../command/PublicationMessage.ts"
import * as FlowControlSelection from "../flow/FlowControlSelection.ts"
import type { SharedResources } from "./AgentResources.ts"
import type { SendChannelEndpoint } from "./ChannelEndpoint.ts"
import type { ReceiversStatus, Rejection } from "./ConductorCommands.ts"
import { ChannelResolution } from "./ChannelResolution.ts"
import type { ClientLiveness } from "./ClientLiveness.ts"
import type { Clients } from "./Clients.ts"
import type { ClosingEndpoints } from "./ClosingEndpoints.ts"
import { ControlProtocolError } from "./ControlProtocolError.ts"
import type { DriverContext, DriverNetwork } from "./DriverContext.ts"
import { isFailure, type PendingLog, type RawLog } from "./LogFactory.ts"
import type { LogFreeing } from "./LogFreeing.ts"
import * as ManagedResource from "./ManagedResource.ts"
import {
  NetworkPublication,
  type NetworkPublicationFields,
  type NetworkPublicationListener
} from "./NetworkPublication.ts"
import type { PendingCommand } from "./PendingCommand.ts"
import { PublicationLink } from "./PublicationLink.ts"
import { confirmMatch } from "./PublicationMatch.ts"
import * as PublicationLog from "./PublicationLog.ts"
import type { SendEndpoints } from "./SendEndpoints.ts"
import type { SenderCommands } from "./SenderCommands.ts"
import type { SessionIds } from "./SessionIds.ts"
import * as StreamCounters from "./StreamCounters.ts"
import * as SystemCounters from "./SystemCounters.ts"

type Parameters = PublicationParameters.PublicationParameters

type PublicationPositions = Pick<
  NetworkPublicationFields,
  | "publisherPosition"
  | "publisherLimit"
  | "senderPosition"
  | "senderLimit"
  | "senderBackPressure"
  | "senderNaksReceived"
  | "receiverCount"
>

/** What a new publication is made of, besides its log. */
interface NewPublication {
  readonly command: PublicationMessage
  readonly endpoint: SendChannelEndpoint
  readonly parameters: Parameters
  readonly flowControl: FlowControlSelection.FlowControlChoice
  readonly sessionId: number
  readonly isExclusive: boolean
}

export class NetworkPublications implements NetworkPublicationListener {
  private readonly context: DriverContext
  private readonly network: DriverNetwork
  private readonly clients: Clients
  private readonly sessionIds: SessionIds
  private readonly publicationLinks: Array<PublicationLink>
  private readonly logs: LogFreeing
  private readonly sender: SenderCommands
  private readonly closing: ClosingEndpoints
  private readonly endpoints: SendEndpoints
  private readonly resources: SharedResources
  private readonly publications: Array<NetworkPublication> = []
  private uniqueForms = 0

  constructor(
    context: DriverContext,
    network: DriverNetwork,
    clients: Clients,
    sessionIds: SessionIds,
    publicationLinks: Array<PublicationLink>,
    logs: LogFreeing,
    sender: SenderCommands,
    endpoints: SendEndpoints,
    closing: ClosingEndpoints,
    resources: SharedResources
  ) {
    this.context = context
    this.network = network
    this.clients = clients
    this.sessionIds = sessionIds
    this.publicationLinks = publicationLinks
    this.logs = logs
    this.sender = sender
    this.closing = closing
    this.endpoints = endpoints
    this.resources = resources
  }

  /** Answered when the name is resolved, the socket open and the log there. */
  addPublication(command: PublicationMessage, uri: ChannelUri, isExclusive: boolean): PendingCommand {
    const resolution = new ChannelResolution(this.network, uri, () => String(this.uniqueForms++), false)
    let pending: { readonly log: PendingLog; readonly publication: NewPublication } | undefined
    return {
      correlationId: command.correlationId,
      abandon: () => pending?.log.abandon(),
      advance: (nowNs) => {
        if (pending === undefined) {
          const udpChannel = resolution.poll()
          if (udpChannel === undefined || !this.closing.isEmpty) {
            return false
          }
          pending = this.begin(command, udpChannel, isExclusive)
          if (pending === undefined) {
            return true
          }
        }
        const log = pending.log.poll()
        if (log === undefined) {
          return false
        }
        this.finish(pending.publication, log, nowNs)
        return true
      }
    }
  }

  updatePublisherLimits(): number {
    let workCount = 0
    for (const publication of this.publications) {
      workCount += publication.updatePublisherLimit()
    }
    return workCount
  }

  check(nowNs: number, nowMs: number): void {
    ManagedResource.checkAll(this.publications, nowNs, nowMs)
  }

  close(): void {
    for (const { rawLog, state } of this.publications) {
      if (state !== "Done") {
        this.logs.add(rawLog)
      }
    }
    this.publications.length = 0
  }

  onDone(publication: NetworkPublication): void {
    const { endpoint, rawLog, registrationId, sessionId, streamId } = publication
    this.sender.onRemovePublication(registrationId)
    this.resources.removeLog(rawLog.fileName)
    this.sessionIds.remove(sessionId, streamId, endpoint.udpChannel.canonicalForm)
    this.endpoints.closeIfUnused(endpoint)
    this.logs.add(rawLog)
  }

  onRevoked(): void {
    this.context.systemCounters.increment(SystemCounters.PUBLICATIONS_REVOKED)
  }

  onUnblocked(): void {
    this.context.systemCounters.increment(SystemCounters.UNBLOCKED_PUBLICATIONS)
  }

  onFailed({ registrationId }: NetworkPublication, error: unknown): void {
    this.sender.onPublicationFailure(registrationId)
    this.context.recordError(error)
  }

  /** The sender met what is no frame. */
  onPublicationFailed(registrationId: bigint, error: unknown): void {
    this.find(registrationId)?.fail(error)
  }

  onReceivers(registrationId: bigint, receivers: ReceiversStatus): void {
    this.find(registrationId)?.onReceivers(receivers)
  }

  onReleased(registrationId: bigint): void {
    this.find(registrationId)?.onSenderReleased()
  }

  onRejected(registrationId: bigint, rejection: Rejection): void {
    this.context.clientProxy.onPublicationError({ ...rejection, registrationId, destinationRegistrationId: -1n })
  }

  private find(registrationId: bigint): NetworkPublication | undefined {
    return this.publications.find((publication) => publication.registrationId === registrationId)
  }

  /** Undefined when an existing publication was shared, and the command answered. */
  private begin(
    command: PublicationMessage,
    udpChannel: UdpChannel,
    isExclusive: boolean
  ): { readonly log: PendingLog; readonly publication: NewPublication } | undefined {
    const { uri } = udpChannel
    if (udpChannel.remote.port === 0) {
      const allowed = "a port above 0: a publication must know where to send"
      throw new InvalidChannel({
        channel: uri.channel,
        parameter: "endpoint",
        value: uri.get("endpoint") ?? "",
        allowed,
        isGeneric: true
      })
    }
    const parameters = this.parse(command, uri)
    const flowControl = FlowControlSelection.choose(uri, udpChannel.isGroup, this.context.settings.flowControl)
    const endpoint = this.endpoints.get(command.correlationId, udpChannel, parameters.mtuLength)
    try {
      const shared = isExclusive ? undefined : this.findShared(command.streamId, endpoint, parameters)
      if (shared !== undefined) {
        confirmMatch(uri, parameters, shared)
        this.linkPublication(command, this.clients.getOrAdd(command.clientId), shared)
        return undefined
      }
      const sessionId = this.chooseSessionId(command, parameters, udpChannel.canonicalForm)
      const log = this.context.logFactory.create({
        kind: "publication",
        registrationId: command.correlationId,
        termLength: parameters.termLength,
        isSparse: parameters.isSparse
      })
      // From here on the publication holds the endpoint, so that nobody closes it meanwhile.
      endpoint.increaseReferences()
      return { log, publication: { command, endpoint, parameters, flowControl, sessionId, isExclusive } }
    } catch (error) {
      this.endpoints.closeIfUnused(endpoint)
      throw error
    }
  }

  private finish(publication: NewPublication, log: ReturnType<PendingLog["poll"]>, nowNs: number): void {
    const { command, endpoint } = publication
    try {
      if (log === undefined || isFailure(log)) {
        const code = log?.isStorageSpace === true ? ErrorCode.STORAGE_SPACE : ErrorCode.GENERIC_ERROR
        throw new ControlProtocolError(code, log?.message ?? "")
      }
      this.logs.onMapped(log)
      // Whatever can be refused comes first: from the registration on nothing is taken back.
      const client = this.clients.getOrAdd(command.clientId)
      const created = this.newPublication(publication, log, nowNs)
      this.publications.push(created)
      this.sessionIds.add(created.sessionId, created.streamId, endpoint.udpChannel.canonicalForm)
      this.announce(created)
      this.linkPublication(command, client, created)
    } catch (error) {
      endpoint.decreaseReferences()
      this.endpoints.closeIfUnused(endpoint)
      if (log !== undefined && !isFailure(log)) {
        this.logs.add(log)
      }
      throw error
    }
  }

  private parse(command: PublicationMessage, uri: ChannelUri): Parameters {
    const tag = PublicationParameters.sessionTag(uri)
    const tagged = tag === undefined ? undefined : this.findByTag(tag)
    if (tag !== undefined && tagged === undefined) {
      const allowed = "the entity tag of a network publication of this driver"
      throw new InvalidChannel({ channel: uri.channel, parameter: "session-id", value: `tag:${tag}`, allowed })
    }
    const parameters = PublicationParameters.parse(
      uri,
      command.streamId,
      this.context.settings.networkPublication,
      tagged === undefined
        ? undefined
        : { sessionId: tagged.sessionId, mtuLength: tagged.log.mtuLength, termLength: tagged.termLength }
    )
    const { entityTag } = parameters
    const holder = entityTag === PublicationParameters.NULL_VALUE ? undefined : this.findByTag(entityTag)
    if (holder !== undefined) {
      const allowed = `a tag that is not in use: ${holder.channel} has it`
      throw new InvalidChannel({ channel: uri.channel, parameter: "tags", value: String(entityTag), allowed })
    }
    return parameters
  }

  private findByTag(tag: bigint): NetworkPublication | undefined {
    return this.publications.find((publication) => publication.parameters.entityTag === tag)
  }

  private findShared(
    streamId: number,
    endpoint: SendChannelEndpoint,
    parameters: Parameters
  ): NetworkPublication | undefined {
    return this.publications.find(
      (publication) =>
        publication.streamId === streamId &&
        publication.endpoint === endpoint &&
        publication.state === "Active" &&
        !publication.isExclusive &&
        publication.parameters.responseCorrelationId === parameters.responseCorrelationId
    )
  }

  private chooseSessionId(command: PublicationMessage, parameters: Parameters, canonicalForm: string): number {
    const sessionId = parameters.sessionId ?? this.sessionIds.nextFor(command.streamId, canonicalForm)
    if (this.sessionIds.isActive(sessionId, command.streamId, canonicalForm)) {
      const allowed = `a session id that no publication of stream ${command.streamId} has`
      const value = String(sessionId)
      throw new InvalidChannel({ channel: command.channel, parameter: "session-id", value, allowed })
    }
    return sessionId
  }

  private newPublication(publication: NewPublication, rawLog: RawLog, nowNs: number): NetworkPublication {
    const { command, endpoint, isExclusive, parameters, sessionId } = publication
    const { randomInt32, settings } = this.context
    const { channel, clientId, correlationId: registrationId, streamId } = command
    const { log, startPosition, startTermId, startTermOffset } = PublicationLog.create(rawLog, {
      registrationId,
      sessionId,
      streamId,
      isExclusive,
      parameters,
      filePageSize: settings.filePageSize,
      randomTermId: randomInt32,
      sendBufferLength: endpoint.socket.sendBufferLength,
      receiveBufferLength: endpoint.socket.receiveBufferLength
    })
    const identity = { clientId, registrationId, sessionId, streamId, channel }
    const positions = this.positionsOf(identity, isExclusive, startPosition, publication.flowControl)
    return new NetworkPublication(
      {
        registrationId,
        channel,
        sessionId,
        streamId,
        isExclusive,
        parameters,
        log,
        rawLog,
        endpoint,
        flowControl: publication.flowControl,
        ...positions,
        unblockTimeoutNs: settings.publicationUnblockTimeoutNs,
        startTermId,
        startTermOffset
      },
      this,
      nowNs
    )
  }

  /** The sender begins with its half. */
  private announce({ endpoint, fields, log, parameters, rawLog, ...publication }: NetworkPublication): void {
    const { settings } = this.context
    this.resources.addLog(rawLog.fileName, log)
    this.sender.onNewPublication({
      registrationId: publication.registrationId,
      endpointId: endpoint.id,
      sessionId: publication.sessionId,
      streamId: publication.streamId,
      logFile: rawLog.fileName,
      flowControl: fields.flowControl,
      receiverCount: fields.receiverCount?.id,
      senderPosition: fields.senderPosition.id,
      senderLimit: fields.senderLimit.id,
      senderBackPressure: fields.senderBackPressure.id,
      senderNaksReceived: fields.senderNaksReceived.id,
      connectionTimeoutNs: settings.publicationConnectionTimeoutNs,
      retransmitLingerNs: settings.retransmitLingerNs,
      retransmitDelayNs: settings.retransmitDelayNs,
      retransmitRate: settings.retransmitRate,
      datagramsPerSendMax: settings.datagramsPerSendMax,
      maxResend: parameters.maxResend,
      signalEos: parameters.signalEos
    })
  }

  private positionsOf(
    identity: StreamCounters.StreamIdentity,
    isExclusive: boolean,
    startPosition: number,
    flowControl: FlowControlSelection.FlowControlChoice
  ): PublicationPositions {
    const { counters } = this.context
    // A strategy that waits for receivers shows how many there are.
    const receiverCount = FlowControlSelection.isCounting(flowControl)
      ? StreamCounters.flowControlReceivers(counters, identity)
      : undefined
    try {
      const [publisherPosition, publisherLimit, senderPosition, senderLimit, senderBackPressure, senderNaksReceived] =
        StreamCounters.allocateAll(
          () => StreamCounters.publisherPosition(counters, identity, isExclusive, startPosition),
          () => StreamCounters.publisherLimit(counters, identity, startPosition),
          () => StreamCounters.senderPosition(counters, identity, startPosition),
          () => StreamCounters.senderLimit(counters, identity, startPosition),
          () => StreamCounters.senderBackPressure(counters, identity),
          () => StreamCounters.senderNaksReceived(counters, identity)
        )
      return {
        publisherPosition,
        publisherLimit,
        senderPosition,
        senderLimit,
        senderBackPressure,
        senderNaksReceived,
        receiverCount
      }
    } catch (error) {
      receiverCount?.close()
      throw error
    }
  }

  private linkPublication(command: PublicationMessage, client: ClientLiveness, publication: NetworkPublication): void {
    this.publicationLinks.push(new PublicationLink(command.correlationId, client, publication))
    this.context.clientProxy.onPublicationReady(
      {
        correlationId: command.correlationId,
        registrationId: publication.registrationId,
        sessionId: publication.sessionId,
        streamId: publication.streamId,
        publisherLimitId: publication.publisherLimit.id,
        channelStatusId: publication.endpoint.status.counterId,
        logFile: publication.rawLog.fileName
      },
      publication.isExclusive
    )
  }
}
