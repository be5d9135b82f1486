/** The reading half of the service. */
import * as Effect from "effect/Effect"
import type { RecordCheckOptions } from "../commitlog/RecordCheck.ts"
import { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as RecordReader from "../commitlog/RecordReader.ts"
import type { QueueState, TopicQueues } from "../consumequeue/QueueTable.ts"
import type { StoreEngine } from "../engine/StoreEngine.ts"
import type { IndexService, Lookup } from "../index/IndexService.ts"
import type { StoredMessage } from "../Message.ts"
import type { GetRequest, GetResult, MessageFilter, MessageStore, TopicInfo } from "../MessageStore.ts"
import type { QueryRequest } from "../Query.ts"
import * as ColdReads from "../reading/ColdReads.ts"
import * as GetMessage from "../reading/GetMessage.ts"
import * as OffsetByTime from "../reading/OffsetByTime.ts"
import * as QueryMessage from "../reading/QueryMessage.ts"
import * as TagFilter from "../reading/TagFilter.ts"
import type { StoreError } from "../StoreError.ts"
import type { FileFailure } from "../mapped/FileSystem.ts"
import { fromFileFailure } from "./storeErrors.ts"
import { messageOf } from "./ownedMessage.ts"
import { attemptNow } from "./storeSteps.ts"
import type { StoreRuntime } from "./storeRuntime.ts"

/** RocketMQ's limits for messages that are in memory. */
const COUNT_DEFAULT = 32
const BYTES_DEFAULT = 256 * 1024

export const get = (runtime: StoreRuntime, request: GetRequest): Effect.Effect<GetResult, StoreError> => {
  const readNow = () => getNow(runtime, request, request.offset)
  // Who reads what is old need not wait for what is still in a transient pool.
  const readable = () =>
    runtime.engine.options.transientStorePoolEnable
      ? Effect.flatMap(runtime.readNow(readNow, request), (first) =>
          first.messages.length > 0 ? Effect.succeed(first) : runtime.useNow(readNow, request)
        )
      : runtime.readNow(readNow, request)
  const read = afterBringIn(runtime, () => coldOf(runtime, request), readable)
  return request.waitMs === undefined || request.waitMs <= 0
    ? read
    : Effect.flatMap(read, (first) => (isEmpty(first) ? hold(runtime, request, first) : Effect.succeed(first)))
}

const coldOf = ({ engine, nowNs }: StoreRuntime, request: GetRequest): ReadonlyArray<ColdReads.ColdRange> => {
  const queue = engine.queues.find(request.topic, request.queueId)?.queue
  const { maxCount = COUNT_DEFAULT, offset } = request
  return queue === undefined ? [] : ColdReads.ofMessages(engine.commitLog, queue, offset, maxCount, nowNs)
}

const prefetch = (ranges: ReadonlyArray<ColdReads.ColdRange>, nowNs: number): Effect.Effect<void, StoreError> =>
  Effect.callback((resume) => {
    let waiting = 1
    let failed: FileFailure | undefined = undefined
    const onDone = (failure: FileFailure | undefined) => {
      waiting--
      failed ??= failure
      if (waiting === 0) {
        resume(failed === undefined ? Effect.void : Effect.fail(fromFileFailure(failed)))
      }
    }
    for (const range of ranges) {
      waiting += ColdReads.bringIn(range, nowNs, onDone) ? 1 : 0
    }
    onDone(undefined)
  })

/** Steps of bringing in what a read will touch: entries, then records, then what a long one has behind its first part. */
const BRING_IN_STEPS_MAX = 4

/**
 * Runs `read` after the bytes that it will touch were brought into memory, in the thread pool, until `coldNow` has none.
 * Nothing is done, and no turn lost, without any.
 */
const afterBringIn = <A>(
  runtime: StoreRuntime,
  coldNow: () => ReadonlyArray<ColdReads.ColdRange>,
  read: () => Effect.Effect<A, StoreError>,
  steps: number = BRING_IN_STEPS_MAX
): Effect.Effect<A, StoreError> =>
  Effect.suspend(() => {
    if (steps === 0 || runtime.engine.health.isClosed) {
      return read()
    }
    let ranges: ReadonlyArray<ColdReads.ColdRange>
    try {
      ranges = coldNow()
    } catch (error) {
      return attemptNow(() => {
        throw error
      })
    }
    return ranges.length === 0
      ? read()
      : Effect.andThen(prefetch(ranges, runtime.nowNs), afterBringIn(runtime, coldNow, read, steps - 1))
  })

const isEmpty = ({ status }: GetResult): boolean =>
  status === "OFFSET_OVERFLOW_ONE" || status === "NO_MESSAGE_IN_QUEUE" || status === "NO_MATCHED_MESSAGE"

/** Reads again whenever something has arrived, until there is an answer or the time is over. */
const hold = (runtime: StoreRuntime, request: GetRequest, first: GetResult): Effect.Effect<GetResult, StoreError> => {
  let last = first
  const again = Effect.gen(function* () {
    while (isEmpty(last)) {
      if (last.status !== "NO_MATCHED_MESSAGE") {
        const offsets = new Map([[request.queueId, last.nextOffset]])
        yield* awaitMessages(runtime, request.topic, offsets, request.queueId, false)
      }
      last = yield* runtime.use(() => getNow(runtime, request, last.nextOffset), request)
    }
    return last
  })
  return again.pipe(
    Effect.timeoutOption(request.waitMs!),
    Effect.map((answer) => (answer._tag === "Some" ? answer.value : last))
  )
}

const recordFilterOf = ({ matches, matchesEntry }: MessageFilter): GetMessage.RecordFilter => ({
  hasEntry: (tagsCode, bits) => matchesEntry?.(tagsCode, bits) ?? true,
  hasRecord: (record) => matches?.(messageOf(record)) ?? true
})

const getNow = ({ engine, tally }: StoreRuntime, request: GetRequest, offset: number): GetResult => {
  const { maxBytes: bytesMax = BYTES_DEFAULT, maxCount: countMax = COUNT_DEFAULT, matchTagText, tags } = request
  const filter = tags === undefined ? undefined : TagFilter.parse(tags, matchTagText ?? true)
  const queue = engine.queues.find(request.topic, request.queueId)?.queue
  const messages: Array<StoredMessage> = []
  const onRecord = (record: RecordCursor): void => {
    messages.push(messageOf(record))
  }
  const further = request.filter && recordFilterOf(request.filter)
  const limits = { countMax, bytesMax }
  const outcome = GetMessage.get(engine.commitLog, queue, offset, limits, filter, onRecord, further)
  tally.onGet(outcome.count, outcome.bytes)
  const { maxOffset, minOffset, nextOffset, status } = outcome
  return { status, nextOffset, minOffset, maxOffset, messages }
}

/**
 * Waits for a message at or behind an offset, in one queue or any. Fails where one is stored and will never be readable.
 */
export const awaitMessages = (
  runtime: StoreRuntime,
  topic: string,
  offsets: ReadonlyMap<number, number>,
  queueId: number,
  newQueues: boolean
): Effect.Effect<void, StoreError> =>
  Effect.callback<void, StoreError>((resume) => {
    let cancel = (): void => undefined
    let isEnded = false
    const check = (): void => {
      if (isEnded) {
        return
      }
      const unusable = runtime.unusable()
      const queues = runtime.engine.queues.topics.get(topic)
      if (unusable !== undefined) {
        resume(unusable)
      } else if (hasMessages(queues, offsets, newQueues, ({ queue }) => queue.maxOffset)) {
        resume(Effect.void)
      } else if (
        runtime.engine.hasDispatchEnded &&
        hasMessages(queues, offsets, newQueues, ({ nextOffset }) => nextOffset)
      ) {
        resume(runtime.unhealthy())
      } else {
        cancel = runtime.polling.add(topic, queueId, check)
      }
    }
    check()
    return Effect.sync(() => {
      isEnded = true
      cancel()
    })
  })

const hasMessages = (
  topic: TopicQueues | undefined,
  offsets: ReadonlyMap<number, number>,
  newQueues: boolean,
  endOf: (state: QueueState) => number
): boolean => {
  const offsetOfOthers = newQueues ? 0 : Number.POSITIVE_INFINITY
  for (const state of topic?.queues.values() ?? []) {
    if (endOf(state) > (offsets.get(state.queueId) ?? offsetOfOthers)) {
      return true
    }
  }
  return false
}

const CHECK: RecordCheckOptions = { checkCrc: true, requireCrcProperty: false }

export const byPosition = (
  runtime: StoreRuntime,
  position: number
): Effect.Effect<StoredMessage | undefined, StoreError> =>
  afterBringIn(
    runtime,
    () => ColdReads.ofPositions(runtime.engine.commitLog, [position], runtime.nowNs),
    () => runtime.useNow(() => messageAt(runtime.engine, position))
  )

const messageAt = ({ commitLog }: StoreEngine, position: number): StoredMessage | undefined => {
  const file = position < commitLog.readableEnd && position >= 0 ? commitLog.files.find(position) : undefined
  if (file === undefined) {
    return undefined
  }
  const cursor = new RecordCursor()
  const length = RecordReader.read(file, position - file.fromOffset, cursor, CHECK)
  return length > 0 ? messageOf(cursor) : undefined
}

type OffsetByTimeRequest = Parameters<MessageStore["Service"]["offsetByTime"]>[0]

export const offsetByTime = (
  runtime: StoreRuntime,
  { boundary = "lower", queueId, timeMs, topic }: OffsetByTimeRequest
): Effect.Effect<number | undefined, StoreError> =>
  runtime.use(
    () => {
      const queue = runtime.engine.queues.find(topic, queueId)?.queue
      return queue && OffsetByTime.find(runtime.engine.commitLog, queue, timeMs, boundary)
    },
    { topic, queueId }
  )

const QUERY_COUNT_DEFAULT = 32
/** RocketMQ's `maxMsgsNumBatch`: a lookup gives no more, whatever was asked for. */
const LOOKUP_COUNT_MAX = 64

const lookupOf = ({ begin, end, key, maxCount, topic }: QueryRequest): Lookup => ({
  topic,
  key,
  countMax: maxCount ?? QUERY_COUNT_DEFAULT,
  begin: begin ?? 0,
  end: end ?? Number.MAX_SAFE_INTEGER
})

/** A store that another process writes has a growing index. */
const indexOf = ({ commitLog, index, options }: StoreEngine): IndexService => {
  if (options.readOnly) {
    index.refresh(commitLog.minOffset)
  }
  return index
}

export const lookup = (engine: StoreEngine, request: QueryRequest): ReadonlyArray<number> => {
  const { countMax, ...rest } = lookupOf(request)
  return indexOf(engine).lookup({ ...rest, countMax: Math.min(countMax, LOOKUP_COUNT_MAX) })
}

export const query = (
  runtime: StoreRuntime,
  request: QueryRequest,
  kind: QueryMessage.KeyKind
): Effect.Effect<ReadonlyArray<StoredMessage>, StoreError> => {
  const { engine } = runtime
  const coldOfLookup = () =>
    ColdReads.isAllHot(engine.commitLog)
      ? []
      : ColdReads.ofPositions(engine.commitLog, lookup(engine, request), runtime.nowNs)
  return afterBringIn(runtime, coldOfLookup, () => runtime.useNow(() => queryNow(engine, request, kind)), 1)
}

const queryNow = (
  engine: StoreEngine,
  request: QueryRequest,
  kind: QueryMessage.KeyKind
): ReadonlyArray<StoredMessage> => {
  const messages: Array<StoredMessage> = []
  QueryMessage.query(indexOf(engine), engine.commitLog, lookupOf(request), kind, (record) => {
    messages.push(messageOf(record))
  })
  return messages.length > 1 ? messages.toReversed() : messages
}

export const topics = (runtime: StoreRuntime): ReadonlyArray<TopicInfo> => {
  const names = new Set([
    ...runtime.engine.queues.topics.keys(),
    ...runtime.topics.all().map((config) => config.topicName)
  ])
  return [...names].toSorted().map((name) => topic(runtime, name)!)
}

export const topic = (runtime: StoreRuntime, name: string): TopicInfo | undefined => {
  const config = runtime.topics.get(name)
  const known = runtime.engine.queues.topics.get(name)
  if (config === undefined && known === undefined) {
    return undefined
  }
  const queues = [...(known?.queues.values() ?? [])].toSorted((a, b) => a.queueId - b.queueId).map(infoOf)
  const queueType = runtime.engine.queues.isBatch(name) ? "BatchCQ" : "SimpleCQ"
  return { topic: name, queueCount: config?.writeQueueNums, queueType, queues }
}

const infoOf = ({ nextOffset, queue, queueId }: QueueState): TopicInfo["queues"][number] => ({
  queueId,
  minOffset: queue.minOffset,
  maxOffset: queue.maxOffset,
  nextOffset
})
