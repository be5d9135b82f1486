/**
 * The metadata page as a record: what a driver writes into a new log, and what anyone may read from one. Fields that
 * change while the log is used have accessors of their own at the end.
 */
import * as DataFrame from "../frame/DataFrame.ts"
import * as FrameFlags from "../frame/FrameFlags.ts"
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import { assertOpen } from "../memory/RegionState.ts"
import { loadAcquire, storeRelease } from "../memory/Ordering.ts"
import * as D from "./LogBufferDescriptor.ts"
import { packTail } from "./TermTail.ts"

export interface LogBufferMetadata {
  /** The int64 of each tail: term id in the high half, offset in the low one. */
  readonly tails: readonly [bigint, bigint, bigint]
  readonly activeTermCount: number
  readonly endOfStreamPosition: bigint
  readonly isConnected: boolean
  readonly activeTransportCount: number
  readonly correlationId: bigint
  readonly initialTermId: number
  readonly mtuLength: number
  readonly termLength: number
  readonly pageSize: number
  readonly publicationWindowLength: number
  readonly receiverWindowLength: number
  readonly socketSndbufLength: number
  readonly osDefaultSocketSndbufLength: number
  readonly osMaxSocketSndbufLength: number
  readonly socketRcvbufLength: number
  readonly osDefaultSocketRcvbufLength: number
  readonly osMaxSocketRcvbufLength: number
  readonly maxResend: number
  /** Of the default header; its term id is the initial one. */
  readonly sessionId: number
  readonly streamId: number
  readonly entityTag: bigint
  readonly responseCorrelationId: bigint
  readonly lingerTimeoutNs: bigint
  readonly untetheredWindowLimitTimeoutNs: bigint
  readonly untetheredRestingTimeoutNs: bigint
  readonly untetheredLingerTimeoutNs: bigint
  readonly group: boolean
  readonly isResponse: boolean
  readonly rejoin: boolean
  readonly reliable: boolean
  readonly sparse: boolean
  readonly signalEos: boolean
  readonly spiesSimulateConnection: boolean
  readonly tether: boolean
  readonly isPublicationRevoked: boolean
  /** One of `LogBufferDescriptor.LogType`. */
  readonly type: number
}

const INT32_FIELDS = [
  ["activeTermCount", D.ACTIVE_TERM_COUNT_OFFSET],
  ["activeTransportCount", D.ACTIVE_TRANSPORT_COUNT_OFFSET],
  ["initialTermId", D.INITIAL_TERM_ID_OFFSET],
  ["mtuLength", D.MTU_LENGTH_OFFSET],
  ["termLength", D.TERM_LENGTH_OFFSET],
  ["pageSize", D.PAGE_SIZE_OFFSET],
  ["publicationWindowLength", D.PUBLICATION_WINDOW_LENGTH_OFFSET],
  ["receiverWindowLength", D.RECEIVER_WINDOW_LENGTH_OFFSET],
  ["socketSndbufLength", D.SOCKET_SNDBUF_LENGTH_OFFSET],
  ["osDefaultSocketSndbufLength", D.OS_DEFAULT_SOCKET_SNDBUF_LENGTH_OFFSET],
  ["osMaxSocketSndbufLength", D.OS_MAX_SOCKET_SNDBUF_LENGTH_OFFSET],
  ["socketRcvbufLength", D.SOCKET_RCVBUF_LENGTH_OFFSET],
  ["osDefaultSocketRcvbufLength", D.OS_DEFAULT_SOCKET_RCVBUF_LENGTH_OFFSET],
  ["osMaxSocketRcvbufLength", D.OS_MAX_SOCKET_RCVBUF_LENGTH_OFFSET],
  ["maxResend", D.MAX_RESEND_OFFSET],
  ["sessionId", D.DEFAULT_FRAME_HEADER_OFFSET + DataFrame.SESSION_ID_FIELD_OFFSET],
  ["streamId", D.DEFAULT_FRAME_HEADER_OFFSET + DataFrame.STREAM_ID_FIELD_OFFSET]
] as const

