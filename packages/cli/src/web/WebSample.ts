/** A sample as a page gets it: so much of each table as a page can draw, and how much there is in all. */
import type { DriverSample } from "../top/DriverSample.ts"
import { type Absent, isAbsent, type Sample } from "../top/Sample.ts"
import type { StoreSample } from "../top/StoreSample.ts"

/** Rows of a table that a page gets: those that move most, or are furthest behind. */
export const ROWS_MAX = 200

const first = <Row>(rows: ReadonlyArray<Row>, weight: (row: Row) => number): ReadonlyArray<Row> =>
  rows.length <= ROWS_MAX ? rows : rows.toSorted((a, b) => weight(b) - weight(a)).slice(0, ROWS_MAX)

const driverOf = (driver: DriverSample) => ({
  ...driver,
  streamCount: driver.streams.length,
  streams: first(driver.streams, ({ bytesPerSecond }) => bytesPerSecond ?? 0),
  clientCount: driver.clients.length,
  clients: first(driver.clients, ({ heartbeatAgeMs }) => heartbeatAgeMs)
})

const storeOf = (store: StoreSample) => ({
  ...store,
  topicCount: store.topics.length,
  topics: first(store.topics, ({ messagesPerSecond }) => messagesPerSecond ?? 0),
  groupCount: store.groups.length,
  groups: first(store.groups, ({ lag }) => lag)
})

export interface WebSample {
  readonly timeMs: number
  readonly driver: ReturnType<typeof driverOf> | Absent | null
  readonly store: ReturnType<typeof storeOf> | Absent | null
}

export const of = ({ driver, store, timeMs }: Sample): WebSample => ({
  timeMs,
  driver: driver === null || isAbsent(driver) ? driver : driverOf(driver),
  store: store === null || isAbsent(store) ? store : storeOf(store)
})
