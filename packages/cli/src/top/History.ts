/** The last rates of everything that a sample shows, for the lines that are drawn of them. */
import type { StreamSample } from "./DriverSample.ts"
import { isAbsent, type Sample } from "./Sample.ts"

/** The rates of one thing, the newest last. Things that are gone are forgotten. */
export type History = ReadonlyMap<string, ReadonlyArray<number>>

/** As many as the widest line shows. */
export const LENGTH_MAX = 60

export const empty: History = new Map()

export const SENT = "sent"
export const RECEIVED = "received"
export const PUT = "put"
export const streamKey = ({ channel, sessionId, streamId }: StreamSample): string =>
  `stream ${sessionId} ${streamId} ${channel}`
export const topicKey = (topic: string): string => `topic ${topic}`

/** The history with one more sample. */
export const next = (history: History, sample: Sample): History =>
  new Map(
    ratesOf(sample).map(([key, rate]) => {
      const line = history.get(key) ?? []
      return [key, rate === null ? line : [...line, rate].slice(-LENGTH_MAX)] as const
    })
  )

const ratesOf = ({ driver, store }: Sample): ReadonlyArray<readonly [key: string, rate: number | null]> => [
  ...(driver === null || isAbsent(driver)
    ? []
    : [
        [SENT, driver.rates?.bytesSent ?? null] as const,
        [RECEIVED, driver.rates?.bytesReceived ?? null] as const,
        ...driver.streams.map((stream) => [streamKey(stream), stream.bytesPerSecond] as const)
      ]),
  ...(store === null || isAbsent(store)
    ? []
    : [
        [PUT, store.messagesPerSecond] as const,
        ...store.topics.map(({ messagesPerSecond, topic }) => [topicKey(topic), messagesPerSecond] as const)
      ])
]
