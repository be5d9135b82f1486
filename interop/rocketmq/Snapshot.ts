/** All that a side answers about a store: to be compared with what the other side answers about the same files. */
import type { Report } from "../Report.ts"
import { BATCH_TOPIC } from "./Script.ts"
import type { Handle } from "./Handle.ts"
import { type History, sortQueues } from "./History.ts"
import type { GetAnswer, GetRequest, ListedQueue, Listing, QueryRequest, TimeAnswer, TimeRequest } from "./Listing.ts"

export interface Snapshot {
  readonly listing: Listing
  readonly gets: Answers<GetAnswer>
  readonly times: Answers<TimeAnswer>
  readonly queries: Answers<ReadonlyArray<number>>
}

/** A snapshot with the name of who answered. */
export interface NamedSnapshot {
  readonly name: string
  readonly snapshot: Snapshot
}

/** Answers by what was asked. */
export type Answers<A> = Readonly<Record<string, A>>

const TIMES_A_QUEUE = 4
const KEYS_MAX = 200
const QUERY_COUNT = 64

export const take = async (handle: Handle, history: History): Promise<Snapshot> => {
  const listing = await handle.list()
  const queues = sortQueues(listing.queues.filter(({ maxOffset }) => maxOffset > 0))
  const getRequests = [...queues.flatMap(getsOf), ...UNKNOWN]
  const timeRequests = queues.flatMap((queue) => timesOf(queue, history))
  const queryRequests = queriesOf(history)
  const gets = await handle.get(getRequests)
  const times = await handle.offsetsByTime(timeRequests)
  const queries = await handle.query(queryRequests)
  return {
    listing: { ...listing, queues },
    gets: byRequest(getRequests, gets),
    times: byRequest(timeRequests, times),
    queries: byRequest(queryRequests, queries)
  }
}

/**
 * What two sides answer about the same files must be the same; where the index was rebuilt meanwhile, what was found of a
 * key before must be found again.
 */
export const compare = (
  report: Report,
  title: string,
  found: NamedSnapshot,
  other: NamedSnapshot,
  isIndexRebuilt = false
): void => {
  const check = <A>(what: string, answers: Answers<A>, others: Answers<A>) =>
    report.equal(
      `${title} gives ${other.name}'s answers to ${Object.keys(answers).length} ${what}`,
      { name: found.name, value: answers },
      { name: other.name, value: others }
    )
  check("reads by offset", found.snapshot.gets, other.snapshot.gets)
  if (isIndexRebuilt) {
    const [answers, others] = foundBefore(found.snapshot.queries, other.snapshot.queries)
    check("queries by key, in an index made anew", answers, others)
  } else {
    check("queries by key", found.snapshot.queries, other.snapshot.queries)
  }
  if (hasBoundaries(found.snapshot) && hasBoundaries(other.snapshot)) {
    check("searches by time", found.snapshot.times, other.snapshot.times)
  }
}

type Positions = Answers<ReadonlyArray<number>>

/** Of both answers the positions that the other one has, once and in order. */
const foundBefore = (answers: Positions, others: Positions): readonly [Positions, Positions] => {
  const sortedOf = (positions: ReadonlyArray<number>) => [...new Set(positions)].toSorted((a, b) => a - b)
  const both = Object.entries(others).map(
    ([request, positions]) =>
      [request, (answers[request] ?? []).filter((position) => positions.includes(position)), positions] as const
  )
  return [
    Object.fromEntries(both.map(([request, answer]) => [request, sortedOf(answer)])),
    Object.fromEntries(both.map(([request, , positions]) => [request, sortedOf(positions)]))
  ]
}

/** 4.9.8 knows no boundaries, and searches by the times of files. */
const hasBoundaries = ({ times }: Snapshot): boolean => Object.values(times).every(({ lower }) => lower !== null)

const byRequest = <A>(requests: ReadonlyArray<object>, answers: ReadonlyArray<A>): Answers<A> =>
  Object.fromEntries(requests.map((request, index) => [Object.values(request).join(" "), answers[index]!]))

const UNKNOWN: ReadonlyArray<GetRequest> = [
  { topic: "TopicUnknown", queueId: 0, offset: 0, maxCount: 32 },
  { topic: "TopicA", queueId: 77, offset: 5, maxCount: 32 }
]

/** Every offset by itself, and longer reads from the places where something ends. */
const getsOf = ({ maxOffset, minOffset, queueId, topic }: ListedQueue): ReadonlyArray<GetRequest> => {
  const middle = Math.floor((minOffset + maxOffset) / 2)
  const all = Array.from({ length: maxOffset - minOffset + 2 }, (_, index) => minOffset - 1 + index)
  const ends = [-1, 0, minOffset, middle, maxOffset - 3, maxOffset - 1, maxOffset, maxOffset + 1, maxOffset + 50]
  return [
    ...all.map((offset) => ({ topic, queueId, offset, maxCount: 1 })),
    ...[...new Set(ends)].map((offset) => ({ topic, queueId, offset, maxCount: 32 })),
    { topic, queueId, offset: minOffset, maxCount: 10, tags: "TagA || TagB" },
    { topic, queueId, offset: middle, maxCount: 32, tags: "TagB" },
    { topic, queueId, offset: minOffset, maxCount: 32, tags: "polygenelubricants||Aa" },
    { topic, queueId, offset: minOffset, maxCount: 32, tags: "no such tag" }
  ]
}

const timesOf = ({ queueId, topic }: ListedQueue, history: History): ReadonlyArray<TimeRequest> => {
  if (topic === BATCH_TOPIC) {
    // There the real store knows no boundaries, and answers with the last batch where all are older.
    return []
  }
  const stored = history.messages
    .filter((message) => message.topic === topic && message.queueId === queueId)
    .map(({ storeTimestamp }) => storeTimestamp)
  const step = Math.max(1, Math.floor(stored.length / TIMES_A_QUEUE))
  const sampled = stored.filter((_, index) => index % step === 0)
  const times = [0, ...sampled.flatMap((time) => [time - 1, time, time + 1]), (stored.at(-1) ?? 0) + 5000]
  return [...new Set(times)].map((timeMs) => ({ topic, queueId, timeMs }))
}

const queriesOf = (history: History): ReadonlyArray<QueryRequest> => {
  const keys = history.keys()
  const step = Math.max(1, Math.ceil(keys.length / KEYS_MAX))
  const sampled = keys.filter((_, index) => index % step === 0)
  return [...sampled, { topic: "TopicA", key: "no-such-key" }, { topic: "TopicA", key: "often" }].map(
    ({ key, topic }) => {
      return { topic, key, maxCount: QUERY_COUNT, begin: 0 }
    }
  )
}
