/**
 * Which flow control a publication has: what its channel says in `fc`, or else what the driver's options say.
 *
 *     fc = max    [ ",rrwm:" windows ]
 *        / min    [ ",t:" timeout ] [ ",g:/" group-min-size ] [ ",rrwm:" windows ]
 *        / tagged [ ",t:" timeout ] [ ",g:" tag [ "/" group-min-size ] ] [ ",rrwm:" windows ]
 *
 * A publication to one receiver has one pace, that of the receiver: there an `fc` is refused, as Aeron's Java driver
 * refuses it. What the driver's options name is taken for those too.
 */
import type { ChannelUri } from "../channel/ChannelUri.ts"
import { duration, fault, int32, int64 } from "../channel/ParameterValue.ts"
import type { FlowControl } from "./FlowControl.ts"
import { MaxFlowControl } from "./MaxFlowControl.ts"
import { MinFlowControl } from "./MinFlowControl.ts"
import { UnicastFlowControl } from "./UnicastFlowControl.ts"

type GroupStrategy = "max" | "min" | "tagged"

export interface FlowControlDefaults {
  readonly unicast: "unicast" | GroupStrategy
  readonly multicast: GroupStrategy
  /** How many windows a NAK is answered with at most. */
  readonly unicastWindowMultiple: number
  readonly multicastWindowMultiple: number
  readonly receiverTimeoutNs: number
  readonly groupTag: bigint
  readonly groupMinSize: number
}

export interface FlowControlChoice {
  readonly strategy: "unicast" | GroupStrategy
  readonly windowMultiple: number
  readonly receiverTimeoutNs: number
  readonly groupTag: bigint
  readonly groupMinSize: number
}

const STRATEGIES: ReadonlyArray<string> = ["max", "min", "tagged"] satisfies ReadonlyArray<GroupStrategy>
const NAME = "fc"

/** Throws `InvalidChannel`. `isGroup` = the channel has more than one receiver. */
export const choose = (uri: ChannelUri, isGroup: boolean, defaults: FlowControlDefaults): FlowControlChoice => {
  const text = uri.get(NAME)
  const { groupMinSize, groupTag, receiverTimeoutNs } = defaults
  const strategy = isGroup ? defaults.multicast : defaults.unicast
  const windowMultiple = strategy === "unicast" ? defaults.unicastWindowMultiple : defaults.multicastWindowMultiple
  const choice = { strategy, windowMultiple, receiverTimeoutNs, groupTag, groupMinSize }
  if (text === undefined) {
    return choice
  }
  if (!isGroup) {
    throw fault(uri, NAME, text, "no flow control for one receiver, whose window it is that limits", true)
  }
  return parse(uri, text, { ...choice, windowMultiple: defaults.multicastWindowMultiple })
}

const parse = (uri: ChannelUri, text: string, defaults: FlowControlChoice): FlowControlChoice => {
  const [strategy, ...options] = text.split(",")
  if (!isStrategy(strategy)) {
    throw fault(uri, NAME, text, `${STRATEGIES.join(", ")}, with their options`, true)
  }
  return Object.assign({ ...defaults, strategy }, ...options.map((option) => parseOption(uri, strategy, option)))
}

const isStrategy = (text: string | undefined): text is GroupStrategy => STRATEGIES.includes(text ?? "")

const parseOption = (uri: ChannelUri, strategy: GroupStrategy, option: string): Partial<FlowControlChoice> => {
  const colon = option.indexOf(":")
  const value = option.slice(colon + 1)
  switch (option.slice(0, colon + 1)) {
    case "rrwm:":
      return { windowMultiple: atLeast(uri, option, value, 1) }
    case "t:":
      return strategy === "max" ? refuse(uri, option) : { receiverTimeoutNs: duration(uri, NAME, value) }
    case "g:":
      return strategy === "max" ? refuse(uri, option) : parseGroup(uri, strategy, value)
    default:
      return refuse(uri, option)
  }
}

const refuse = (uri: ChannelUri, option: string): never => {
  const allowed = "max[,rrwm:N], min[,t:duration][,g:/size][,rrwm:N], tagged[,t:duration][,g:tag[/size]][,rrwm:N]"
  throw fault(uri, NAME, option, allowed, true)
}

/** `tag`, `tag/size` or `/size`. The strategy `min` has no use for the tag. */
const parseGroup = (uri: ChannelUri, strategy: GroupStrategy, text: string): Partial<FlowControlChoice> => {
  const slash = text.indexOf("/")
  const tag = slash === -1 ? text : text.slice(0, slash)
  return {
    ...(tag === "" || strategy === "min" ? {} : { groupTag: int64(uri, NAME, tag, true) }),
    ...(slash === -1 ? {} : { groupMinSize: atLeast(uri, `g:${text}`, text.slice(slash + 1), 0) })
  }
}

const atLeast = (uri: ChannelUri, option: string, text: string, minimum: number): number => {
  const value = int32(uri, NAME, text, true)
  if (value < minimum) {
    throw fault(uri, NAME, option, `a number from ${minimum} up`, true)
  }
  return value
}

/** Whether receivers are known one by one, and so counted. */
export const isCounting = ({ strategy }: FlowControlChoice): boolean => strategy === "min" || strategy === "tagged"

export const make = (
  { groupMinSize, groupTag, receiverTimeoutNs, strategy, windowMultiple }: FlowControlChoice,
  receivers: { readonly onCount: (count: number) => void; readonly onClose: () => void }
): FlowControl => {
  switch (strategy) {
    case "unicast":
      return new UnicastFlowControl(windowMultiple)
    case "max":
      return new MaxFlowControl(windowMultiple)
    case "min":
    case "tagged":
      return new MinFlowControl({
        receiverTimeoutNs,
        groupMinSize,
        groupTag: strategy === "tagged" ? groupTag : undefined,
        windowMultiple,
        ...receivers
      })
  }
}
