/** The driver's network publications and the endpoints that they send by. */
import * as ErrorFrame from "@millrace/core/kernel/frame/ErrorFrame"
import type { FrameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import * as LogBufferDescriptor from "@millrace/core/kernel/logbuffer/LogBufferDescriptor"
import * as LogBufferMetadata from "@millrace/core/kernel/logbuffer/LogBufferMetadata"
import { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import type { ChannelUri } from "../channel/ChannelUri.ts"
import { InvalidChannel } from "../channel/InvalidChannel.ts"
import * as PublicationParameters from "../channel/PublicationParameters.ts"
import type { SocketAddress } from "../channel/SocketAddress.ts"
import type { UdpChannel } from "../channel/UdpChannel.ts"
import * as ErrorCode from "../command/ErrorCode.ts"
import type { PublicationMessage } from "../command/PublicationMessage.ts"
import { UnicastFlowControl } from "../flow/UnicastFlowControl.ts"
import { EndpointStatus, SEND } from "../media/EndpointStatus.ts"
import { SendEndpoint } from "../media/SendEndpoint.ts"
import { UdpSocketError } from "../media/UdpPort.ts"
import { ChannelResolution } from "./ChannelResolution.ts"
import type { Clients } from "./Clients.ts"
import type { ClosingEndpoints } from "./ClosingEndpoints.ts"
import { ControlProtocolError } from "./ControlProtocolError.ts"
import type { DriverContext, DriverNetwork } from "./DriverContext.ts"
import { isFailure, type PendingLog, type RawLog } from "./LogFactory.ts"
import type { LogFreeing } from "./LogFreeing.ts"
import * as ManagedResource from "./ManagedResource.ts"
import { NetworkPublication, type NetworkPublicationListener } from "./NetworkPublication.ts"
import type { PendingCommand } from "./PendingCommand.ts"
import { PublicationLink } from "./PublicationLink.ts"
import { confirmMatch } from "./PublicationMatch.ts"
import type { Sender } from "./Sender.ts"
import type { SessionIds } from "./SessionIds.ts"
import * as StreamCounters from "./StreamCounters.ts"
import * as SystemCounters from "./SystemCounters.ts"

type Parameters = PublicationParameters.PublicationParameters

/** What a new publication is made of, besides its log. */
interface NewPublication {
  readonly command: PublicationMessage
  readonly endpoint: SendEndpoint
  readonly parameters: Parameters
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
  private readonly sender: Sender
  private readonly closing: ClosingEndpoints
  private readonly publications: Array<NetworkPublication> = []
  private readonly endpoints = new Map<string, SendEndpoint>()
  private uniqueForms = 0

  constructor(
    context: DriverContext,
    network: DriverNetwork,
    clients: Clients,
    sessionIds: SessionIds,
    publicationLinks: Array<PublicationLink>,
    logs: LogFreeing,
    sender: Sender,
    closing: ClosingEndpoints
  ) {
    this.context = context
    this.network = network
    this.clients = clients
    this.sessionIds = sessionIds
    this.publicationLinks = publicationLinks
    this.logs = logs
    this.sender = sender
    this.closing = closing
  }

  /** Answered when the name is resolved, the socket open and the log there. */
  addPublication(command: PublicationMessage, uri: ChannelUri, isExclusive: boolean): PendingCommand {
    const resolution = new ChannelResolution(this.network, uri, () => String(this.uniqueForms++))
    let pending: { readonly log: PendingLog; readonly publication: NewPublication } | undefined
    return {
      correlationId: command.correlationId,
      advance: (nowNs) => {
        if (pending === undefined) {
          const udpChannel = resolution.poll()
          if (udpChannel === undefined || !this.closing.isEmpty) {
            return false
          }
          pending = this.begin(command, udpChannel, isExclusive, nowNs)
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

  /** The name of the endpoint is looked up again: its receivers are silent. */
  onSilent(endpoint: SendEndpoint): void {
    const resolution = new ChannelResolution(this.network, endpoint.udpChannel.uri, () => "")
    this.resolutions.push({ endpoint, resolution })
  }

  /** Endpoints whose name is being looked up again. */
  private readonly resolutions: Array<{ readonly endpoint: SendEndpoint; readonly resolution: ChannelResolution }> = []

  checkResolutions(): number {
    let workCount = 0
    for (let i = this.resolutions.length - 1; i >= 0; i--) {
      const { endpoint, resolution } = this.resolutions[i]!
      if (this.isResolved(endpoint, resolution)) {
        this.resolutions.splice(i, 1)
        workCount++
      }
    }
    return workCount
  }

  close(): void {
    for (const publication of this.publications) {
      this.logs.add(publication.rawLog)
    }
    for (const endpoint of this.endpoints.values()) {
      endpoint.close()
    }
    this.publications.length = 0
    this.endpoints.clear()
  }

  onDone(publication: NetworkPublication): void {
    const { endpoint, sessionId, streamId } = publication
    this.sender.onRemovePublication(publication)
    this.sessionIds.remove(sessionId, streamId, endpoint.udpChannel.canonicalForm)
    this.closeIfUnused(endpoint)
    this.logs.add(publication.rawLog)
  }

  onRevoked(): void {
    this.context.systemCounters.increment(SystemCounters.PUBLICATIONS_REVOKED)
  }

  onUnblocked(): void {
    this.context.systemCounters.increment(SystemCounters.UNBLOCKED_PUBLICATIONS)
  }

  onRejected(publication: NetworkPublication, buffer: FrameBuffer, offset: number, source: SocketAddress): void {
    this.context.clientProxy.onPublicationError({
      registrationId: publication.registrationId,
      destinationRegistrationId: -1n,
      sessionId: publication.sessionId,
      streamId: publication.streamId,
      receiverId: ErrorFrame.receiverId(buffer, offset),
      groupTag: ErrorFrame.hasGroupTag(buffer, offset) ? ErrorFrame.groupTag(buffer, offset) : -1n,
      address: source.address,
      port: source.port,
      code: ErrorFrame.errorCode(buffer, offset),
      message: ErrorFrame.text(buffer, offset)
    })
  }

  private isResolved(endpoint: SendEndpoint, resolution: ChannelResolution): boolean {
    try {
      const udpChannel = resolution.poll()
      if (udpChannel !== undefined && !udpChannel.remote.equals(endpoint.remote)) {
        endpoint.remote = udpChannel.remote
        this.context.systemCounters.increment(SystemCounters.RESOLUTION_CHANGES)
      }
      return udpChannel !== undefined
    } catch (error) {
      this.context.recordError(error)
      return true
    }
  }

  /** Undefined when an existing publication was shared, and the command answered. */
  private begin(
    command: PublicationMessage,
    udpChannel: UdpChannel,
    isExclusive: boolean,
    nowNs: number
  ): { readonly log: PendingLog; readonly publication: NewPublication } | undefined {
    const { uri } = udpChannel
    if (udpChannel.remote.port === 0) {
      const allowed = "a port above 0: a publication must know where to send"
      throw new InvalidChannel({
        channel: uri.channel,
        parameter: "endpoint",
        value: uri.get("endpoint") ?? "",
        allowed
      })
    }
    const parameters = this.parse(command, uri)
    const endpoint = this.endpointOf(command, udpChannel, parameters, nowNs)
    try {
      const shared = isExclusive ? undefined : this.findShared(command.streamId, endpoint, parameters)
      if (shared !== undefined) {
        confirmMatch(uri, parameters, shared)
        this.linkPublication(command, shared)
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
      return { log, publication: { command, endpoint, parameters, sessionId, isExclusive } }
    } catch (error) {
      this.closeIfUnused(endpoint)
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
      const created = this.newPublication(publication, log, nowNs)
      this.publications.push(created)
      this.sessionIds.add(created.sessionId, created.streamId, endpoint.udpChannel.canonicalForm)
      this.sender.onNewPublication(created)
      this.linkPublication(command, created)
    } catch (error) {
      endpoint.decreaseReferences()
      this.closeIfUnused(endpoint)
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

  private findShared(streamId: number, endpoint: SendEndpoint, parameters: Parameters): NetworkPublication | undefined {
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

  private endpointOf(
    command: PublicationMessage,
    udpChannel: UdpChannel,
    parameters: Parameters,
    nowNs: number
  ): SendEndpoint {
    const existing = this.endpoints.get(udpChannel.canonicalForm)
    const endpoint = existing ?? this.openEndpoint(command, udpChannel, nowNs)
    try {
      this.checkMtu(parameters.mtuLength, endpoint)
    } catch (error) {
      this.closeIfUnused(endpoint)
      throw error
    }
    return endpoint
  }

  private checkMtu(mtuLength: number, endpoint: SendEndpoint): void {
    const { sendBufferLength } = endpoint.socket
    if (sendBufferLength > 0 && mtuLength > sendBufferLength) {
      const message =
        `MTU greater than SO_SNDBUF for channel: mtu=${mtuLength} so-sndbuf=${sendBufferLength} ` +
        `channel=${endpoint.udpChannel.channel}`
      throw new ControlProtocolError(ErrorCode.GENERIC_ERROR, message)
    }
  }

  private openEndpoint(command: PublicationMessage, udpChannel: UdpChannel, nowNs: number): SendEndpoint {
    const { counters, settings, systemCounters } = this.context
    const status = new EndpointStatus(counters, SEND, command.correlationId, udpChannel.channel)
    try {
      const socket = this.network.udp.open({
        local: udpChannel.local,
        remote: udpChannel.remote,
        receiveBufferLength: udpChannel.fields.receiveBufferLength || settings.socketReceiveBufferLength,
        sendBufferLength: udpChannel.fields.sendBufferLength || settings.socketSendBufferLength
      })
      const endpoint = new SendEndpoint(udpChannel, status, socket, systemCounters, nowNs)
      this.endpoints.set(udpChannel.canonicalForm, endpoint)
      status.onActive(socket.localAddress.text)
      this.sender.onRegisterEndpoint(endpoint)
      return endpoint
    } catch (error) {
      status.close()
      throw socketFailure(error, udpChannel)
    }
  }

  private closeIfUnused(endpoint: SendEndpoint): void {
    if (endpoint.shouldBeClosed) {
      endpoint.isClosing = true
      endpoint.status.onClosing()
      this.sender.onCloseEndpoint(endpoint)
      this.endpoints.delete(endpoint.udpChannel.canonicalForm)
      this.closing.add(endpoint)
    }
  }

  private newPublication(publication: NewPublication, rawLog: RawLog, nowNs: number): NetworkPublication {
    const { command, endpoint, isExclusive, parameters, sessionId } = publication
    const { counters, randomInt32, settings, systemCounters } = this.context
    const { channel, clientId, correlationId: registrationId, streamId } = command
    const initialTermId = parameters.initialPosition?.initialTermId ?? randomInt32()
    const start = parameters.initialPosition ?? { initialTermId, termId: initialTermId, termOffset: 0 }
    const { termLength } = parameters
    const log = LogBuffers.create(rawLog.region, {
      ...logFieldsOf(parameters),
      correlationId: registrationId,
      initialTermId,
      pageSize: settings.filePageSize,
      sessionId,
      streamId,
      type: isExclusive
        ? LogBufferDescriptor.LogType.ExclusivePublication
        : LogBufferDescriptor.LogType.ConcurrentPublication,
      tails: LogBufferMetadata.initialTails(initialTermId, start.termId, start.termOffset),
      activeTermCount: LogBufferDescriptor.computeTermCount(start.termId, initialTermId),
      socketSndbufLength: endpoint.socket.sendBufferLength,
      socketRcvbufLength: endpoint.socket.receiveBufferLength
    })
    const position = LogBufferDescriptor.computePosition(start.termId, start.termOffset, termLength, initialTermId)
    const identity = { clientId, registrationId, sessionId, streamId, channel }
    const [publisherPosition, publisherLimit, senderPosition, senderLimit, senderBackPressure, senderNaksReceived] =
      StreamCounters.allocateAll(
        () => StreamCounters.publisherPosition(counters, identity, isExclusive, position),
        () => StreamCounters.publisherLimit(counters, identity, position),
        () => StreamCounters.senderPosition(counters, identity, position),
        () => StreamCounters.senderLimit(counters, identity, position),
        () => StreamCounters.senderBackPressure(counters, identity),
        () => StreamCounters.senderNaksReceived(counters, identity)
      )
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
        flowControl: new UnicastFlowControl(),
        publisherPosition,
        publisherLimit,
        senderPosition,
        senderLimit,
        senderBackPressure,
        senderNaksReceived,
        systemCounters,
        unblockTimeoutNs: settings.publicationUnblockTimeoutNs,
        connectionTimeoutNs: settings.publicationConnectionTimeoutNs,
        retransmitLingerNs: settings.retransmitLingerNs,
        startTermId: start.termId,
        startTermOffset: start.termOffset
      },
      this,
      nowNs
    )
  }

  private linkPublication(command: PublicationMessage, publication: NetworkPublication): void {
    const client = this.clients.getOrAdd(command.clientId)
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

/** What a log's metadata repeats of its publication's parameters. */
export const logFieldsOf = (parameters: Parameters) => ({
  mtuLength: parameters.mtuLength,
  termLength: parameters.termLength,
  publicationWindowLength: parameters.publicationWindowLength,
  maxResend: parameters.maxResend,
  entityTag: parameters.entityTag,
  responseCorrelationId: parameters.responseCorrelationId,
  lingerTimeoutNs: BigInt(parameters.lingerTimeoutNs),
  untetheredWindowLimitTimeoutNs: BigInt(parameters.untetheredWindowLimitTimeoutNs),
  untetheredLingerTimeoutNs: BigInt(parameters.untetheredLingerTimeoutNs),
  untetheredRestingTimeoutNs: BigInt(parameters.untetheredRestingTimeoutNs),
  isResponse: parameters.isResponse,
  sparse: parameters.isSparse,
  signalEos: parameters.signalEos,
  spiesSimulateConnection: parameters.spiesSimulateConnection
})

/** Clients match the system's own words for an address in use. */
export const socketFailure = (error: unknown, udpChannel: UdpChannel): unknown =>
  error instanceof UdpSocketError
    ? new ControlProtocolError(
        ErrorCode.GENERIC_ERROR,
        `${error.code === "EADDRINUSE" ? "Address already in use" : error.message}: ` +
          `${udpChannel.local.text} ${udpChannel.remote.text} channel=${udpChannel.channel}`
      )
    : error
