/**
 * Puts: one synchronous pass for any number of messages. All limits are checked before the first byte is written, so an
 * illegal message refuses its whole array and leaves no trace.
 */
import type { CommitLog } from "../commitlog/CommitLog.ts"
import * as InnerBatch from "../commitlog/InnerBatch.ts"
import * as MessageCheck from "../commitlog/MessageCheck.ts"
import type { MessageInput } from "../commitlog/MessageInput.ts"
import * as RecordDescriptor from "../commitlog/RecordDescriptor.ts"
import * as SysFlag from "../commitlog/SysFlag.ts"
import * as Utf8 from "../commitlog/Utf8.ts"
import { LmqPlaces } from "../consumequeue/LmqPlaces.ts"
import type { QueueState, QueueTable, TopicQueues } from "../consumequeue/QueueTable.ts"
import type { PutTrail } from "../dispatch/PutTrail.ts"
import { FileFailure } from "../mapped/FileSystem.ts"
import { PutRefusal, PutResult } from "./PutResult.ts"

export interface PutPathOptions {
  readonly maxMessageSize: number
  readonly appendCrcProperty: boolean
  /** Messages may name light queues that they are to stand in as well. */
  readonly isMulti: boolean
  readonly lmqCountMax: number
}

export class PutPath {
  readonly #commitLog: CommitLog
  readonly #queues: QueueTable
  readonly #trail: PutTrail
  readonly #bodyLengthMax: number
  readonly #crcLength: number
  readonly #lmq: LmqPlaces | undefined
  readonly #lengths: Array<number> = []
  /** By their number the queues of the messages at hand, where they are there. */
  readonly #states: Array<QueueState | undefined> = []

  constructor(commitLog: CommitLog, queues: QueueTable, trail: PutTrail, options: PutPathOptions) {
    this.#commitLog = commitLog
    this.#queues = queues
    this.#trail = trail
    this.#bodyLengthMax = options.maxMessageSize
    this.#lmq = options.isMulti ? new LmqPlaces(queues, options.lmqCountMax) : undefined
    this.#crcLength = options.appendCrcProperty ? RecordDescriptor.CRC_PROPERTY_LENGTH + 1 : 0
  }

  /** Stores messages one behind the other. */
  putMany(messages: ReadonlyArray<MessageInput>, nowMs: number): ReadonlyArray<PutResult> | PutRefusal {
    const refusal = this.#check(messages, false)
    if (refusal !== undefined) {
      return refusal
    }
    const log = this.#commitLog
    const storeTimestamp = Math.max(nowMs, log.lastStoreTimestamp)
    const results: Array<PutResult> = []
    this.#lmq?.begin()
    try {
      if (messages.length === 1) {
        // As a literal: an array that is pushed to gets room for sixteen more, which was a fifth of what a put allocates.
        return [this.#append(messages[0]!, 0, storeTimestamp, true)]
      }
      for (let index = 0; index < messages.length; index++) {
        results.push(this.#append(messages[index]!, index, storeTimestamp, false))
      }
      log.commit()
      return results
    } catch (error) {
      const stored = this.#takeBack(messages, results)
      this.#lmq?.takeBack(stored.length)
      return refusalOf(error, stored)
    }
  }

  /** Stores a client's batch: messages of one queue, all in one file, with queue offsets in a row. */
  putBatch(messages: ReadonlyArray<MessageInput>, nowMs: number): ReadonlyArray<PutResult> | PutRefusal {
    const refusal = this.#check(messages, true)
    const first = messages[0]
    if (refusal !== undefined || first === undefined) {
      return refusal ?? []
    }
    const log = this.#commitLog
    const storeTimestamp = Math.max(nowMs, log.lastStoreTimestamp)
    const lengths = this.#lengths
    try {
      const state = this.#queueOf(first)
      const total = log.appendBatch(messages, state.topic.utf8, state.nextOffset, storeTimestamp, lengths)
      let position = log.maxOffset - total
      return messages.map((message, index) => {
        const result = this.#accept(message, state, position, lengths[index]!, storeTimestamp)
        position += lengths[index]!
        return result
      })
    } catch (error) {
      return refusalOf(error, this.#takeBack(messages, []))
    }
  }

  #append(message: MessageInput, index: number, storeTimestamp: number, isAlone: boolean): PutResult {
    const log = this.#commitLog
    const state = this.#states[index] ?? this.#queueOf(message)
    const placed = this.#place(message, state)
    const { nextOffset, topic } = state
    const position = isAlone
      ? log.appendAlone(placed, topic.utf8, nextOffset, storeTimestamp)
      : log.append(placed, topic.utf8, nextOffset, storeTimestamp)
    const result = this.#accept(message, state, position, log.nextPosition - position, storeTimestamp)
    this.#lmq?.accept()
    return result
  }

  /** Takes back what was counted of messages that did not get into the log. Returns the results of those that did. */
  #takeBack(messages: ReadonlyArray<MessageInput>, results: ReadonlyArray<PutResult>): ReadonlyArray<PutResult> {
    const log = this.#commitLog
    log.abandon()
    this.#trail.clear()
    let count = results.length
    while (count > 0 && results[count - 1]!.position >= log.maxOffset) {
      count--
      const message = messages[count]!
      if (SysFlag.hasQueueEntry(message.sysFlag ?? 0)) {
        this.#queueOf(message).nextOffset = results[count]!.queueOffset
      }
    }
    return results.slice(0, count)
  }

  #accept(
    message: MessageInput,
    state: QueueState,
    position: number,
    length: number,
    storeTimestamp: number
  ): PutResult {
    const isQueued = SysFlag.hasQueueEntry(message.sysFlag ?? 0)
    const queueOffset = isQueued ? state.nextOffset : 0
    state.nextOffset += !isQueued ? 0 : isInnerBatch(message) ? InnerBatch.countOf(message) : 1
    this.#trail.note(position, state)
    return new PutResult(position, length, state.queueId, queueOffset, storeTimestamp)
  }

