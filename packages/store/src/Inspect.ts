/**
 * Looking into a store without opening it: everything that it has as values, and whether its parts agree. Nothing here
 * changes a file or takes the lock, and all of it works beside a process that writes.
 *
 * **Example** (Checking a store)
 *
 * ```ts
 * import { Inspect } from "@millrace/store"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const { findings, records } = yield* Inspect.verify({ directory: "/var/lib/orders" })
 *   yield* Effect.log(`${records} records, ${findings.length} problems`)
 * })
 * ```
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Finding as KernelFinding } from "./inspect/Finding.ts"
import type { Verified } from "./inspect/StoreVerify.ts"
import * as storeDump from "./internal/storeDump.ts"
import * as storeExport from "./internal/storeExport.ts"
import * as storeOverview from "./internal/storeOverview.ts"
import * as storeVerify from "./internal/storeVerify.ts"
import type { StoredMessage } from "./Message.ts"
import type { TopicInfo } from "./MessageStore.ts"
import type { MessageStoreOptions } from "./MessageStoreConfig.ts"
import type { StoreError } from "./StoreError.ts"

/**
 * A record with RocketMQ's names for its fields.
 *
 * @category models
 * @since 0.1.0
 */
export interface ExportedRecord {
  /** Where the record stands in the log. */
  readonly physicalOffset: number
  readonly storeSize: number
  readonly version: 1 | 2
  readonly topic: string
  readonly queueId: number
  readonly queueOffset: number
  /** Where the record itself says that it stands. */
  readonly recordPhysicalOffset: number
  readonly flag: number
  readonly sysFlag: number
  readonly bornTimestamp: number
  readonly bornHost: string
  readonly storeTimestamp: number
  readonly storeHost: string
  readonly bodyCRC: number
  readonly reconsumeTimes: number
  readonly preparedTransactionOffset: number
  /** The properties as they are stored. */
  readonly propertiesRaw: string
  readonly properties: Readonly<Record<string, string>>
  readonly tags: string | null
  readonly keys: string | null
  readonly uniqKey: string | null
  /** What the entry of its queue says of its tags. */
  readonly tagsCode: number
  readonly offsetMsgId: string
  /** Whether the queue has the entry of this record. */
  readonly inConsumeQueue: boolean
  readonly bodyLength: number
  /** The body as it is stored, in base64. */
  readonly body: string
}

/**
 * A queue and its entries: position, length and tags code of each record.
 *
 * @category models
 * @since 0.1.0
 */
export interface ExportedQueue {
  readonly topic: string
  readonly queueId: number
  readonly minOffset: number
  readonly maxOffset: number
  readonly entries: ReadonlyArray<readonly [physicalOffset: number, size: number, tagsCode: number]>
}

/**
 * What an export ends with.
 *
 * @category models
 * @since 0.1.0
 */
export interface ExportSummary {
  readonly messageCount: number
  readonly minPhyOffset: number
  /** Position behind the last record. */
  readonly maxPhyOffset: number
  /** Position of the first place that holds no record: `maxPhyOffset`, or behind the blank that follows it. */
  readonly end: number
  /** Why no record stands there. */
  readonly reason: string
  /** Queues with entries that lead beyond `end`, and those entries. */
  readonly queuesBeyondEnd: ReadonlyArray<ExportedQueue>
  readonly queues: ReadonlyArray<ExportedQueue>
}

/**
 * An element of an export: a record, or at its end the summary.
 *
 * @category models
 * @since 0.1.0
 */
export type ExportLine = ExportedRecord | { readonly summary: ExportSummary }

/**
 * Every record in the order of the log, up to the first place that holds none; then the summary.
 *
 * @category reading
 * @since 0.1.0
 */
export const exported: (options: MessageStoreOptions) => Stream.Stream<ExportLine, StoreError> = storeExport.exported

/**
 * A message with RocketMQ's names for its fields.
 *
 * @category reading
 * @since 0.1.0
 */
export const fieldsOf: (message: StoredMessage) => Omit<ExportedRecord, "inConsumeQueue"> = storeExport.fieldsOf

/**
 * One thing that is wrong with a store.
 *
 * @category models
 * @since 0.1.0
 */
export type Finding = KernelFinding

/**
 * What a check has read, and what it has found.
 *
 * @category models
 * @since 0.1.0
 */
export interface VerifyReport extends Verified {
  /** Whether some process has the store open, or had when it ended. */
  readonly isOpen: boolean
  /** How much was found, also beyond what is listed. */
  readonly findingCount: number
  readonly findings: ReadonlyArray<Finding>
}

/**
 * Reads everything of a store: checks the CRC of each record, and the links between log, queues and index both ways. Lists
 * the first `findingsMax` findings, 1,000 by default.
 *
 * @category reading
 * @since 0.1.0
 */
export const verify = (
  options: MessageStoreOptions & { readonly findingsMax?: number | undefined }
): Effect.Effect<VerifyReport, StoreError> => storeVerify.verify(options, options.findingsMax ?? FINDINGS_MAX_DEFAULT)

const FINDINGS_MAX_DEFAULT = 1000

/**
 * What the process that has a store open says of itself, once a second. Counts go up from 0 when it opened the store.
 *
 * @category models
 * @since 0.1.0
 */
