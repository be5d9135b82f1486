/** What a channel URI says about a publication, over the driver's defaults. */
import { isPowerOfTwo } from "@millrace/core/kernel/memory/Alignment"
import { type ChannelUri, referencedTag } from "./ChannelUri.ts"
import * as InitialPosition from "./InitialPosition.ts"
import { boolean, durationNs, fault, int32, int64, size } from "./ParameterValue.ts"

export const TERM_LENGTH_MIN = 64 * 1024
export const TERM_LENGTH_MAX = 1024 ** 3
export const MTU_LENGTH_MAX = 65504
export const MAX_RESEND_MAX = 256
export const MAX_MESSAGE_LENGTH_MAX = 16 * 1024 * 1024
/** No tag, no correlation: Aeron writes −1. */
export const NULL_VALUE = -1n
/** `response-correlation-id=prototype`. */
export const PROTOTYPE_CORRELATION_ID = -2n

const DATA_HEADER_LENGTH = 32
const FRAME_ALIGNMENT = 32

export interface PublicationDefaults {
  readonly termLength: number
  readonly mtuLength: number
  /** Publication window in bytes; 0 = half a term. */
  readonly termWindowLength: number
  readonly lingerTimeoutNs: number
  readonly isSparse: boolean
  readonly spiesSimulateConnection: boolean
  readonly untetheredWindowLimitTimeoutNs: number
  /** undefined = the window limit timeout. */
  readonly untetheredLingerTimeoutNs: number | undefined
  readonly untetheredRestingTimeoutNs: number
  readonly maxResend: number
}

/** The publication that `session-id=tag:N` names. */
export interface TaggedPublication {
  readonly sessionId: number
  readonly mtuLength: number
  readonly termLength: number
}

export interface PublicationParameters {
  readonly termLength: number
  readonly mtuLength: number
  readonly publicationWindowLength: number
  readonly lingerTimeoutNs: number
  readonly entityTag: bigint
  /** undefined = the driver chooses. */
  readonly sessionId: number | undefined
  /** undefined = a random initial term id. */
  readonly initialPosition: InitialPosition.InitialPosition | undefined
  readonly signalEos: boolean
  readonly isSparse: boolean
  readonly spiesSimulateConnection: boolean
  readonly untetheredWindowLimitTimeoutNs: number
  readonly untetheredLingerTimeoutNs: number
  readonly untetheredRestingTimeoutNs: number
  readonly maxResend: number
  readonly isResponse: boolean
  readonly responseCorrelationId: bigint
}

const maxMessageLength = (termLength: number): number => Math.min(termLength / 8, MAX_MESSAGE_LENGTH_MAX)

/** The tag in `session-id=tag:N`; the driver looks it up and hands the publication to `parse`. */
export const sessionTag = (uri: ChannelUri): bigint | undefined => {
  const text = uri.get("session-id")
  const tag = text === undefined ? undefined : referencedTag(text)
  return tag === undefined ? undefined : int64(uri, "session-id", tag)
}

const parseTermLength = (uri: ChannelUri, inherited: number, tagged: TaggedPublication | undefined): number => {
  const termLength = size(uri, "term-length", inherited)
  if (termLength < TERM_LENGTH_MIN || termLength > TERM_LENGTH_MAX || !isPowerOfTwo(termLength)) {
    throw fault(uri, "term-length", termLength, `a power of two from ${TERM_LENGTH_MIN} to ${TERM_LENGTH_MAX}`, true)
  }
  if (tagged !== undefined && termLength !== tagged.termLength) {
    throw fault(uri, "term-length", termLength, `${tagged.termLength}, as the publication of the session-id tag has`)
  }
  return termLength
}

const parseMtuLength = (
  uri: ChannelUri,
  inherited: number,
  termLength: number,
  tagged: TaggedPublication | undefined
): number => {
  const mtuLength = size(uri, "mtu", inherited)
  if (mtuLength <= DATA_HEADER_LENGTH || mtuLength > MTU_LENGTH_MAX || mtuLength % FRAME_ALIGNMENT !== 0) {
    const allowed = `a multiple of ${FRAME_ALIGNMENT} above ${DATA_HEADER_LENGTH} and at most ${MTU_LENGTH_MAX}`
    throw fault(uri, "mtu", mtuLength, allowed, true)
  }
  if (tagged !== undefined && mtuLength !== tagged.mtuLength) {
    throw fault(uri, "mtu", mtuLength, `${tagged.mtuLength}, as the publication of the session-id tag has`)
  }
  if (mtuLength > maxMessageLength(termLength)) {
    const allowed = `at most the maximum message length, ${maxMessageLength(termLength)} for term-length=${termLength}`
    throw fault(uri, "mtu", mtuLength, allowed)
  }
  return mtuLength
}

