/** What there is in a store, at a glance; and how far its consumers have come. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as ConfigFile from "../config/ConfigFile.ts"
import * as StorePaths from "../engine/StorePaths.ts"
import type { QueueEntry } from "../consumequeue/ConsumeQueue.ts"
import type { QueueState, QueueTable } from "../consumequeue/QueueTable.ts"
import { type FileSystem, join } from "../mapped/FileSystem.ts"
import type { StoreFiles } from "../engine/StoreFiles.ts"
import type { ConsumerOffset, Observation, Observer, Overview } from "../Inspect.ts"
import * as NextRecord from "../recovery/NextRecord.ts"
import type { CommitLog } from "../commitlog/CommitLog.ts"
import type { MessageStoreOptions } from "../MessageStoreConfig.ts"
import * as AbortFile from "../recovery/AbortFile.ts"
import type { StoreError } from "../StoreError.ts"
import * as countersFile from "./countersFile.ts"
import * as storeInspection from "./storeInspection.ts"
import { attempt } from "./storeSteps.ts"

export const overview = Effect.fnUntraced(function* (
  options: MessageStoreOptions
): Effect.fn.Return<Overview, StoreError, Scope.Scope> {
  const inspection = yield* storeInspection.open(options)
  return yield* attempt(() => overviewOf(inspection))
}, Effect.scoped)

/**
 * Opens the store once. Its process may open and close it between two looks. How long its files are shows in them: a
 * store whose queues have none yet is opened anew at each look.
 */
export const observe = Effect.fnUntraced(function* (
  options: MessageStoreOptions
): Effect.fn.Return<Observer, StoreError, Scope.Scope> {
  const outer = yield* Effect.scope
  const open = Effect.gen(function* () {
    const scope = yield* Scope.fork(outer)
    const inspection = yield* Scope.provide(storeInspection.open(options), scope).pipe(
      Effect.onError(() => Scope.close(scope, Exit.void))
    )
    return { scope, inspection }
  })
  let opened = yield* open
  const look = Effect.gen(function* () {
    const { inspection, scope } = opened
    if (![...inspection.files.queues.all()].some(({ queue }) => queue.maxOffset > 0)) {
      opened = yield* open
      yield* Scope.close(scope, Exit.void)
    }
    return yield* attempt(() => observationOf(opened.inspection))
  })
  return { look }
})

const observationOf = (inspection: storeInspection.Inspection): Observation => {
  const { fileSystem, files, options } = inspection
  inspection.follow()
  files.checkpoint.refresh()
  const isOpen = AbortFile.exists(fileSystem, options.storePathRootDir)
  const last = lastDispatched(files)
  return {
    ...overviewOf({ ...inspection, isOpen }),
    dispatchBehindBytes: Math.max(0, files.commitLog.maxOffset - Math.max(last.end, files.commitLog.minOffset)),
    lastStoreTimestamp: last.storeTimestamp,
    byTopic: topicsOf(files.queues),
    consumers: consumersOf(inspection)
  }
}

const topicsOf = (queues: QueueTable): Observation["byTopic"] =>
  [...queues.topics.values()].map((topic) => ({
    topic: topic.name,
    queues: [...topic.queues.values()]
      .map(({ nextOffset, queue, queueId }) => {
        const { maxOffset, minOffset } = queue
        return { queueId, minOffset, maxOffset, nextOffset }
      })
      .toSorted((a, b) => a.queueId - b.queueId)
  }))

/** The record that the furthest entry of all queues leads to: where it ends, and when it was stored. */
const lastDispatched = ({ commitLog, queues }: StoreFiles) => {
  const states = [...queues.all()]
  const furthest = states.reduce<QueueState | undefined>(
    (best, state) => (best === undefined || state.queue.maxPosition > best.queue.maxPosition ? state : best),
    undefined
  )
  if (furthest === undefined) {
    return { end: 0, storeTimestamp: null }
  }
  const { queue } = furthest
  const entry: QueueEntry = { position: 0, size: 0, tagsCode: 0 }
  const cursor = new RecordCursor()
  const file = queue.readSlot(queue.endSlot - 1, entry) ? commitLog.files.find(entry.position) : undefined
  const isThere = file !== undefined && NextRecord.checkAt(file, entry.position - file.fromOffset, cursor) > 0
  return { end: queue.maxPosition, storeTimestamp: isThere ? cursor.storeTimestamp : null }
}

