/** The driver's network publications and the endpoints that they send by. */
import type { ChannelUri } from "../channel/ChannelUri.ts"
import { InvalidChannel } from "../channel/InvalidChannel.ts"
import type { PublicationParameters } from "../channel/PublicationParameters.ts"
import type { UdpChannel } from "../channel/UdpChannel.ts"
import type { PublicationMessage } from "../command/PublicationMessage.ts"
import * as FlowControlSelection from "../flow/FlowControlSelection.ts"
import type { SharedResources } from "./AgentResources.ts"
import type { SendChannelEndpoint } from "./ChannelEndpoint.ts"
import type { ReceiversStatus, Rejection } from "./ConductorCommands.ts"
import { ChannelResolution } from "./ChannelResolution.ts"
import type { Clients } from "./Clients.ts"
import type { ClosingEndpoints } from "./ClosingEndpoints.ts"
import type { DriverContext, DriverNetwork } from "./DriverContext.ts"
import { isFailure, type LogFailure, type PendingLog, type RawLog, refusalOf } from "./LogFactory.ts"
import type { LogFreeing } from "./LogFreeing.ts"
import {
  NetworkPublication,
  type NetworkPublicationFields,
  type NetworkPublicationListener
} from "./NetworkPublication.ts"
import type { PendingCommand } from "./PendingCommand.ts"
import * as PublicationErrors from "./PublicationErrors.ts"
import type { PublicationLink } from "./PublicationLink.ts"
import * as PublicationLog from "./PublicationLog.ts"
import { PublicationTable } from "./PublicationTable.ts"
import type { SendEndpoints } from "./SendEndpoints.ts"
import type { SenderCommands } from "./SenderCommands.ts"
import type { SessionIds } from "./SessionIds.ts"
import * as SocketBuffers from "./SocketBuffers.ts"
import * as StreamCounters from "./StreamCounters.ts"
import * as SystemCounters from "./SystemCounters.ts"

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
  readonly parameters: PublicationParameters
  readonly flowControl: FlowControlSelection.FlowControlChoice
  readonly sessionId: number
  readonly isExclusive: boolean
}

export class NetworkPublications implements NetworkPublicationListener {
  private readonly context: DriverContext
  private readonly network: DriverNetwork
  private readonly clients: Clients
  private readonly sessionIds: SessionIds
  private readonly logs: LogFreeing
  private readonly sender: SenderCommands
  private readonly closing: ClosingEndpoints
  private readonly endpoints: SendEndpoints
  private readonly resources: SharedResources
  private readonly publications: PublicationTable<NetworkPublication>
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
    this.logs = logs
    this.sender = sender
    this.closing = closing
    this.endpoints = endpoints
    this.resources = resources
    this.publications = new PublicationTable({
      context,
      clients,
      sessionIds,
      links: publicationLinks,
      defaults: context.settings.networkPublication,
      medium: "a network"
    })
  }

  /** Answered when the name is resolved, the socket open and the log there. */
  addPublication(command: PublicationMessage, uri: ChannelUri, isExclusive: boolean): PendingCommand {
    const surroundings = {
      uniqueSuffix: () => String(this.uniqueForms++),
      findByTag: (tag: bigint) => this.endpoints.findByTag(tag)
    }
    const resolution = new ChannelResolution(this.network, uri, surroundings, false)
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
    return this.publications.updatePublisherLimits()
  }

  check(nowNs: number, nowMs: number): void {
    this.publications.check(nowNs, nowMs)
  }

  close(): void {
    for (const { hasReachedEndOfLife, rawLog } of this.publications.all.splice(0)) {
      if (!hasReachedEndOfLife) {
        this.logs.add(rawLog)
      }
    }
  }

  onDone(publication: NetworkPublication): void {
    const { endpoint, rawLog, registrationId, sessionId, streamId } = publication
    this.sender.onRemovePublication(registrationId)
    this.resources.removeLog(rawLog.fileName)
    this.sessionIds.remove(sessionId, streamId, endpoint.udpChannel.canonicalForm)
    this.endpoints.closeIfUnused(endpoint)
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
    this.publications.find(registrationId)?.fail(error)
  }

  onReceivers(registrationId: bigint, receivers: ReceiversStatus): void {
    this.publications.find(registrationId)?.onReceivers(receivers)
  }

  /** A sender that was held up may not have mapped the log before: until now the file has to be there. */
  onReleased(registrationId: bigint): void {
    const publication = this.publications.find(registrationId)
    if (publication !== undefined) {
      publication.onSenderReleased()
      this.logs.add(publication.rawLog)
    }
  }

  onRejected(registrationId: bigint, rejection: Rejection): void {
    PublicationErrors.tell(this.context, { ...rejection, registrationId, destinationRegistrationId: -1n })
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
    const { publications } = this
    const parameters = publications.parse(command, uri)
    const flowControl = FlowControlSelection.choose(uri, udpChannel.isGroup, this.context.settings.flowControl)
    const endpoint = this.endpoints.get(command.correlationId, udpChannel, parameters.mtuLength)
    try {
      const isOnEndpoint = (publication: NetworkPublication): boolean => publication.endpoint === endpoint
      const shared = isExclusive ? undefined : publications.findShared(command.streamId, parameters, isOnEndpoint)
      if (shared !== undefined) {
        publications.share(command, uri, parameters, shared)
        return undefined
      }
      const sessionId = publications.chooseSessionId(command, parameters, udpChannel.canonicalForm)
      const log = publications.requestLog(command, parameters)
      // From here on the publication holds the endpoint, so that nobody closes it meanwhile.
      endpoint.increaseReferences()
      return { log, publication: { command, endpoint, parameters, flowControl, sessionId, isExclusive } }
    } catch (error) {
      this.endpoints.closeIfUnused(endpoint)
      throw error
    }
  }

  private finish(publication: NewPublication, log: RawLog | LogFailure, nowNs: number): void {
    const { command, endpoint } = publication
    try {
      if (isFailure(log)) {
        throw refusalOf(log)
      }
      this.logs.onMapped(log)
      // Whatever can be refused comes first: from the registration on nothing is taken back.
      const client = this.clients.getOrAdd(command.clientId)
      const created = this.newPublication(publication, log, nowNs)
      this.publications.add(created, endpoint.udpChannel.canonicalForm)
      this.announce(created)
      this.publications.link(command, client, created)
    } catch (error) {
      endpoint.decreaseReferences()
      this.endpoints.closeIfUnused(endpoint)
      if (!isFailure(log)) {
        this.logs.add(log)
      }
      throw error
    }
  }

  private newPublication(publication: NewPublication, rawLog: RawLog, nowNs: number): NetworkPublication {
    const { command, endpoint, isExclusive, parameters, sessionId } = publication
    const { randomInt32, settings, socketBuffers } = this.context
    const { channel, clientId, correlationId: registrationId, streamId } = command
    const { log, startPosition, startTermId, startTermOffset } = PublicationLog.create(rawLog, {
      registrationId,
      sessionId,
      streamId,
      isExclusive,
      parameters,
      filePageSize: settings.filePageSize,
      randomTermId: randomInt32,
      socketBuffers: SocketBuffers.logFields(SocketBuffers.asked(endpoint.udpChannel, settings), socketBuffers)
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
}