const INT64_FIELDS = [
  ["endOfStreamPosition", D.END_OF_STREAM_POSITION_OFFSET],
  ["correlationId", D.CORRELATION_ID_OFFSET],
  ["entityTag", D.ENTITY_TAG_OFFSET],
  ["responseCorrelationId", D.RESPONSE_CORRELATION_ID_OFFSET],
  ["lingerTimeoutNs", D.LINGER_TIMEOUT_NS_OFFSET],
  ["untetheredWindowLimitTimeoutNs", D.UNTETHERED_WINDOW_LIMIT_TIMEOUT_NS_OFFSET],
  ["untetheredRestingTimeoutNs", D.UNTETHERED_RESTING_TIMEOUT_NS_OFFSET],
  ["untetheredLingerTimeoutNs", D.UNTETHERED_LINGER_TIMEOUT_NS_OFFSET]
] as const

const SWITCHES = [
  ["group", D.GROUP_OFFSET],
  ["isResponse", D.IS_RESPONSE_OFFSET],
  ["rejoin", D.REJOIN_OFFSET],
  ["reliable", D.RELIABLE_OFFSET],
  ["sparse", D.SPARSE_OFFSET],
  ["signalEos", D.SIGNAL_EOS_OFFSET],
  ["spiesSimulateConnection", D.SPIES_SIMULATE_CONNECTION_OFFSET],
  ["tether", D.TETHER_OFFSET],
  ["isPublicationRevoked", D.IS_PUBLICATION_REVOKED_OFFSET]
] as const

type Mutable = { -readonly [K in keyof LogBufferMetadata]: LogBufferMetadata[K] }

/** Reads the whole page. Not for a hot path: a dozen BigInts. */
export const read = (metadata: AtomicBuffer): LogBufferMetadata => {
  assertOpen(metadata.state)
  const view = metadata.view
  const fields: Partial<Mutable> = {
    tails: [0, 1, 2].map((index) => view.getBigInt64(D.tailCounterOffset(index), true)) as [bigint, bigint, bigint],
    isConnected: view.getInt32(D.IS_CONNECTED_OFFSET, true) === 1,
    type: view.getUint8(D.TYPE_OFFSET)
  }
  for (const [name, offset] of INT32_FIELDS) {
    fields[name] = view.getInt32(offset, true)
  }
  for (const [name, offset] of INT64_FIELDS) {
    fields[name] = view.getBigInt64(offset, true)
  }
  for (const [name, offset] of SWITCHES) {
    fields[name] = view.getUint8(offset) === 1
  }
  return fields as LogBufferMetadata
}

/** Fills the page of a new log, which must be zero. The log is not to be given to others before this returns. */
export const write = (metadata: AtomicBuffer, fields: LogBufferMetadata): void => {
  assertOpen(metadata.state)
  const view = metadata.view
  for (const [name, offset] of INT32_FIELDS) {
    view.setInt32(offset, fields[name], true)
  }
  for (const [name, offset] of INT64_FIELDS) {
    view.setBigInt64(offset, fields[name], true)
  }
  for (const [name, offset] of SWITCHES) {
    view.setUint8(offset, fields[name] ? 1 : 0)
  }
  for (let index = 0; index < D.PARTITION_COUNT; index++) {
    view.setBigInt64(D.tailCounterOffset(index), fields.tails[index]!, true)
  }
  view.setInt32(D.IS_CONNECTED_OFFSET, fields.isConnected ? 1 : 0, true)
  view.setUint8(D.TYPE_OFFSET, fields.type)
  view.setInt32(D.DEFAULT_FRAME_HEADER_LENGTH_OFFSET, DataFrame.HEADER_LENGTH, true)
  DataFrame.write(
    metadata,
    D.DEFAULT_FRAME_HEADER_OFFSET,
    0,
    FrameFlags.UNFRAGMENTED,
    fields.initialTermId,
    0,
    fields.sessionId,
    fields.streamId
  )
}

/**
 * The tails of a log whose stream begins at `termOffset` of `termId`: the other two partitions hold the term ids that
 * a rotation expects to find there.
 */
export const initialTails = (
  initialTermId: number,
  termId: number,
  termOffset: number
): readonly [bigint, bigint, bigint] => {
  const activeIndex = D.indexByTermCount(D.computeTermCount(termId, initialTermId))
  const tails: [bigint, bigint, bigint] = [0n, 0n, 0n]
  tails[activeIndex] = packTail(termId, termOffset)
  for (let step = 1; step < D.PARTITION_COUNT; step++) {
    tails[(activeIndex + step) % D.PARTITION_COUNT] = packTail((termId + step - D.PARTITION_COUNT) | 0, 0)
  }
  return tails
}

