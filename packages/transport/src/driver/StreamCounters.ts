/**
 * The counters that belong to streams and clients: their type ids, keys and labels, which tools parse.
 *
 * Key of a stream counter (112 bytes, the channel cut to what fits):
 *
 *     0                  8           12         16              20
 *     +------------------+-----------+----------+---------------+---------
 *     | registrationId   | sessionId | streamId | channelLength | channel
 *     +------------------+-----------+----------+---------------+---------
 *
 * Label: `<name>: <registrationId> <sessionId> <streamId> <channel>`, for subscriber positions with ` @<join position>`.
 * Key of a client heartbeat: the client id.
 */
import * as CountersDescriptor from "@millrace/core/kernel/counters/CountersDescriptor"
import type { CounterAllocation, CountersManager } from "@millrace/core/kernel/counters/CountersManager"
import * as ErrorCode from "../command/ErrorCode.ts"
import { ControlProtocolError } from "./ControlProtocolError.ts"
import { PositionCounter } from "./PositionCounter.ts"

export const PUBLISHER_LIMIT_TYPE_ID = 1
export const SENDER_POSITION_TYPE_ID = 2
export const RECEIVER_HWM_TYPE_ID = 3
export const SUBSCRIBER_POSITION_TYPE_ID = 4
export const RECEIVER_POSITION_TYPE_ID = 5
export const SENDER_LIMIT_TYPE_ID = 9
export const PER_IMAGE_TYPE_ID = 10
export const CLIENT_HEARTBEAT_TYPE_ID = 11
export const PUBLISHER_POSITION_TYPE_ID = 12
export const SENDER_BPE_TYPE_ID = 13
export const FLOW_CONTROL_RECEIVERS_TYPE_ID = 17
export const SENDER_NAKS_RECEIVED_TYPE_ID = 19
export const RECEIVER_NAKS_SENT_TYPE_ID = 20

const REGISTRATION_ID_OFFSET = 0
const SESSION_ID_OFFSET = 8
const STREAM_ID_OFFSET = 12
const CHANNEL_LENGTH_OFFSET = 16
const CHANNEL_OFFSET = 20

const encoder = new TextEncoder()

export interface StreamIdentity {
  /** Client that owns the counter. */
  readonly clientId: bigint
  readonly registrationId: bigint
  readonly sessionId: number
  readonly streamId: number
  readonly channel: string
}

const streamKey = (stream: StreamIdentity): Uint8Array => {
  const key = new Uint8Array(CountersDescriptor.KEY_LENGTH_MAX)
  const view = new DataView(key.buffer)
  view.setBigInt64(REGISTRATION_ID_OFFSET, stream.registrationId, true)
  view.setInt32(SESSION_ID_OFFSET, stream.sessionId, true)
  view.setInt32(STREAM_ID_OFFSET, stream.streamId, true)
  const { written } = encoder.encodeInto(stream.channel, key.subarray(CHANNEL_OFFSET))
  view.setInt32(CHANNEL_LENGTH_OFFSET, written, true)
  return key
}

const decoder = new TextDecoder()

/** What a stream counter's key says. Anyone with the file may have written it: a length that cannot be is cut. */
export const decodeStreamKey = (key: Uint8Array): Omit<StreamIdentity, "clientId"> => {
  const view = new DataView(key.buffer, key.byteOffset, key.byteLength)
  const length = Math.min(Math.max(0, view.getInt32(CHANNEL_LENGTH_OFFSET, true)), key.length - CHANNEL_OFFSET)
  return {
    registrationId: view.getBigInt64(REGISTRATION_ID_OFFSET, true),
    sessionId: view.getInt32(SESSION_ID_OFFSET, true),
    streamId: view.getInt32(STREAM_ID_OFFSET, true),
    channel: decoder.decode(key.slice(CHANNEL_OFFSET, CHANNEL_OFFSET + length))
  }
}

/** Allocates a counter, or refuses the command that needs it. */
export const allocate = (counters: CountersManager, allocation: CounterAllocation): PositionCounter => {
  const id = counters.allocate(allocation)
  if (id === CountersDescriptor.NULL_COUNTER_ID) {
    const advice = "close what is not used, or start the driver with a larger counters buffer"
    const message = `no room for another counter: all ${counters.capacity} are in use; ${advice}`
    throw new ControlProtocolError(ErrorCode.GENERIC_ERROR, message)
  }
  return new PositionCounter(counters, id)
}

