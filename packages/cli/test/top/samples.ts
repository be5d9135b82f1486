/** A driver and a store as samples, for the pictures that are drawn of them. */
import type { DriverSample, DriverTotals, StreamSample } from "../../src/top/DriverSample.ts"
import type { Sample } from "../../src/top/Sample.ts"
import type { StoreSample, TopicSample, WriterSample } from "../../src/top/StoreSample.ts"

export const TIME_MS: number = Date.UTC(2026, 10, 30, 12, 31, 5)

const totals: DriverTotals = {
  bytesSent: 1_000_000,
  bytesReceived: 2_000_000,
  naksSent: 3,
  naksReceived: 4,
  retransmits: 5,
  backPressureEvents: 12,
  invalidPackets: 0,
  lossGapFills: 0,
  errors: 0,
  clientTimeouts: 0,
  unblockedPublications: 0,
  bytesMapped: 51_000_000
}

const none = Object.fromEntries(Object.keys(totals).map((name) => [name, 0])) as unknown as DriverTotals

export const stream = (fields: Partial<StreamSample>): StreamSample => ({
  streamId: 1001,
  sessionId: -1_234_567_890,
  channel: "aeron:ipc",
  position: 4096,
  bytesPerSecond: 0,
  behindBytes: 0,
  roomBytes: 8_388_608,
  unsentBytes: null,
  behindGapBytes: null,
  lostBytes: 0,
  naks: 0,
  backPressureEvents: 0,
  subscribers: [{ registrationId: 2, position: 4096, behindBytes: 0 }],
  ...fields
})

export const driver = (fields: Partial<DriverSample> = {}): DriverSample => ({
  directory: "/dev/shm/aeron-demo",
  pid: 4711,
  cncVersion: "0.2.0",
  startMs: TIME_MS - 60_000,
  heartbeatAgeMs: 12,
  totals,
  rates: { ...none, bytesSent: 12_300_000, backPressureEvents: 2 },
  lostBytes: 0,
  streams: [
    stream({ streamId: 1001, bytesPerSecond: 1_000_000, behindBytes: 2048, position: 2 ** 40 }),
    stream({
      streamId: 1002,
      sessionId: 77,
      channel: "aeron:udp?endpoint=prices.example.com:40123",
      bytesPerSecond: 45_200_000,
      roomBytes: 0,
      lostBytes: 1408
    })
  ],
  clients: [
    { clientId: 7, heartbeatAgeMs: 300, label: "client-heartbeat: id=7 name=feed" },
    { clientId: "9223372036854775807", heartbeatAgeMs: 15_000, label: "client-heartbeat: 9223372036854775807" }
  ],
  errorCount: 1,
  errors: [{ count: 3, firstMs: TIME_MS - 9000, lastMs: TIME_MS - 1000, text: "unknown host\n\u001b[2J at x" }],
  losses: [
    {
      streamId: 1002,
      sessionId: 77,
      observationCount: 2,
      lostBytes: 1408,
      lastMs: TIME_MS,
      source: "10.0.0.1:4000",
      channel: "aeron:udp?endpoint=prices.example.com:40123"
    }
  ],
  ...fields
})

export const topic = (fields: Partial<TopicSample>): TopicSample => ({
  topic: "trades",
  queues: 4,
  messages: 20_000,
  endOffset: 25_000,
  messagesPerSecond: 1200,
  lag: 17,
  ...fields
})

export const writer = (fields: Partial<WriterSample> = {}): WriterSample => ({
  isLive: true,
  isWriteable: true,
  heartbeatAgeMs: 300,
  rates: { putMessages: 1201, putBytes: 5_300_000, getMessages: 900, getBytes: 4_000_000, syncs: 12 },
  dirtyBytes: 640_000,
  commitBehindBytes: 0,
  waitingReaders: 2,
  refusals: 0,
  lastSyncs: { ageMs: 300, p50Ms: 0.41, p99Ms: 3.2, maxMs: 3.5 },
  figures: {
    pid: 815,
    openedAt: TIME_MS - 60_000,
    writtenAt: TIME_MS - 300,
    isLive: true,
    isWriteable: true,
    putMessageCount: 20_001,
    putBytes: 1_200_000_000,
    getMessageCount: 9000,
    getBytes: 40_000_000,
    refusalCount: 0,
    waitingReaderCount: 2,
    commitBehindBytes: 0,
    dirtyBytes: 640_000,
    dispatchBehindBytes: 4096,
    syncCount: 700,
    syncTimeMs: 350,
    lastSyncs: { at: TIME_MS - 300, p50Ms: 0.41, p99Ms: 3.2, maxMs: 3.5 }
  },
  ...fields
})

export const store = (fields: Partial<StoreSample> = {}): StoreSample => ({
  directory: "/var/lib/trades",
  isOpen: true,
  pid: 815,
  writer: writer(),
  minPosition: 0,
  maxPosition: 1_200_000_000,
  bytesPerSecond: 5_300_000,
  messages: 20_001,
  messagesPerSecond: 1201,
  queues: 5,
  logFiles: 2,
  logFileLength: 2 ** 30,
  indexFiles: 1,
  dispatchBehindBytes: 4096,
  lastStoreTimestamp: TIME_MS,
  flushBehindMs: 420,
  queueFlushBehindMs: 900,
  indexFlushBehindMs: null,
  freeBytes: 30_000_000_000,
  totalBytes: 80_000_000_000,
  topics: [topic({}), topic({ topic: "価格\u0007", queues: 1, messages: 1, messagesPerSecond: null, lag: null })],
  groups: [
    { group: "settlement", topic: "trades", queues: 4, lag: 17, offset: 24_983, messagesPerSecond: 1100 },
    { group: "audit", topic: "trades", queues: 4, lag: 4000, offset: 21_000, messagesPerSecond: 0 }
  ],
  ...fields
})

export const both: Sample = { timeMs: TIME_MS, driver: driver(), store: store() }