const overviewOf = ({ fileSystem, files, isOpen, options }: storeInspection.Inspection): Overview => {
  const { checkpoint, commitLog, queues } = files
  const root = options.storePathRootDir
  const states = [...queues.all()]
  const indexFiles = (fileSystem.entries(StorePaths.index(root)) ?? []).filter(({ isDirectory }) => !isDirectory)
  const { freeBytes, totalBytes } = fileSystem.space(root)
  return {
    directory: root,
    isOpen,
    pid: isOpen ? (AbortFile.pidOf(fileSystem, root) ?? null) : null,
    writer: isOpen ? countersFile.look(root) : null,
    minPosition: commitLog.minOffset,
    maxPosition: commitLog.maxOffset,
    logFiles: commitLog.files.files.length,
    logFileLength: commitLog.files.fileLength,
    firstStoreTimestamp: firstTimestamp(commitLog),
    topics: queues.topics.size,
    queues: states.length,
    messages: states.reduce((sum, { queue }) => sum + queue.maxOffset - queue.minOffset, 0),
    queueFileLength: options.mappedFileSizeConsumeQueue,
    ...extendedOf(fileSystem, root),
    indexFiles: indexFiles.length,
    indexSlots: options.maxHashSlotNum,
    indexEntries: options.maxIndexNum,
    logFlushedTimestamp: checkpoint.physicMsgTimestamp,
    queuesFlushedTimestamp: checkpoint.logicsMsgTimestamp,
    indexFlushedTimestamp: checkpoint.indexMsgTimestamp,
    freeBytes,
    totalBytes
  }
}

/** The extended queues that have files, and how long these are together. */
const extendedOf = (fileSystem: FileSystem, root: string): Pick<Overview, "extendedQueues" | "extendedQueueBytes"> => {
  const directory = StorePaths.consumeQueueExts(root)
  const filesIn = (path: string) => fileSystem.entries(path) ?? []
  const lengths = filesIn(directory)
    .flatMap(({ name }) => filesIn(join(directory, name)).map((queue) => join(join(directory, name), queue.name)))
    .map((path) => filesIn(path).reduce((sum, { length }) => sum + length, 0))
    .filter((length) => length > 0)
  return { extendedQueues: lengths.length, extendedQueueBytes: lengths.reduce((sum, length) => sum + length, 0) }
}

const firstTimestamp = (commitLog: CommitLog): number | null => {
  const cursor = new RecordCursor()
  const first = commitLog.files.firstFile
  return first !== undefined && NextRecord.checkAt(first, 0, cursor) > 0 ? cursor.storeTimestamp : null
}

const OFFSETS_FILE = "consumerOffset.json"

export const consumerOffsets = Effect.fnUntraced(function* (
  options: MessageStoreOptions
): Effect.fn.Return<ReadonlyArray<ConsumerOffset>, StoreError, Scope.Scope> {
  const inspection = yield* storeInspection.open(options)
  return yield* attempt(() => consumersOf(inspection))
}, Effect.scoped)

const consumersOf = ({ fileSystem, files, options }: storeInspection.Inspection): ReadonlyArray<ConsumerOffset> => {
  const content = ConfigFile.read(fileSystem, ConfigFile.pathOf(options.storePathRootDir, OFFSETS_FILE))
  const found: Array<ConsumerOffset> = []
  for (const [name, offsets] of entriesOf(entriesMap(content, "offsetTable"))) {
    // topic@group; a topic may not contain the separator.
    const separator = name.indexOf("@")
    const topic = separator < 0 ? name : name.slice(0, separator)
    for (const [id, offset] of entriesOf(offsets)) {
      const queueId = Number(id)
      const maxOffset = files.queues.find(topic, queueId)?.queue.maxOffset ?? 0
      found.push({ group: name.slice(separator + 1), topic, queueId, offset: Number(offset), maxOffset })
    }
  }
  return found.toSorted((a, b) => compare(a.group, b.group) || compare(a.topic, b.topic) || a.queueId - b.queueId)
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const entriesMap = (content: unknown, name: string): unknown =>
  typeof content === "object" && content !== null ? (content as Record<string, unknown>)[name] : undefined

const entriesOf = (value: unknown): ReadonlyArray<readonly [string, unknown]> =>
  typeof value === "object" && value !== null ? Object.entries(value) : []
