/** Makes an image of what a SETUP said and of what its subscriptions ask for. */
import type { CountersManager } from "@millrace/core/kernel/counters/CountersManager"
import * as LogBufferDescriptor from "@millrace/core/kernel/logbuffer/LogBufferDescriptor"
import { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import type { CongestionControlName } from "../channel/SubscriptionParameters.ts"
import type { CongestionControl } from "../congestion/CongestionControl.ts"
import { Cubic } from "../congestion/Cubic.ts"
import { StaticWindow } from "../congestion/StaticWindow.ts"
import * as FeedbackDelays from "../loss/FeedbackDelays.ts"
import type { FeedbackDelay } from "../loss/LossDetector.ts"
import type { DriverContext } from "./DriverContext.ts"
import type { RawLog } from "./LogFactory.ts"
import { PublicationImage, type PublicationImageFields, type PublicationImageListener } from "./PublicationImage.ts"
import type { ImageRequest } from "./Receiver.ts"
import * as StreamCounters from "./StreamCounters.ts"
import type { SubscriptionLink } from "./SubscriptionLink.ts"

export interface ImageIdentity {
  readonly correlationId: bigint
  readonly windowLength: number
  /** The sender says that its receivers are a group. */
  readonly isGroup: boolean
}

export const makeImage = (
  context: DriverContext,
  listener: PublicationImageListener,
  request: ImageRequest,
  identity: ImageIdentity,
  link: SubscriptionLink,
  rawLog: RawLog,
  nowNs: number
): PublicationImage => {
  const { counters, settings, systemCounters } = context
  const { endpoint, initialTermId, mtuLength, sessionId, source, streamId, termLength } = request
  const { parameters } = link
  const { correlationId, windowLength } = identity
  const joinPosition = LogBufferDescriptor.computePosition(
    request.activeTermId,
    request.termOffset,
    termLength,
    initialTermId
  )
  const stream = {
    clientId: link.client.clientId,
    registrationId: correlationId,
    sessionId,
    streamId,
    channel: link.channel
  }
  const log = createLog(context, request, identity, link, rawLog)
  const congestionControl = congestionControlOf(
    context,
    parameters.congestionControl,
    stream,
    mtuLength,
    windowLength,
    nowNs
  )
  const { hwmPosition, naksSent, rebuildPosition } = positionsOf(counters, stream, joinPosition, congestionControl)
  return new PublicationImage(
    {
      correlationId,
      sessionId,
      streamId,
      log,
      rawLog,
      endpoint,
      source,
      joinPosition,
      isReliable: parameters.isReliable,
      congestionControl,
      feedbackDelay: feedbackDelayOf(context, request, parameters.isReliable),
      hwmPosition,
      rebuildPosition,
      naksSent,
      systemCounters,
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
}

const positionsOf = (
  counters: CountersManager,
  stream: StreamCounters.StreamIdentity,
  joinPosition: number,
  congestionControl: CongestionControl
): Pick<PublicationImageFields, "hwmPosition" | "rebuildPosition" | "naksSent"> => {
  try {
    const [hwmPosition, rebuildPosition, naksSent] = StreamCounters.allocateAll(
      () => StreamCounters.receiverHwm(counters, stream, joinPosition),
      () => StreamCounters.receiverPosition(counters, stream, joinPosition),
      () => StreamCounters.receiverNaksSent(counters, stream)
    )
    return { hwmPosition, rebuildPosition, naksSent }
  } catch (error) {
    congestionControl.close()
    throw error
  }
}

const createLog = (
  context: DriverContext,
  { endpoint, initialTermId, mtuLength, sessionId, streamId, termLength }: ImageRequest,
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
    socketRcvbufLength: endpoint.socket.receiveBufferLength,
    socketSndbufLength: endpoint.socket.sendBufferLength,
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

const feedbackDelayOf = (context: DriverContext, request: ImageRequest, isReliable: boolean): FeedbackDelay => {
  const { nakDelayNs, nakRetryRatio } = context.settings
  return isReliable
    ? FeedbackDelays.unicast(request.endpoint.udpChannel.fields.nakDelayNs ?? nakDelayNs, nakRetryRatio)
    : FeedbackDelays.immediate
}

const congestionControlOf = (
  context: DriverContext,
  name: CongestionControlName,
  stream: StreamCounters.StreamIdentity,
  mtuLength: number,
  windowLength: number,
  nowNs: number
): CongestionControl => {
  if (name === "static") {
    return new StaticWindow(windowLength)
  }
  const { counters, settings } = context
  const [rtt, window] = StreamCounters.allocateAll(
    () => StreamCounters.perImage(counters, "rcv-cc-cubic-rtt", stream),
    () => StreamCounters.perImage(counters, "rcv-cc-cubic-wnd", stream)
  )
  return new Cubic({
    mtuLength,
    maxWindowLength: windowLength,
    isMeasuringRtt: settings.isMeasuringRtt,
    initialRttNs: settings.cubicInitialRttNs,
    isTcpMode: settings.isCubicTcpMode,
    nowNs,
    onWindow: (length) => window.set(length),
    onRtt: (ns) => rtt.set(ns),
    onClose: () => {
      rtt.close()
      window.close()
    }
  })
}
