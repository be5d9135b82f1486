/**
 * Reads back everything that the store has, checks it against the source, and computes the table on the way.
 */
import * as MessageStore from "@millrace/store/MessageStore"
import type * as Topic from "@millrace/store/Topic"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { CommandError, NotVerified } from "../CommandError.ts"
import * as Columns from "./Columns.ts"
import type { DataRecord } from "./DataFormat.ts"
import * as DataSet from "./DataSet.ts"
import { GroupStatistics } from "./GroupStatistics.ts"
import { QueueDigests } from "./QueueDigests.ts"
import * as RecordTopic from "./RecordTopic.ts"

export interface ReadBackOptions {
  readonly dataSet: DataSet.DataSet
  readonly columns: Columns.Columns
  readonly topic: string
  /** How many records of the source should be there. */
  readonly expected: number
  readonly onProgress: (records: number) => Effect.Effect<void>
}

export interface ReadBack {
  readonly verified: number
  readonly queueCount: number
  readonly bytes: number
  readonly elapsedMs: number
  readonly groups: GroupStatistics
  readonly tag: { readonly name: string; readonly count: number; readonly elapsedMs: number } | undefined
  readonly logPosition: number
}

/** One record as the digests take it: everything of it that must come back. */
const digestText = (key: string, tag: string, record: DataRecord): string => JSON.stringify([key, tag, record])

export const run = Effect.fnUntraced(function* (options: ReadBackOptions) {
  const { columns } = options
  const store = yield* MessageStore.MessageStore
  const topic = yield* RecordTopic.make(options.topic, columns)
  const groups = new GroupStatistics()
  const tags = new GroupStatistics()
  const startMs = yield* Clock.currentTimeMillis
  const found = yield* readStored(topic, options, ({ tag, value }) => {
    const measured = columns.measure === undefined ? undefined : Columns.numberOf(value[columns.measure])
    groups.add(RecordTopic.keyOf(value, columns), measured)
    if (tag !== undefined) {
      tags.add(tag, undefined)
    }
  })
  const elapsedMs = (yield* Clock.currentTimeMillis) - startMs
  const problems = found.digests.differences(yield* readSource(options))
  const tag = tags.largest(1)[0]
  const oneTag = tag === undefined ? undefined : yield* readTag(topic, tag.name)
  if (oneTag !== undefined && tags.ungrouped === 0 && oneTag.count !== tag?.count) {
    problems.push(`tag ${oneTag.name}: ${oneTag.count} records came back by tag, ${tag?.count} have it`)
  }
  if (problems.length > 0) {
    return yield* new CommandError({ reason: new NotVerified({ problems }) })
  }
  return {
    verified: found.digests.count,
    queueCount: found.digests.queueIds.length,
    bytes: found.bytes,
    elapsedMs,
    groups,
    tag: oneTag,
    logPosition: (yield* store.status).maxPosition
  } satisfies ReadBack
})

const readStored = Effect.fnUntraced(function* (
  topic: Topic.Topic<DataRecord>,
  { onProgress }: ReadBackOptions,
  onMessage: (message: Topic.TopicMessage<DataRecord>) => void
) {
  const digests = new QueueDigests()
  let bytes = 0
  yield* topic.stream({ from: "earliest", live: false }).pipe(
    Stream.runForEachArray((messages) => {
      for (const message of messages) {
        const text = digestText(message.key ?? "", message.tag ?? "", message.value)
        bytes += text.length
        digests.add(message.queueId, text)
        onMessage(message)
      }
      return onProgress(digests.count)
    })
  )
  return { digests, bytes }
})

/** What should be there: the source again, each record in the queue that its key belongs to. */
const readSource = Effect.fnUntraced(function* ({ columns, dataSet, expected }: ReadBackOptions) {
  const digests = new QueueDigests()
  yield* DataSet.records(dataSet).pipe(
    Stream.take(expected),
    Stream.runForEachArray((records) =>
      Effect.sync(() => {
        for (const record of records) {
          const key = RecordTopic.keyOf(record, columns)
          digests.add(RecordTopic.queueOf(key), digestText(key, RecordTopic.tagOf(record, columns), record))
        }
      })
    )
  )
  return digests
})

const readTag = Effect.fnUntraced(function* (topic: Topic.Topic<DataRecord>, name: string) {
  const startMs = yield* Clock.currentTimeMillis
  const count = yield* topic.stream({ from: "earliest", live: false, tags: name }).pipe(Stream.runCount)
  return { name, count, elapsedMs: (yield* Clock.currentTimeMillis) - startMs }
})
