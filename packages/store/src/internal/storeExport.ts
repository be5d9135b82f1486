/** Everything that a store has, as values: its records in the order of the log, then what its queues hold. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as RecordCheck from "../commitlog/RecordCheck.ts"
import type { RecordCursor } from "../commitlog/RecordCursor.ts"
import { isFiller, type QueueEntry } from "../consumequeue/ConsumeQueue.ts"
import type { QueueState, QueueTable } from "../consumequeue/QueueTable.ts"
import type { ExportedQueue, ExportedRecord, ExportLine, ExportSummary } from "../Inspect.ts"
import * as LogSurvey from "../inspect/LogSurvey.ts"
import type { StoredMessage } from "../Message.ts"
import type { MessageStoreOptions } from "../MessageStoreConfig.ts"
import { OnProgress } from "../Progress.ts"
import * as LogScan from "../recovery/LogScan.ts"
import { isQueued } from "../recovery/QueueOffset.ts"
import type { StoreError } from "../StoreError.ts"
import { borrowedMessageOf } from "./ownedMessage.ts"
import * as storeInspection from "./storeInspection.ts"
import { attempt } from "./storeSteps.ts"

/** A message with RocketMQ's names for its fields. */
export const fieldsOf = (message: StoredMessage): Omit<ExportedRecord, "inConsumeQueue"> => ({
  physicalOffset: message.position,
  storeSize: message.storeSize,
  version: message.version,
  topic: message.topic,
  queueId: message.queueId,
  queueOffset: message.queueOffset,
  recordPhysicalOffset: message.position,
  flag: message.flag,
  sysFlag: message.sysFlag,
  bornTimestamp: message.bornTimestamp,
  bornHost: message.bornHost,
  storeTimestamp: message.storeTimestamp,
  storeHost: message.storeHost,
  bodyCRC: message.bodyCrc,
  reconsumeTimes: message.reconsumeTimes,
  preparedTransactionOffset: message.preparedTransactionOffset,
  propertiesRaw: message.propertiesText,
  properties: message.properties,
  tags: message.tags ?? null,
  keys: message.keys ?? null,
  uniqKey: message.uniqueKey ?? null,
  tagsCode: message.tagsCode,
  offsetMsgId: message.offsetMsgId,
  bodyLength: message.body.length,
  body: base64Of(message.body)
})

const base64Of = ({ buffer, byteLength, byteOffset }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64")

type Page = readonly [ReadonlyArray<ExportLine>, Option.Option<undefined>]

export const exported = (options: MessageStoreOptions): Stream.Stream<ExportLine, StoreError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const inspection = yield* storeInspection.open(options)
      const onProgress = yield* OnProgress
      const steps = exportSteps(inspection)
      const total = inspection.files.commitLog.maxOffset
      return Stream.paginate(undefined, () =>
        Effect.gen(function* (): Effect.fn.Return<Page, StoreError> {
          const step = yield* attempt(() => steps.next())
          if (step.done === true) {
            return [[{ summary: step.value }], Option.none()]
          }
          yield* onProgress({ task: "export", noun: "bytes", done: step.value.position, total })
          return [step.value.records, Option.some(undefined)]
        })
      )
    })
  )

interface Slice {
  readonly records: ReadonlyArray<ExportedRecord>
  readonly position: number
}

function* exportSteps({ files, follow }: storeInspection.Inspection): Generator<Slice, ExportSummary> {
  const { commitLog, queues } = files
  // Entries that a writer adds behind these lead to records that may come after the end of what is read here.
  const ends = endsOf(queues)
  let records: Array<ExportedRecord> = []
  let count = 0
  const visit = (record: RecordCursor): void => {
    count++
    records.push({ ...fieldsOf(borrowedMessageOf(record)), inConsumeQueue: isQueued(queues, record) })
  }
  const scan = LogScan.scan(commitLog, commitLog.minOffset, LogSurvey.CHECK, visit)
  let step = scan.next()
  while (step.done !== true) {
    yield { records, position: step.value }
    records = []
    follow()
    step = scan.next()
  }
  const { code, end, stoppedAt } = step.value
  yield { records, position: end }
  const listed = [...queues.all()].toSorted(byName).map((state) => queueOf(state, end, ends.get(state) ?? 0))
  return {
    messageCount: count,
    minPhyOffset: commitLog.minOffset,
    maxPhyOffset: end,
    end: stoppedAt,
    reason: RecordCheck.reasonOf(code),
    queuesBeyondEnd: listed.flatMap(({ beyond }) => (beyond.entries.length === 0 ? [] : [beyond])),
    queues: listed.flatMap(({ queue }) => (queue.maxOffset === 0 ? [] : [queue]))
  }
}

const endsOf = (queues: QueueTable): ReadonlyMap<QueueState, number> =>
  new Map([...queues.all()].map((state) => [state, state.queue.endSlot]))

const byName = (a: QueueState, b: QueueState): number =>
  a.topic.name === b.topic.name ? a.queueId - b.queueId : a.topic.name < b.topic.name ? -1 : 1

/** The entries of a queue, apart from those that lead beyond the end of the log and stood there from the beginning. */
const queueOf = (
  { queue, queueId, topic }: QueueState,
  logEnd: number,
  knownEnd: number
): { readonly queue: ExportedQueue; readonly beyond: ExportedQueue } => {
  const entry: QueueEntry = { position: 0, size: 0, tagsCode: 0 }
  const entries: Array<ExportedQueue["entries"][number]> = []
  const beyond: Array<ExportedQueue["entries"][number]> = []
  const { minOffset } = queue
  let maxOffset = minOffset
  let beyondEnd = minOffset
  for (let slot = queue.slotOf(minOffset); queue.readSlot(slot, entry); slot++) {
    const tagsCode = queue.tagsCodeOf(slot, entry) ?? entry.tagsCode
    const isBeyond = !isFiller(entry) && entry.position + entry.size > logEnd
    if (!isBeyond) {
      entries.push([entry.position, entry.size, tagsCode])
      maxOffset = queue.endOf(slot)
    } else if (slot < knownEnd) {
      beyondEnd = queue.endOf(slot)
      beyond.push([entry.position, entry.size, tagsCode])
    }
  }
  const named = { topic: topic.name, queueId }
  return {
    queue: { ...named, minOffset, maxOffset, entries },
    beyond: { ...named, minOffset: maxOffset, maxOffset: Math.max(maxOffset, beyondEnd), entries: beyond }
  }
}
