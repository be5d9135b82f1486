/** What a channel URI says about a subscription, over the driver's defaults. */
import { type ChannelUri, referencedTag } from "./ChannelUri.ts"
import * as InitialPosition from "./InitialPosition.ts"
import { boolean, durationNs, fault, int32, size } from "./ParameterValue.ts"
import { TERM_LENGTH_MAX } from "./PublicationParameters.ts"

export interface SubscriptionDefaults {
  readonly isReliable: boolean
  readonly isTether: boolean
  readonly isRejoin: boolean
  readonly isSparse: boolean
  readonly group: Group
  readonly receiverWindowLength: number
  readonly untetheredWindowLimitTimeoutNs: number
  readonly untetheredLingerTimeoutNs: number | undefined
  readonly untetheredRestingTimeoutNs: number
}

/** Whether the receivers of a channel are a group: said, or inferred from the address and the SETUP frame. */
export type Group = "true" | "false" | "infer"

export interface SubscriptionParameters {
  /** Only images of this session are accepted; undefined = all. */
  readonly sessionId: number | undefined
  readonly joinPosition: InitialPosition.InitialPosition | undefined
  readonly isReliable: boolean
  readonly isTether: boolean
  readonly isRejoin: boolean
  readonly isSparse: boolean
  readonly isResponse: boolean
  readonly group: Group
  readonly receiverWindowLength: number
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

const parseGroup = (uri: ChannelUri, defaultValue: Group): Group => {
  const text = uri.get("group") ?? defaultValue
  if (text !== "true" && text !== "false" && text !== "infer") {
    throw fault(uri, "group", text, "true, false or infer", true)
  }
  return text
}

export const parse = (uri: ChannelUri, defaults: SubscriptionDefaults): SubscriptionParameters => {
  const windowLimitNs = durationNs(uri, "untethered-window-limit-timeout", defaults.untetheredWindowLimitTimeoutNs)
  const lingerDefaultNs = defaults.untetheredLingerTimeoutNs ?? windowLimitNs
  return {
    sessionId: parseSessionId(uri),
    joinPosition: InitialPosition.parse(uri, true, TERM_LENGTH_MAX),
    isReliable: boolean(uri, "reliable", defaults.isReliable),
    isTether: boolean(uri, "tether", defaults.isTether),
    isRejoin: boolean(uri, "rejoin", defaults.isRejoin),
    isSparse: boolean(uri, "sparse", defaults.isSparse),
    isResponse: uri.get("control-mode") === "response",
    group: parseGroup(uri, defaults.group),
    receiverWindowLength: size(uri, "rcv-wnd", defaults.receiverWindowLength),
    untetheredWindowLimitTimeoutNs: windowLimitNs,
    untetheredLingerTimeoutNs: durationNs(uri, "untethered-linger-timeout", lingerDefaultNs),
    untetheredRestingTimeoutNs: durationNs(uri, "untethered-resting-timeout", defaults.untetheredRestingTimeoutNs)
  }
}
