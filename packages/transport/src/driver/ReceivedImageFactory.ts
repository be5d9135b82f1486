/** Makes the receiver's half of an image of what the conductor says about it. */
import { assert } from "@millrace/core/kernel/memory/Assert"
import { SocketAddress } from "../channel/SocketAddress.ts"
import type { CongestionControl } from "../congestion/CongestionControl.ts"
import { Cubic } from "../congestion/Cubic.ts"
import { StaticWindow } from "../congestion/StaticWindow.ts"
import * as FeedbackDelays from "../loss/FeedbackDelays.ts"
import type { ReceiveEndpoint } from "../media/ReceiveEndpoint.ts"
import type { AgentResources } from "./AgentResources.ts"
import { ReceivedImage, type ReceivedImageListener } from "./ReceivedImage.ts"
import type { CongestionControlDescription, ReceivedImageDescription } from "./ReceiverCommands.ts"
import type { SystemCounters } from "./SystemCounters.ts"

export const makeReceivedImage = (
  description: ReceivedImageDescription,
  endpoint: ReceiveEndpoint,
  resources: AgentResources,
  systemCounters: SystemCounters,
  listener: ReceivedImageListener,
  nowNs: number
): ReceivedImage => {
  const { isReliable, nakDelayNs, nakRetryRatio, source } = description
  return new ReceivedImage(
    {
      description,
      log: resources.openLog(description.logFile),
      endpoint,
      source: new SocketAddress(source.address, source.port),
      congestionControl: congestionControlOf(description.congestionControl, resources, nowNs),
      feedbackDelay: isReliable ? FeedbackDelays.unicast(nakDelayNs, nakRetryRatio) : FeedbackDelays.immediate,
      hwmPosition: resources.counter(description.hwmPosition),
      rebuildPosition: resources.counter(description.rebuildPosition),
      naksSent: resources.counter(description.naksSent),
      systemCounters
    },
    description.subscriberPositions.map((id) => resources.counter(id)),
    listener,
    nowNs
  )
}

const congestionControlOf = (
  { name, rttCounter, windowCounter, windowLength, ...options }: CongestionControlDescription,
  resources: AgentResources,
  nowNs: number
): CongestionControl => {
  if (name === "static") {
    return new StaticWindow(windowLength)
  }
  assert(rttCounter !== undefined && windowCounter !== undefined, "a cubic window shows itself in two counters")
  const rtt = resources.counter(rttCounter)
  const window = resources.counter(windowCounter)
  return new Cubic({
    ...options,
    maxWindowLength: windowLength,
    nowNs,
    onWindow: (length) => window.set(BigInt(length)),
    onRtt: (ns) => rtt.set(BigInt(Math.trunc(ns)))
  })
}
