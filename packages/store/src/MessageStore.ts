/**
 * A durable store of messages: RocketMQ's commit log, consume queues and index, as a service.
 *
 * **Details**
 *
 * A store lives in one directory, which one process at a time has open. All of it runs on the thread that made the
 * layer; syncs run in the thread pool, one at a time. A put is one synchronous pass for any number of messages, so
 * `putMany` and a topic's `sink` cost far less a message than single puts.
 *
 * **Example** (Putting and reading)
 *
 * ```ts
 * import { MessageStore } from "@millrace/store"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const store = yield* MessageStore.MessageStore
 *   yield* store.put({ topic: "trades", body: new TextEncoder().encode("42") })
 *   const { messages } = yield* store.get({ topic: "trades", queueId: 0, offset: 0 })
 *   return new TextDecoder().decode(messages[0]!.body)
 * }).pipe(Effect.provide(MessageStore.layerMemory()))
 *
 * Effect.runPromise(program) // => "42"
 * ```
 *
 * @since 0.1.0
 */
import type * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type {
  Durability as KernelDurability,
  PutResult as KernelPutResult,
  PutStatus as KernelPutStatus
} from "./engine/PutResult.ts"
import type { HealthReport } from "./Health.ts"
import * as storeLayer from "./internal/storeLayer.ts"
import type { Message, StoredMessage } from "./Message.ts"
import { config, type MessageStoreOptions } from "./MessageStoreConfig.ts"
import type { QueryRequest } from "./Query.ts"
import type { GetStatus as KernelGetStatus } from "./reading/GetMessage.ts"
import type { QueueType as KernelQueueType } from "./config/TopicConfig.ts"
import type { Boundary as KernelBoundary } from "./reading/OffsetByTime.ts"
import type { RecoveryReport } from "./RecoveryReport.ts"
import type { StoreError } from "./StoreError.ts"

/**
 * Where a message is after its put: `disk`, or `memory`, which outlives the process but not the machine.
 *
 * @category models
 * @since 0.1.0
 */
export type Durability = KernelDurability

/**
 * What became of a put.
 *
 * @category models
 * @since 0.1.0
 */
export type PutResult = Readonly<KernelPutResult>

/**
 * RocketMQ's statuses of a put.
 *
 * @category models
 * @since 0.1.0
 */
export type PutStatus = KernelPutStatus

/**
 * RocketMQ's statuses of a read.
 *
 * @category models
 * @since 0.1.0
 */
export type GetStatus = KernelGetStatus

/**
 * Which of several messages a time means: with `lower` the first one stored at or after it, with `upper` the last one
 * stored at or before it.
 *
 * @category models
 * @since 0.1.0
 */
export type Boundary = KernelBoundary

/**
 * What queues a topic has: an entry for each message, or (`BatchCQ`) for each inner batch.
 *
 * @category models
 * @since 0.1.0
 */
export type QueueType = KernelQueueType

/**
 * What a reader asks of messages, as RocketMQ's `MessageFilter` does: first by what their queue has of them, then by the
 * messages themselves. Both are called by the store, between its steps: they neither throw nor call it.
 *
 * @category models
 * @since 0.1.0
 */
export interface MessageFilter {
  /**
   * False leaves a message out without reading it. `tagsCode` is undefined where only the message has it; `bits` are those
   * that a hook (`StoreHooks.filterBits`) has computed, empty where there are none, and valid during the call.
   */
  readonly matchesEntry?: ((tagsCode: number | undefined, bits: Uint8Array) => boolean) | undefined
  readonly matches?: ((message: StoredMessage) => boolean) | undefined
}

/**
 * Which messages to read.
 *
 * @category models
 * @since 0.1.0
 */
