/** A store at one moment, as plain data: what `top --json` prints and what the pictures are drawn from. */
import type * as Inspect from "@millrace/store/Inspect"
import { wholePerSecond } from "./Rate.ts"

export interface TopicSample {
  readonly topic: string
  readonly queues: number
  /** Messages that are kept. */
  readonly messages: number
  /** All that it ever had. */
  readonly endOffset: number
  readonly messagesPerSecond: number | null
  /** How far the group of consumers that is furthest behind has to go; null where no group has left an offset. */
  readonly lag: number | null
}

export interface GroupSample {
  readonly group: string
  readonly topic: string
  readonly queues: number
  readonly lag: number
  readonly offset: number
  readonly messagesPerSecond: number | null
}

/** What the process that has the store open says of itself, and what it did a second since the sample before. */
export interface WriterSample {
  readonly isLive: boolean
  readonly isWriteable: boolean
  readonly heartbeatAgeMs: number
  /** Null in the first sample. */
  readonly rates: WriterRates | null
  /** Bytes of the log that are not on the device. */
  readonly dirtyBytes: number
  /** Bytes of the log that are still in a transient pool. */
  readonly commitBehindBytes: number
  readonly waitingReaders: number
  readonly refusals: number
  /** Times of the syncs in the last second that had any. */
  readonly lastSyncs: {
    readonly ageMs: number
    readonly p50Ms: number
    readonly p99Ms: number
    readonly maxMs: number
  } | null
  /** What it has written of itself, to which the next sample compares. */
  readonly figures: Inspect.WriterFigures
}

export interface WriterRates {
  readonly putMessages: number
  readonly putBytes: number
  readonly getMessages: number
  readonly getBytes: number
  readonly syncs: number
}

export interface StoreSample {
  readonly directory: string
  readonly isOpen: boolean
  readonly pid: number | null
  /** Null of a closed store, and of one that RocketMQ has open: then what the files show has to do. */
  readonly writer: WriterSample | null
  readonly minPosition: number
  readonly maxPosition: number
  readonly bytesPerSecond: number | null
  readonly messages: number
  readonly messagesPerSecond: number | null
  readonly queues: number
  readonly logFiles: number
  readonly logFileLength: number
  readonly indexFiles: number
  /** Bytes of records in the log that are in no queue yet. */
  readonly dispatchBehindBytes: number
  readonly lastStoreTimestamp: number | null
  /** Time between the newest record and the newest that is on the device, by the checkpoint; null where none is. */
  readonly flushBehindMs: number | null
  readonly queueFlushBehindMs: number | null
  readonly indexFlushBehindMs: number | null
  readonly freeBytes: number
  readonly totalBytes: number
  readonly topics: ReadonlyArray<TopicSample>
  readonly groups: ReadonlyArray<GroupSample>
}

export const of = (
  observation: Inspect.Observation,
  timeMs: number,
  elapsedMs: number,
  previous: StoreSample | undefined
): StoreSample => {
  const { byTopic, consumers, lastStoreTimestamp, maxPosition } = observation
  const writer = observation.writer === null ? null : writerOf(observation.writer, timeMs, previous?.writer ?? null)
  const groups = groupsOf(consumers, elapsedMs, previous)
  const before = new Map(previous?.topics.map(({ endOffset, topic }) => [topic, endOffset]))
  const topics = byTopic.map((topic) => topicOf(topic, groups, elapsedMs, before.get(topic.topic)))
  const isFirst = previous === undefined
  return {
    directory: observation.directory,
    isOpen: observation.isOpen,
    pid: observation.pid,
    writer,
    minPosition: observation.minPosition,
    maxPosition,
    bytesPerSecond: wholePerSecond(maxPosition, previous?.maxPosition, elapsedMs),
    messages: observation.messages,
    messagesPerSecond: isFirst ? null : wholePerSecond(endOf(topics), endOf(previous.topics), elapsedMs),
    queues: observation.queues,
    logFiles: observation.logFiles,
    logFileLength: observation.logFileLength,
    indexFiles: observation.indexFiles,
    dispatchBehindBytes:
      // From outside a record without a queue counts as behind, and what the writer says is up to a second old.
      writer?.isLive === true
        ? Math.min(writer.figures.dispatchBehindBytes, observation.dispatchBehindBytes)
        : observation.dispatchBehindBytes,
    lastStoreTimestamp,
    flushBehindMs: behind(lastStoreTimestamp, observation.logFlushedTimestamp),
    queueFlushBehindMs: behind(lastStoreTimestamp, observation.queuesFlushedTimestamp),
    indexFlushBehindMs: behind(lastStoreTimestamp, observation.indexFlushedTimestamp),
    freeBytes: observation.freeBytes,
    totalBytes: observation.totalBytes,
    topics,
    groups
  }
}

