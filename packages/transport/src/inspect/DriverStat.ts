/**
 * What a driver's counters say of the driver as a whole: how much it has moved, what went wrong, and who its clients are.
 */
import type { CounterRecord } from "@millrace/core/kernel/counters/CountersReader"
import * as StreamCounters from "../driver/StreamCounters.ts"
import * as SystemCounters from "../driver/SystemCounters.ts"

/** Counts since the driver began. A driver that has no such counter counts none. */
export interface DriverTotals {
  readonly bytesSent: bigint
  readonly bytesReceived: bigint
  readonly naksSent: bigint
  readonly naksReceived: bigint
  readonly retransmits: bigint
  /** How often a sender had no window left. */
  readonly backPressureEvents: bigint
  readonly invalidPackets: bigint
  readonly lossGapFills: bigint
  readonly errors: bigint
  readonly clientTimeouts: bigint
  readonly unblockedPublications: bigint
  readonly bytesMapped: bigint
}

/** A client of the driver. */
export interface ClientRow {
  readonly clientId: bigint
  /** When it last gave a sign of life, in milliseconds since the epoch. */
  readonly heartbeatMs: number
  readonly label: string
}

const IDS: Readonly<Record<keyof DriverTotals, number>> = {
  bytesSent: SystemCounters.BYTES_SENT,
  bytesReceived: SystemCounters.BYTES_RECEIVED,
  naksSent: SystemCounters.NAK_MESSAGES_SENT,
  naksReceived: SystemCounters.NAK_MESSAGES_RECEIVED,
  retransmits: SystemCounters.RETRANSMITS_SENT,
  backPressureEvents: SystemCounters.SENDER_FLOW_CONTROL_LIMITS,
  invalidPackets: SystemCounters.INVALID_PACKETS,
  lossGapFills: SystemCounters.LOSS_GAP_FILLS,
  errors: SystemCounters.ERRORS,
  clientTimeouts: SystemCounters.CLIENT_TIMEOUTS,
  unblockedPublications: SystemCounters.UNBLOCKED_PUBLICATIONS,
  bytesMapped: SystemCounters.BYTES_CURRENTLY_MAPPED
}

/** The driver's own counters have fixed ids, in every driver that speaks this protocol. */
export const totals = (counters: ReadonlyArray<CounterRecord>): DriverTotals => {
  const own = new Map(
    counters.filter(({ typeId }) => typeId === SystemCounters.TYPE_ID).map(({ id, value }) => [id, value])
  )
  return Object.fromEntries(
    Object.entries(IDS).map(([name, id]) => [name, own.get(id) ?? 0n])
  ) as unknown as DriverTotals
}

/** In the order in which their counters were allocated. */
export const clients = (counters: ReadonlyArray<CounterRecord>): ReadonlyArray<ClientRow> =>
  counters
    .filter(({ typeId }) => typeId === StreamCounters.CLIENT_HEARTBEAT_TYPE_ID)
    .map(({ key, label, value }) => ({ clientId: clientIdOf(key), heartbeatMs: Number(value), label }))

const clientIdOf = (key: Uint8Array): bigint =>
  new DataView(key.buffer, key.byteOffset, key.byteLength).getBigInt64(0, true)