export interface GetRequest {
  readonly topic: string
  readonly queueId: number
  readonly offset: number
  /** Most messages of one answer. Default 32. */
  readonly maxCount?: number | undefined
  /** Most bytes of records of one answer; one message is given whatever its length. Default 256 KiB. */
  readonly maxBytes?: number | undefined
  /** `TagA || TagB`; `*` or nothing for all. */
  readonly tags?: string | undefined
  /** Whether tags are compared as text, not only by hash. Default true; a RocketMQ broker compares hashes. */
  readonly matchTagText?: boolean | undefined
  /** What is asked of messages beside their tags. */
  readonly filter?: MessageFilter | undefined
  /** How long to wait for a message when there is none. Default 0: not at all. */
  readonly waitMs?: number | undefined
}

/**
 * What was read. Fewer messages than asked for do not mean the end of the queue: go on at `nextOffset` until the status
 * is `OFFSET_OVERFLOW_ONE`.
 *
 * @category models
 * @since 0.1.0
 */
export interface GetResult {
  readonly status: GetStatus
  readonly nextOffset: number
  readonly minOffset: number
  readonly maxOffset: number
  readonly messages: ReadonlyArray<StoredMessage>
}

/**
 * A queue of a topic.
 *
 * @category models
 * @since 0.1.0
 */
export interface QueueInfo {
  readonly queueId: number
  /** Offset of the first message that is kept. */
  readonly minOffset: number
  /** Offset behind the last message that can be read. */
  readonly maxOffset: number
  /** Offset that the next message put gets. */
  readonly nextOffset: number
}

/**
 * A topic and its queues, by queue id.
 *
 * @category models
 * @since 0.1.0
 */
export interface TopicInfo {
  readonly topic: string
  /** Number of queues that messages are spread over, where one was chosen. */
  readonly queueCount: number | undefined
  /** What queues it has, or is to have. */
  readonly queueType: QueueType
  readonly queues: ReadonlyArray<QueueInfo>
}

/**
 * How far the parts of a store have come. Positions are those of the commit log.
 *
 * @category models
 * @since 0.1.0
 */
export interface StoreStatus {
  readonly minPosition: number
  readonly maxPosition: number
  /** Up to here messages can be read and outlive the process; before `maxPosition` only with a transient pool. */
  readonly committedPosition: number
  readonly flushedPosition: number
  readonly dispatchedPosition: number
  readonly fileCount: number
  readonly fileLength: number
  readonly isWriteable: boolean
  /** Files that the system refused to map, and that are read and written by position instead. */
  readonly unmappedFileCount: number
  /** Files whose memory the system refused to keep (`warmMapedFileEnable`). They are used all the same. */
  readonly unlockedFileCount: number
  /** Why the last round of cleaning could not remove an old file or measure a device. It is tried again. */
  readonly cleaningFailure: StoreError | undefined
}

/**
 * Syncs of the log, queues and index by the time they took. `counts` has a class for each bound and one beyond the last.
 *
 * @category models
 * @since 0.1.0
 */
export interface FlushTimes {
  readonly boundsMs: ReadonlyArray<number>
  readonly counts: ReadonlyArray<number>
  readonly count: number
  readonly sumMs: number
  readonly minMs: number
  readonly maxMs: number
}

/**
 * What a store has done since it was opened, and how far its parts are behind.
 *
 * @category models
 * @since 0.1.0
 */
export interface StoreFigures extends StoreStatus {
  /** Bytes of the log that are not on the device yet. */
  readonly dirtyBytes: number
  /** Bytes of the log that are not in queues and index yet. */
  readonly dispatchBehindBytes: number
  readonly putMessageCount: number
  /** Bytes that puts have added to the log. */
  readonly putBytes: number
  readonly getMessageCount: number
  /** Bytes of the records of messages read. */
  readonly getBytes: number
  readonly waitingReaderCount: number
  /** Puts and flushes that were refused, by the tag of the reason. */
  readonly refusalCounts: ReadonlyMap<string, number>
  readonly flushTimes: FlushTimes
  /** The device of the log under most pressure. Asked of the system when it is read. */
  readonly disk: { readonly freeBytes: number; readonly totalBytes: number }
}

/**
 * The service.
 *
 * @category services
 * @since 0.1.0
 */
