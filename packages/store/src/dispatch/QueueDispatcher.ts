/** Gives every message that can be consumed its entry in its consume queue. */
import type { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as InnerBatch from "../commitlog/InnerBatch.ts"
import * as SysFlag from "../commitlog/SysFlag.ts"
import type { EntryPart } from "../consumequeue/ConsumeQueue.ts"
import { NO_BITS } from "../consumequeue/ConsumeQueueExt.ts"
import type { QueueState, QueueTable, TopicQueues } from "../consumequeue/QueueTable.ts"
import * as MultiDispatch from "../consumequeue/MultiDispatch.ts"
import * as DelayLevel from "./DelayLevel.ts"
import type { Dispatcher } from "./Dispatcher.ts"
import { PutTrail } from "./PutTrail.ts"

/** Computes what filters ask of a record, for its unit of an extended queue; undefined for nothing. */
export type FilterBits = (record: RecordCursor) => Uint8Array | undefined

export class QueueDispatcher implements Dispatcher {
  /** What puts know of the records that are not dispatched yet. */
  readonly trail = new PutTrail()
  readonly #table: QueueTable
  readonly #arrived: Array<QueueState> = []
  readonly #isMulti: boolean
  readonly #filterBits: FilterBits | undefined
  #topic: TopicQueues | undefined = undefined

  /** With `isMulti` records also get entries in the light queues that they name. */
  constructor(table: QueueTable, isMulti: boolean, filterBits?: FilterBits) {
    this.#table = table
    this.#isMulti = isMulti
    this.#filterBits = filterBits
  }

  dispatch(record: RecordCursor, position: number): void {
    const span = InnerBatch.spanOf(record)
    if (span === 0) {
      return
    }
    const known = this.trail.take(position)
    const topic = known === undefined ? this.#topicOf(record) : known.topic
    const isInnerBatch = SysFlag.isInnerBatch(record.sysFlag)
    if (isInnerBatch && topic.queues.size === 0) {
      // A store takes inner batches only for topics that have batch consume queues: these are gone.
      topic.isBatch = true
    }
    if (isInnerBatch && !topic.isBatch) {
      return
    }
    const state = known ?? this.#table.queue(topic, record.queueId)
    const tagsCode = topic.isDelayed ? DelayLevel.deliveryTime(record) : record.tagsHash()
    const part = topic.isBatch || state.queue.ext !== undefined ? this.#partOf(record, span) : undefined
    this.#append(state, record.queueOffset, position, record.totalSize, tagsCode, part)
    if (this.#isMulti && !isInnerBatch) {
      MultiDispatch.forEach(record, (name, offset) => {
        const lmq = this.#table.queue(this.#table.topic(name), MultiDispatch.LMQ_QUEUE_ID)
        this.#append(lmq, offset, position, record.totalSize, tagsCode)
      })
    }
  }

  #topicOf(record: RecordCursor): TopicQueues {
    let topic = this.#topic
    if (topic === undefined || !record.hasTopic(topic.utf8)) {
      topic = this.#table.topicOf(record)
      this.#topic = topic
    }
    return topic
  }

  #partOf(record: RecordCursor, count: number): EntryPart {
    return { storeTimestamp: record.storeTimestamp, count, bits: this.#filterBits?.(record) ?? NO_BITS }
  }

  #append(
    state: QueueState,
    queueOffset: number,
    position: number,
    size: number,
    tagsCode: number,
    part?: EntryPart
  ): void {
    state.queue.append(queueOffset, position, size, tagsCode, part)
    state.nextOffset = Math.max(state.nextOffset, queueOffset + (part?.count ?? 1))
    if (!state.hasArrived) {
      state.hasArrived = true
      this.#arrived.push(state)
    }
  }

  /** Hands over the queues that got entries since the last call. */
  drainArrived(onArrival: (queue: QueueState) => void): void {
    const arrived = this.#arrived
    for (let index = 0; index < arrived.length; index++) {
      const state = arrived[index]!
      state.hasArrived = false
      onArrival(state)
    }
    arrived.length = 0
  }
}

/** The tags code of a record's queue entry. */
export const tagsCodeOf = (record: RecordCursor, topic: string): number =>
  DelayLevel.isDelayTopic(topic) ? DelayLevel.deliveryTime(record) : record.tagsHash()