  /** The message as it is stored, with what it says of its own offsets. */
  #place(message: MessageInput, state: QueueState): MessageInput {
    const placed = this.#lmq === undefined ? message : this.#lmq.place(message)
    return isInnerBatch(message) ? InnerBatch.withBase(placed, state.nextOffset) : placed
  }

  #queueOf(message: MessageInput): QueueState {
    return this.#queues.queue(this.#queues.topic(message.topic), message.queueId ?? 0)
  }

  #check(messages: ReadonlyArray<MessageInput>, isBatch: boolean): PutRefusal | undefined {
    let lastTopic: string | undefined = undefined
    let topic: TopicQueues | undefined = undefined
    let isBatchTopic = false
    let longest = 0
    let sum = 0
    for (let index = 0; index < messages.length; index++) {
      const message = messages[index]!
      let code = MessageCheck.check(longestOf(message), this.#bodyLengthMax, this.#crcLength)
      if (code === MessageCheck.OK && message.topic !== lastTopic) {
        lastTopic = message.topic
        topic = this.#queues.known(lastTopic)
        code = topic === undefined ? MessageCheck.checkTopic(lastTopic) : MessageCheck.OK
        isBatchTopic = topic === undefined ? this.#queues.isBatch(lastTopic) : topic.isBatch
      }
      this.#states[index] = topic?.find(message.queueId ?? 0)
      if (code === MessageCheck.OK) {
        code = MessageCheck.checkQueueType(message, isBatchTopic)
      }
      if (code === MessageCheck.OK && isBatch) {
        code = MessageCheck.checkInBatch(message, messages[0]!)
      }
      if (code === MessageCheck.OK && !isBatch && this.#lmq !== undefined) {
        code = this.#lmq.check(message, (placed) => MessageCheck.check(placed, this.#bodyLengthMax, this.#crcLength))
      }
      if (code !== MessageCheck.OK) {
        const limit = code === MessageCheck.LMQ_TOO_MANY ? this.#lmq!.countMax : this.#bodyLengthMax
        return illegal(index, code, message, limit)
      }
      longest = Math.max(longest, message.body.length)
      sum += message.body.length + MessageCheck.REST_LENGTH_MAX
    }
    const lengthMax = isBatch ? sum : longest + MessageCheck.REST_LENGTH_MAX
    return lengthMax > this.#commitLog.recordLengthMax ? this.#measure(messages, isBatch) : undefined
  }

  /** Measures each record where files of the log are so short that one, or a batch, may not fit into a file. */
  #measure(messages: ReadonlyArray<MessageInput>, isBatch: boolean): PutRefusal | undefined {
    const log = this.#commitLog
    let sum = 0
    for (let index = 0; index < messages.length; index++) {
      const message = messages[index]!
      const length = log.measure(longestOf(message), Utf8.encode(message.topic))
      sum += length
      if (length > log.recordLengthMax) {
        return illegal(index, MessageCheck.RECORD_TOO_LONG, message, log.recordLengthMax)
      }
      if (isBatch && sum > log.recordLengthMax) {
        return illegal(index, MessageCheck.BATCH_TOO_LONG, message, log.recordLengthMax)
      }
    }
    return undefined
  }
}

/** Throws what is no failure of a file. */
const refusalOf = (error: unknown, stored: ReadonlyArray<PutResult>): PutRefusal => {
  if (!(error instanceof FileFailure)) {
    throw error
  }
  return new PutRefusal({ _tag: "FileFailure", failure: error }, stored)
}

const isInnerBatch = (message: MessageInput): boolean => SysFlag.isInnerBatch(message.sysFlag ?? 0)

/** The message as long as it can become by what the store adds to an inner batch. */
const longestOf = (message: MessageInput): MessageInput =>
  isInnerBatch(message) ? InnerBatch.withBase(message, Number.MAX_SAFE_INTEGER) : message

const illegal = (index: number, code: number, message: MessageInput, limit: number): PutRefusal =>
  new PutRefusal({ _tag: "Illegal", index, code, size: message.body.length, limit }, [])