export interface WriterFigures {
  readonly pid: number
  /** Times are milliseconds since the epoch. */
  readonly openedAt: number
  readonly writtenAt: number
  /** Whether that was in the last five seconds: else the process was killed, or something holds it up. */
  readonly isLive: boolean
  readonly isWriteable: boolean
  readonly putMessageCount: number
  readonly putBytes: number
  readonly getMessageCount: number
  readonly getBytes: number
  readonly refusalCount: number
  readonly waitingReaderCount: number
  /** Bytes of the log that are still in a transient pool. */
  readonly commitBehindBytes: number
  /** Bytes of the log that are not on the device. */
  readonly dirtyBytes: number
  /** Bytes of the log that are not in queues and index. */
  readonly dispatchBehindBytes: number
  readonly syncCount: number
  readonly syncTimeMs: number
  /** How long the syncs of the last second took that had any; quantiles are at most an eighth too long. */
  readonly lastSyncs: {
    readonly at: number
    readonly p50Ms: number
    readonly p99Ms: number
    readonly maxMs: number
  } | null
}

/**
 * What there is in a store. Times are milliseconds since the epoch.
 *
 * @category models
 * @since 0.1.0
 */
export interface Overview {
  readonly directory: string
  /** Whether some process has the store open, or had when it ended. */
  readonly isOpen: boolean
  /** That process, where it left its number. */
  readonly pid: number | null
  /** What that process says of itself; null of a closed store, and of one that RocketMQ has open. */
  readonly writer: WriterFigures | null
  readonly minPosition: number
  readonly maxPosition: number
  readonly logFiles: number
  readonly logFileLength: number
  /** When the first record that is kept was stored. */
  readonly firstStoreTimestamp: number | null
  readonly topics: number
  readonly queues: number
  readonly messages: number
  readonly queueFileLength: number
  /** Queues that have more of each message in an extended queue (`enableConsumeQueueExt`), and the length of those files. */
  readonly extendedQueues: number
  readonly extendedQueueBytes: number
  readonly indexFiles: number
  readonly indexSlots: number
  readonly indexEntries: number
  /** Store times up to which log, queues and index are on the device, by the checkpoint. */
  readonly logFlushedTimestamp: number
  readonly queuesFlushedTimestamp: number
  readonly indexFlushedTimestamp: number
  readonly freeBytes: number
  readonly totalBytes: number
}

/**
 * Says what there is in a store, at a glance.
 *
 * @category reading
 * @since 0.1.0
 */
export const overview: (options: MessageStoreOptions) => Effect.Effect<Overview, StoreError> = storeOverview.overview

/**
 * How far a group of consumers has come in a queue: the offset of the message that it takes next.
 *
 * @category models
 * @since 0.1.0
 */
export interface ConsumerOffset {
  readonly group: string
  readonly topic: string
  readonly queueId: number
  readonly offset: number
  /** Where the queue ends. */
  readonly maxOffset: number
}

/**
 * The offsets that groups of consumers have left in a store (`config/consumerOffset.json`, as RocketMQ writes it).
 *
 * @category reading
 * @since 0.1.0
 */
export const consumerOffsets: (
  options: MessageStoreOptions
) => Effect.Effect<ReadonlyArray<ConsumerOffset>, StoreError> = storeOverview.consumerOffsets

/**
 * What a store is like at one moment, with all of its topics and consumers.
 *
 * @category models
 * @since 0.1.0
 */
export interface Observation extends Overview {
  /** Bytes of records in the log that are in no queue yet. */
  readonly dispatchBehindBytes: number
  /** When the newest record that a queue leads to was stored. */
  readonly lastStoreTimestamp: number | null
  readonly byTopic: ReadonlyArray<Pick<TopicInfo, "topic" | "queues">>
  readonly consumers: ReadonlyArray<ConsumerOffset>
}

/**
 * A store that stays open to be looked at again and again, which costs what has changed since the last look.
 *
 * **Example** (Watching a store that another process writes)
 *
 * ```ts
 * import { Inspect } from "@millrace/store"
 * import { Effect, Schedule } from "effect"
 *
 * const watch = Effect.gen(function*() {
 *   const { look } = yield* Inspect.observe({ directory: "/var/lib/orders" })
 *   yield* look.pipe(
 *     Effect.tap(({ dispatchBehindBytes, messages }) => Effect.log(`${messages} messages, ${dispatchBehindBytes} bytes behind`)),
 *     Effect.repeat(Schedule.spaced("1 second"))
 *   )
 * }).pipe(Effect.scoped)
 * ```
 *
 * @category models
 * @since 0.1.0
 */
export interface Observer {
  readonly look: Effect.Effect<Observation, StoreError>
}

/**
 * Opens a store to be looked at again and again, until the scope closes.
 *
 * @category reading
 * @since 0.1.0
 */
export const observe: (options: MessageStoreOptions) => Effect.Effect<Observer, StoreError, Scope.Scope> =
  storeOverview.observe

/**
 * What stands in a file: first what it is, then its parts one by one.
 *
 * @category models
 * @since 0.1.0
 */
export type DumpLine = storeDump.DumpLine

/**
 * Reads any file of a store, whatever state it is in: a file of the log, of a queue, of the index, the checkpoint, the
 * small ones. What it is shows in its name and its directory.
 *
 * @category reading
 * @since 0.1.0
 */
export const dump: (file: string) => Stream.Stream<DumpLine, StoreError> = storeDump.dump
