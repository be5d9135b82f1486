/** Makes an image of what a SETUP said and of what its subscriptions ask for: the conductor's half. */
import * as LogBufferDescriptor from "@millrace/core/kernel/logbuffer/LogBufferDescriptor"
import { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import { SocketAddress } from "../channel/SocketAddress.ts"
import type { ReceiveChannelEndpoint } from "./ChannelEndpoint.ts"
import type { ImageRequest } from "./ConductorCommands.ts"
import type { DriverContext } from "./DriverContext.ts"
import type { RawLog } from "./LogFactory.ts"
import { PublicationImage, type PublicationImageFields, type PublicationImageListener } from "./PublicationImage.ts"
import type { ReceivedImageDescription } from "./ReceiverCommands.ts"
import * as SocketBuffers from "./SocketBuffers.ts"
import * as StreamCounters from "./StreamCounters.ts"
import type { SubscriptionLink } from "./SubscriptionLink.ts"

export interface ImageIdentity {
  readonly correlationId: bigint
  readonly windowLength: number
  /** The sender says that its receivers are a group, or the subscription does. */
  readonly isGroup: boolean
}

export interface NewImage {
  readonly image: PublicationImage
  readonly log: LogBuffers
  /** For the receiver, which makes its half of it. Who subscribes is added when that is known. */
  readonly description: Omit<ReceivedImageDescription, "subscriberPositions">
}

export const makeImage = (
  context: DriverContext,
  listener: PublicationImageListener,
  request: ImageRequest,
  endpoint: ReceiveChannelEndpoint,
  identity: ImageIdentity,
  link: SubscriptionLink,
  rawLog: RawLog,
  nowNs: number
): NewImage => {
  const { settings } = context
  const { sessionId, streamId } = request
  const { parameters } = link
  const { correlationId, windowLength } = identity
  const joinPosition = LogBufferDescriptor.computePosition(
    request.activeTermId,
    request.termOffset,
    request.termLength,
    request.initialTermId
  )
  const stream = {
    clientId: link.client.clientId,
    registrationId: correlationId,
    sessionId,
    streamId,
    channel: link.channel
  }
  const log = createLog(context, request, endpoint, identity, link, rawLog)
  const counters = countersOf(context, link, stream, joinPosition)
  const image = new PublicationImage(
    {
      correlationId,
      sessionId,
      streamId,
      log,
      rawLog,
      endpoint,
      sourceIdentity: new SocketAddress(request.source.address, request.source.port).text,
      windowLength,
      ...counters,
      livenessTimeoutNs: settings.imageLivenessTimeoutNs,
      statusMessageTimeoutNs: settings.statusMessageTimeoutNs,
      untethered: {
        windowLimitNs: parameters.untetheredWindowLimitTimeoutNs,
        lingerNs: parameters.untetheredLingerTimeoutNs,
        restingNs: parameters.untetheredRestingTimeoutNs
      }
    },
    listener,
    nowNs
  )
  return {
    image,
    log,
    description: describe(context, request, endpoint, identity, link, rawLog, counters, joinPosition)
  }
}

/** What the receiver is told. */
const describe = (
  { settings }: DriverContext,
  request: ImageRequest,
  endpoint: ReceiveChannelEndpoint,
  { correlationId, windowLength }: ImageIdentity,
  { parameters }: SubscriptionLink,
  rawLog: RawLog,
  counters: ImageCounters,
  joinPosition: number
): NewImage["description"] => {
  const [rttCounter, windowCounter] = counters.congestionCounters
  return {
    correlationId,
    endpointId: endpoint.id,
    sessionId: request.sessionId,
    streamId: request.streamId,
    source: request.source,
    channel: endpoint.udpChannel.channel,
    logFile: rawLog.fileName,
    joinPosition,
    isReliable: parameters.isReliable,
    nakDelayNs: endpoint.udpChannel.fields.nakDelayNs ?? settings.nakDelayNs,
    nakRetryRatio: settings.nakRetryRatio,
    congestionControl: {
      name: parameters.congestionControl,
      mtuLength: request.mtuLength,
      windowLength,
      isMeasuringRtt: settings.isMeasuringRtt,
      initialRttNs: settings.cubicInitialRttNs,
      isTcpMode: settings.isCubicTcpMode,
      rttCounter: rttCounter?.id,
      windowCounter: windowCounter?.id
    },
    hwmPosition: counters.hwmPosition.id,
    rebuildPosition: counters.rebuildPosition.id,
    naksSent: counters.naksSent.id,
    livenessTimeoutNs: settings.imageLivenessTimeoutNs,
    statusMessageTimeoutNs: settings.statusMessageTimeoutNs
  }
}

type ImageCounters = Pick<PublicationImageFields, "hwmPosition" | "rebuildPosition" | "naksSent" | "congestionCounters">

const countersOf = (
  { counters }: DriverContext,
  { parameters }: SubscriptionLink,
  stream: StreamCounters.StreamIdentity,
  joinPosition: number
): ImageCounters => {
  const congestion = parameters.congestionControl === "cubic" ? ["rcv-cc-cubic-rtt", "rcv-cc-cubic-wnd"] : []
  const congestionCounters = StreamCounters.allocateAll(
    ...congestion.map((name) => () => StreamCounters.perImage(counters, name, stream))
  )
  try {
    const [hwmPosition, rebuildPosition, naksSent] = StreamCounters.allocateAll(
      () => StreamCounters.receiverHwm(counters, stream, joinPosition),
      () => StreamCounters.receiverPosition(counters, stream, joinPosition),
      () => StreamCounters.receiverNaksSent(counters, stream)
    )
    return { hwmPosition, rebuildPosition, naksSent, congestionCounters }
  } catch (error) {
    for (const counter of congestionCounters) {
      counter.close()
    }
    throw error
  }
}

const createLog = (
  context: DriverContext,
  { initialTermId, mtuLength, sessionId, streamId, termLength }: ImageRequest,
  endpoint: ReceiveChannelEndpoint,
  { correlationId, isGroup, windowLength }: ImageIdentity,
  { parameters }: SubscriptionLink,
  rawLog: RawLog
): LogBuffers =>
  LogBuffers.create(rawLog.region, {
    correlationId,
    initialTermId,
    mtuLength,
    termLength,
    pageSize: context.settings.filePageSize,
    sessionId,
    streamId,
    type: LogBufferDescriptor.LogType.PublicationImage,
    activeTransportCount: 1,
    receiverWindowLength: windowLength,
    ...SocketBuffers.logFields(SocketBuffers.asked(endpoint.udpChannel, context.settings), context.socketBuffers),
    // An image has none of these.
    entityTag: 0n,
    responseCorrelationId: 0n,
    tether: parameters.isTether,
    rejoin: parameters.isRejoin,
    reliable: parameters.isReliable,
    sparse: parameters.isSparse,
    group: isGroup,
    isResponse: parameters.isResponse,
    untetheredWindowLimitTimeoutNs: BigInt(parameters.untetheredWindowLimitTimeoutNs),
    untetheredLingerTimeoutNs: BigInt(parameters.untetheredLingerTimeoutNs),
    untetheredRestingTimeoutNs: BigInt(parameters.untetheredRestingTimeoutNs)
  })