export class MessageStore extends Context.Service<
  MessageStore,
  {
    readonly directory: string
    readonly recovery: RecoveryReport
    /** Stores a message. */
    put(message: Message): Effect.Effect<PutResult, StoreError>
    /** Stores messages one behind the other, in one pass. An illegal one refuses all of them. */
    putMany(messages: ReadonlyArray<Message>): Effect.Effect<ReadonlyArray<PutResult>, StoreError>
    /** Stores messages of one topic and queue, without transaction or delay, in one file, with queue offsets in a row. */
    putBatch(messages: ReadonlyArray<Message>): Effect.Effect<ReadonlyArray<PutResult>, StoreError>
    /** Reads messages of one queue. */
    get(request: GetRequest): Effect.Effect<GetResult, StoreError>
    /**
     * Completes when some queue of the topic has a message at or behind the offset given for it. Queues without one are
     * left out, or count from 0 with `newQueues`. Fails when such a message is stored and will never be readable: the
     * device or the log has failed.
     */
    awaitMessages(
      topic: string,
      offsets: ReadonlyMap<number, number>,
      options?: { readonly newQueues?: boolean | undefined }
    ): Effect.Effect<void, StoreError>
    /** Messages by key, the newest ones, in the order they were stored. */
    query(request: QueryRequest): Effect.Effect<ReadonlyArray<StoredMessage>, StoreError>
    /** The newest message with a UNIQ_KEY. */
    byUniqueKey(topic: string, uniqueKey: string): Effect.Effect<StoredMessage | undefined, StoreError>
    /** What the index itself answers, as RocketMQ does: positions, other keys of the same hash among them. At most 64. */
    lookup(request: QueryRequest): Effect.Effect<ReadonlyArray<number>, StoreError>
    /** The message whose record begins at a position of the log; undefined where none does. */
    byPosition(position: number): Effect.Effect<StoredMessage | undefined, StoreError>
    /** The message with an offsetMsgId. */
    byOffsetId(offsetMsgId: string): Effect.Effect<StoredMessage | undefined, StoreError>
    /** The offset in a queue for a store time in milliseconds; undefined for a queue that is not there. */
    offsetByTime(request: {
      readonly topic: string
      readonly queueId: number
      readonly timeMs: number
      readonly boundary?: Boundary | undefined
    }): Effect.Effect<number | undefined, StoreError>
    readonly topics: Effect.Effect<ReadonlyArray<TopicInfo>, StoreError>
    topic(name: string): Effect.Effect<TopicInfo | undefined, StoreError>
    /** Keeps how many queues the messages of a topic are spread over. */
    setQueueCount(topic: string, queueCount: number): Effect.Effect<void, StoreError>
    /**
     * Keeps what queues a topic has, before it has any: `BatchCQ` for one whose messages come as inner batches, of which
     * each has one entry for all of its messages.
     */
    setQueueType(topic: string, queueType: QueueType): Effect.Effect<void, StoreError>
    /** Completes when everything that was stored before is on the device. */
    readonly flush: Effect.Effect<void, StoreError>
    readonly status: Effect.Effect<StoreStatus, StoreError>
    /** The figures of this moment. Nothing is done for them, and they stay when the store has been closed. */
    figuresUnsafe(): StoreFigures
    readonly health: Effect.Effect<HealthReport>
  }
>()("@millrace/store/MessageStore") {}

/**
 * A store in a directory, which is made when it is not there.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: MessageStoreOptions): Layer.Layer<MessageStore, StoreError> =>
  Layer.effect(MessageStore, storeLayer.make(options))

/**
 * A store with the options that the configuration provider has.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig: Layer.Layer<MessageStore, StoreError | Config.ConfigError> = Layer.effect(
  MessageStore,
  Effect.flatMap(config, storeLayer.make)
)

/**
 * The same store without a disk: its files are JavaScript memory and end with the layer.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerMemory = (options?: Omit<MessageStoreOptions, "directory">): Layer.Layer<MessageStore, StoreError> =>
  Layer.effect(MessageStore, storeLayer.makeMemory(options ?? {}))