const allocateStream = (
  counters: CountersManager,
  typeId: number,
  name: string,
  stream: StreamIdentity,
  options: { readonly position?: number; readonly labelSuffix?: string; readonly referenceId?: bigint } = {}
): PositionCounter =>
  allocate(counters, {
    typeId,
    key: streamKey(stream),
    label: `${name}: ${stream.registrationId} ${stream.sessionId} ${stream.streamId} ${stream.channel}${options.labelSuffix ?? ""}`,
    value: BigInt(options.position ?? 0),
    registrationId: stream.registrationId,
    ownerId: stream.clientId,
    referenceId: options.referenceId ?? 0n
  })

export const publisherPosition = (
  counters: CountersManager,
  stream: StreamIdentity,
  isExclusive: boolean,
  position: number
): PositionCounter => {
  const name = `pub-pos (${isExclusive ? "exclusive" : "concurrent"})`
  return allocateStream(counters, PUBLISHER_POSITION_TYPE_ID, name, stream, { position })
}

export const publisherLimit = (counters: CountersManager, stream: StreamIdentity, position: number): PositionCounter =>
  allocateStream(counters, PUBLISHER_LIMIT_TYPE_ID, "pub-lmt", stream, { position })

export const senderPosition = (counters: CountersManager, stream: StreamIdentity, position: number): PositionCounter =>
  allocateStream(counters, SENDER_POSITION_TYPE_ID, "snd-pos", stream, { position })

export const senderLimit = (counters: CountersManager, stream: StreamIdentity, position: number): PositionCounter =>
  allocateStream(counters, SENDER_LIMIT_TYPE_ID, "snd-lmt", stream, { position })

export const senderBackPressure = (counters: CountersManager, stream: StreamIdentity): PositionCounter =>
  allocateStream(counters, SENDER_BPE_TYPE_ID, "snd-bpe", stream)

export const senderNaksReceived = (counters: CountersManager, stream: StreamIdentity): PositionCounter =>
  allocateStream(counters, SENDER_NAKS_RECEIVED_TYPE_ID, "snd-naks-received", stream)

export const receiverHwm = (counters: CountersManager, stream: StreamIdentity, position: number): PositionCounter =>
  allocateStream(counters, RECEIVER_HWM_TYPE_ID, "rcv-hwm", stream, { position })

export const receiverPosition = (
  counters: CountersManager,
  stream: StreamIdentity,
  position: number
): PositionCounter => allocateStream(counters, RECEIVER_POSITION_TYPE_ID, "rcv-pos", stream, { position })

export const receiverNaksSent = (counters: CountersManager, stream: StreamIdentity): PositionCounter =>
  allocateStream(counters, RECEIVER_NAKS_SENT_TYPE_ID, "rcv-naks-sent", stream)

/** How many receivers a flow control waits for. */
export const flowControlReceivers = (counters: CountersManager, stream: StreamIdentity): PositionCounter =>
  allocateStream(counters, FLOW_CONTROL_RECEIVERS_TYPE_ID, "fc-receivers", stream)

/** `rcv-cc-cubic-wnd` and `rcv-cc-cubic-rtt`. */
export const perImage = (counters: CountersManager, name: string, stream: StreamIdentity): PositionCounter =>
  allocateStream(counters, PER_IMAGE_TYPE_ID, name, stream)

/**
 * Allocates several counters that belong together: when one cannot be had, those before it are given back.
 */
export const allocateAll = <Counters extends ReadonlyArray<() => PositionCounter>>(
  ...allocations: Counters
): { -readonly [Index in keyof Counters]: PositionCounter } => {
  const allocated: Array<PositionCounter> = []
  try {
    for (const allocation of allocations) {
      allocated.push(allocation())
    }
  } catch (error) {
    for (const counter of allocated) {
      counter.close()
    }
    throw error
  }
  return allocated as { -readonly [Index in keyof Counters]: PositionCounter }
}

export const subscriberPosition = (
  counters: CountersManager,
  stream: StreamIdentity,
  joinPosition: number,
  imageRegistrationId: bigint
): PositionCounter =>
  allocateStream(counters, SUBSCRIBER_POSITION_TYPE_ID, "sub-pos", stream, {
    position: joinPosition,
    labelSuffix: ` @${joinPosition}`,
    referenceId: imageRegistrationId
  })

export const clientHeartbeat = (counters: CountersManager, clientId: bigint, nowMs: number): PositionCounter => {
  const key = new Uint8Array(8)
  new DataView(key.buffer).setBigInt64(0, clientId, true)
  return allocate(counters, {
    typeId: CLIENT_HEARTBEAT_TYPE_ID,
    key,
    label: `client-heartbeat: id=${clientId}`,
    value: BigInt(nowMs),
    registrationId: clientId,
    ownerId: clientId
  })
}