/** What a new log of a stream must be told; the rest has the values that a publication without parameters gets. */
export type NewLog = Partial<LogBufferMetadata> &
  Pick<
    LogBufferMetadata,
    "correlationId" | "initialTermId" | "mtuLength" | "termLength" | "pageSize" | "sessionId" | "streamId" | "type"
  >

/** The fields of a log nobody has written to. Without `tails` and `activeTermCount` its stream begins at position 0. */
export const make = (log: NewLog): LogBufferMetadata => ({
  tails: log.type === D.LogType.PublicationImage ? [0n, 0n, 0n] : initialTails(log.initialTermId, log.initialTermId, 0),
  activeTermCount: 0,
  endOfStreamPosition: D.END_OF_STREAM_UNKNOWN,
  isConnected: false,
  activeTransportCount: 0,
  publicationWindowLength: 0,
  receiverWindowLength: 0,
  socketSndbufLength: 0,
  osDefaultSocketSndbufLength: 0,
  osMaxSocketSndbufLength: 0,
  socketRcvbufLength: 0,
  osDefaultSocketRcvbufLength: 0,
  osMaxSocketRcvbufLength: 0,
  maxResend: 0,
  entityTag: -1n,
  responseCorrelationId: -1n,
  lingerTimeoutNs: 0n,
  untetheredWindowLimitTimeoutNs: 0n,
  untetheredRestingTimeoutNs: 0n,
  untetheredLingerTimeoutNs: 0n,
  group: false,
  isResponse: false,
  rejoin: false,
  reliable: false,
  sparse: false,
  signalEos: false,
  spiesSimulateConnection: false,
  tether: false,
  isPublicationRevoked: false,
  ...log
})

export const activeTermCountAcquire = (metadata: AtomicBuffer): number => {
  assertOpen(metadata.state)
  return loadAcquire(metadata.int32, D.ACTIVE_TERM_COUNT_OFFSET >>> 2)
}

export const isConnected = (metadata: AtomicBuffer): boolean => {
  assertOpen(metadata.state)
  return loadAcquire(metadata.int32, D.IS_CONNECTED_OFFSET >>> 2) === 1
}

export const setIsConnected = (metadata: AtomicBuffer, value: boolean): void => {
  assertOpen(metadata.state)
  storeRelease(metadata.int32, D.IS_CONNECTED_OFFSET >>> 2, value ? 1 : 0)
}

export const activeTransportCount = (metadata: AtomicBuffer): number => {
  assertOpen(metadata.state)
  return loadAcquire(metadata.int32, D.ACTIVE_TRANSPORT_COUNT_OFFSET >>> 2)
}

export const setActiveTransportCount = (metadata: AtomicBuffer, value: number): void => {
  assertOpen(metadata.state)
  storeRelease(metadata.int32, D.ACTIVE_TRANSPORT_COUNT_OFFSET >>> 2, value)
}

/** Where the stream ends, or `Infinity` while that is not known. */
export const endOfStreamPosition = (metadata: AtomicBuffer): number => {
  assertOpen(metadata.state)
  const position = Atomics.load(metadata.int64, D.END_OF_STREAM_POSITION_OFFSET / 8)
  return position === D.END_OF_STREAM_UNKNOWN ? Infinity : Number(position)
}

export const setEndOfStreamPosition = (metadata: AtomicBuffer, position: number): void => {
  assertOpen(metadata.state)
  Atomics.store(metadata.int64, D.END_OF_STREAM_POSITION_OFFSET / 8, BigInt(position))
}

export const isPublicationRevoked = (metadata: AtomicBuffer): boolean => {
  assertOpen(metadata.state)
  return Atomics.load(metadata.bytes, D.IS_PUBLICATION_REVOKED_OFFSET) === 1
}

export const setIsPublicationRevoked = (metadata: AtomicBuffer, value: boolean): void => {
  assertOpen(metadata.state)
  Atomics.store(metadata.bytes, D.IS_PUBLICATION_REVOKED_OFFSET, value ? 1 : 0)
}
