/** What a channel URI says about a subscription, over the driver's defaults. */
import { type ChannelUri, referencedTag } from "./ChannelUri.ts"
import * as InitialPosition from "./InitialPosition.ts"
import { boolean, durationNs, fault, int32, size } from "./ParameterValue.ts"
import { TERM_LENGTH_MAX } from "./PublicationParameters.ts"

/** How the window of an image is chosen: it stays, or follows losses. */
export type CongestionControlName = "static" | "cubic"

export interface SubscriptionDefaults {
  readonly isReliable: boolean
  readonly isTether: boolean
  readonly isRejoin: boolean
  readonly isSparse: boolean
  readonly congestionControl: CongestionControlName
  readonly receiverWindowLength: number
  readonly untetheredWindowLimitTimeoutNs: number
  readonly untetheredLingerTimeoutNs: number | undefined
  readonly untetheredRestingTimeoutNs: number
}

export interface SubscriptionParameters {
  /** Only images of this session are accepted; undefined = all. */
  readonly sessionId: number | undefined
  readonly isReliable: boolean
  readonly isTether: boolean
  readonly isRejoin: boolean
  readonly isSparse: boolean
  readonly isResponse: boolean
  /** Whether the receivers of a stream are a group; undefined = as its sender says. */
  readonly isGroup: boolean | undefined
  readonly congestionControl: CongestionControlName
  readonly untetheredWindowLimitTimeoutNs: number
  readonly untetheredLingerTimeoutNs: number
  readonly untetheredRestingTimeoutNs: number
}

const parseSessionId = (uri: ChannelUri): number | undefined => {
  const text = uri.get("session-id")
  if (text === undefined) {
    return undefined
  }
  if (referencedTag(text) !== undefined) {
    throw fault(uri, "session-id", text, "a number: only a publication may name a tag here", true)
  }
  return int32(uri, "session-id", text, true)
}

const parseGroup = (uri: ChannelUri): boolean | undefined => {
  const text = uri.get("group")
  return text === undefined || text === "infer" ? undefined : text === "true"
}

const parseCongestionControl = (uri: ChannelUri, defaultName: CongestionControlName): CongestionControlName => {
  const text = uri.get("cc") ?? defaultName
  if (text !== "static" && text !== "cubic") {
    throw fault(uri, "cc", text, "static or cubic")
  }
  return text
}

/** A channel of the network may not ask for times of its hardware: Aeron's Java driver has none either. */
export const refuseMediaTimestamps = (uri: ChannelUri): void => {
  const parameter = "media-rcv-ts-offset"
  const text = uri.get(parameter)
  if (text !== undefined) {
    throw fault(uri, parameter, text, "nothing: this driver has no times of the network's hardware")
  }
}

export const parse = (uri: ChannelUri, defaults: SubscriptionDefaults): SubscriptionParameters => {
  const windowLimitNs = durationNs(uri, "untethered-window-limit-timeout", defaults.untetheredWindowLimitTimeoutNs)
  const lingerDefaultNs = defaults.untetheredLingerTimeoutNs ?? windowLimitNs
  // Nothing depends on these here, and a channel that is wrong about them is wrong.
  InitialPosition.parse(uri, true, TERM_LENGTH_MAX)
  size(uri, "rcv-wnd", defaults.receiverWindowLength)
  return {
    sessionId: parseSessionId(uri),
    isReliable: boolean(uri, "reliable", defaults.isReliable),
    isTether: boolean(uri, "tether", defaults.isTether),
    isRejoin: boolean(uri, "rejoin", defaults.isRejoin),
    isSparse: boolean(uri, "sparse", defaults.isSparse),
    isResponse: uri.get("control-mode") === "response",
    isGroup: parseGroup(uri),
    congestionControl: parseCongestionControl(uri, defaults.congestionControl),
    untetheredWindowLimitTimeoutNs: windowLimitNs,
    untetheredLingerTimeoutNs: durationNs(uri, "untethered-linger-timeout", lingerDefaultNs),
    untetheredRestingTimeoutNs: durationNs(uri, "untethered-resting-timeout", defaults.untetheredRestingTimeoutNs)
  }
}