const parseWindowLength = (uri: ChannelUri, mtuLength: number, termLength: number, defaultLength: number): number => {
  const half = termLength / 2
  if (!uri.has("pub-wnd")) {
    return defaultLength === 0 ? half : Math.min(defaultLength, half)
  }
  const windowLength = size(uri, "pub-wnd", half)
  if (windowLength < mtuLength || windowLength > half) {
    throw fault(uri, "pub-wnd", windowLength, `from mtu=${mtuLength} to half the term-length, ${half}`)
  }
  return windowLength
}

const parseMaxResend = (uri: ChannelUri, defaultValue: number): number => {
  const text = uri.get("max-resend")
  if (text === undefined) {
    return defaultValue
  }
  const maxResend = int32(uri, "max-resend", text)
  if (maxResend < 1 || maxResend > MAX_RESEND_MAX) {
    throw fault(uri, "max-resend", maxResend, `from 1 to ${MAX_RESEND_MAX}`)
  }
  return maxResend
}

const parseEntityTag = (uri: ChannelUri): bigint => {
  const text = uri.entityTag
  if (text === undefined) {
    return NULL_VALUE
  }
  const tag = int64(uri, "tags", text)
  if (tag === NULL_VALUE) {
    throw fault(uri, "tags", text, "any number but -1, which is reserved")
  }
  return tag
}

const parseResponseCorrelationId = (uri: ChannelUri): bigint => {
  const text = uri.get("response-correlation-id")
  if (text === undefined) {
    return NULL_VALUE
  }
  if (text === "prototype") {
    return PROTOTYPE_CORRELATION_ID
  }
  const correlationId = int64(uri, "response-correlation-id", text)
  if (correlationId < NULL_VALUE) {
    throw fault(uri, "response-correlation-id", text, "a number from -1 up, or prototype")
  }
  return correlationId
}

const parseSessionId = (uri: ChannelUri, tagged: TaggedPublication | undefined): number | undefined => {
  const text = uri.get("session-id")
  if (text === undefined || tagged !== undefined) {
    return tagged?.sessionId
  }
  return int32(uri, "session-id", text)
}

const checkStreamId = (uri: ChannelUri, streamId: number): void => {
  const text = uri.get("stream-id")
  if (text !== undefined && int32(uri, "stream-id", text) !== streamId) {
    throw fault(uri, "stream-id", text, `the stream id of the command, ${streamId}`)
  }
}

export const parse = (
  uri: ChannelUri,
  streamId: number,
  defaults: PublicationDefaults,
  tagged?: TaggedPublication
): PublicationParameters => {
  checkStreamId(uri, streamId)
  const responseCorrelationId = parseResponseCorrelationId(uri)
  const termLengthDefault = responseCorrelationId === PROTOTYPE_CORRELATION_ID ? TERM_LENGTH_MIN : defaults.termLength
  const termLength = parseTermLength(uri, tagged?.termLength ?? termLengthDefault, tagged)
  const mtuLength = parseMtuLength(uri, tagged?.mtuLength ?? defaults.mtuLength, termLength, tagged)
  const windowLimitNs = durationNs(uri, "untethered-window-limit-timeout", defaults.untetheredWindowLimitTimeoutNs)
  const lingerDefaultNs = defaults.untetheredLingerTimeoutNs ?? windowLimitNs
  return {
    termLength,
    mtuLength,
    publicationWindowLength: parseWindowLength(uri, mtuLength, termLength, defaults.termWindowLength),
    lingerTimeoutNs: durationNs(uri, "linger", defaults.lingerTimeoutNs),
    entityTag: parseEntityTag(uri),
    sessionId: parseSessionId(uri, tagged),
    initialPosition: InitialPosition.parse(uri, false, termLength),
    signalEos: boolean(uri, "eos", true),
    isSparse: boolean(uri, "sparse", defaults.isSparse),
    spiesSimulateConnection: boolean(uri, "ssc", defaults.spiesSimulateConnection),
    untetheredWindowLimitTimeoutNs: windowLimitNs,
    untetheredLingerTimeoutNs: durationNs(uri, "untethered-linger-timeout", lingerDefaultNs),
    untetheredRestingTimeoutNs: durationNs(uri, "untethered-resting-timeout", defaults.untetheredRestingTimeoutNs),
    maxResend: parseMaxResend(uri, defaults.maxResend),
    isResponse: uri.get("control-mode") === "response",
    responseCorrelationId
  }
}