const writerOf = (figures: Inspect.WriterFigures, timeMs: number, previous: WriterSample | null): WriterSample => {
  const { lastSyncs } = figures
  return {
    isLive: figures.isLive,
    isWriteable: figures.isWriteable,
    heartbeatAgeMs: Math.max(0, timeMs - figures.writtenAt),
    rates: previous === null ? null : writerRates(figures, previous),
    dirtyBytes: figures.dirtyBytes,
    commitBehindBytes: figures.commitBehindBytes,
    waitingReaders: figures.waitingReaderCount,
    refusals: figures.refusalCount,
    lastSyncs:
      lastSyncs === null
        ? null
        : {
            ageMs: Math.max(0, timeMs - lastSyncs.at),
            p50Ms: lastSyncs.p50Ms,
            p99Ms: lastSyncs.p99Ms,
            maxMs: lastSyncs.maxMs
          },
    figures
  }
}

/** By the time between what it wrote then and now; what it has not written anew says what it said before. */
const writerRates = (now: Inspect.WriterFigures, { figures, rates }: WriterSample): WriterRates | null => {
  if (now.openedAt !== figures.openedAt || now.pid !== figures.pid) {
    return null
  }
  const elapsedMs = now.writtenAt - figures.writtenAt
  if (elapsedMs <= 0) {
    return rates
  }
  const rate = (count: number, before: number): number => wholePerSecond(count, before, elapsedMs) ?? 0
  return {
    putMessages: rate(now.putMessageCount, figures.putMessageCount),
    putBytes: rate(now.putBytes, figures.putBytes),
    getMessages: rate(now.getMessageCount, figures.getMessageCount),
    getBytes: rate(now.getBytes, figures.getBytes),
    syncs: rate(now.syncCount, figures.syncCount)
  }
}

const endOf = (topics: ReadonlyArray<TopicSample>): number => topics.reduce((sum, { endOffset }) => sum + endOffset, 0)

/** A checkpoint without a time has never been flushed. */
const behind = (lastTimestamp: number | null, flushedTimestamp: number): number | null =>
  lastTimestamp === null || flushedTimestamp === 0 ? null : Math.max(0, lastTimestamp - flushedTimestamp)

const topicOf = (
  { queues, topic }: Inspect.Observation["byTopic"][number],
  groups: ReadonlyArray<GroupSample>,
  elapsedMs: number,
  endBefore: number | undefined
): TopicSample => {
  const endOffset = queues.reduce((sum, queue) => sum + queue.maxOffset, 0)
  const lags = groups.filter((group) => group.topic === topic).map(({ lag }) => lag)
  return {
    topic,
    queues: queues.length,
    messages: queues.reduce((sum, queue) => sum + queue.maxOffset - queue.minOffset, 0),
    endOffset,
    messagesPerSecond: wholePerSecond(endOffset, endBefore, elapsedMs),
    lag: lags.length === 0 ? null : lags.reduce((most, lag) => Math.max(most, lag), 0)
  }
}

const groupKey = ({ group, topic }: { readonly group: string; readonly topic: string }): string => `${topic}@${group}`

const groupsOf = (
  consumers: ReadonlyArray<Inspect.ConsumerOffset>,
  elapsedMs: number,
  previous: StoreSample | undefined
): ReadonlyArray<GroupSample> => {
  const before = new Map(previous?.groups.map((group) => [groupKey(group), group.offset]))
  return [...Map.groupBy(consumers, groupKey)].map(([key, rows]) => {
    const offset = rows.reduce((sum, row) => sum + row.offset, 0)
    return {
      group: rows[0]!.group,
      topic: rows[0]!.topic,
      queues: rows.length,
      lag: rows.reduce((sum, row) => sum + Math.max(0, row.maxOffset - row.offset), 0),
      offset,
      messagesPerSecond: wholePerSecond(offset, before.get(key), elapsedMs)
    }
  })
}
