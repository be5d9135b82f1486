/** Gives every message that can be consumed its entry in its consume queue. */
import type { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as SysFlag from "../commitlog/SysFlag.ts"
import type { QueueState, QueueTable, TopicQueues } from "../consumequeue/QueueTable.ts"
import * as DelayLevel from "./DelayLevel.ts"
import type { Dispatcher } from "./Dispatcher.ts"

export class QueueDispatcher implements Dispatcher {
  readonly #table: QueueTable
  readonly #arrived: Array<QueueState> = []
  #topic: TopicQueues | undefined = undefined

  constructor(table: QueueTable) {
    this.#table = table
  }

  dispatch(record: RecordCursor, position: number): void {
    if (!SysFlag.hasQueueEntry(record.sysFlag)) {
      return
    }
    let topic = this.#topic
    if (topic === undefined || !record.hasTopic(topic.utf8)) {
      topic = this.#table.topic(record.topic)
      this.#topic = topic
    }
    const state = this.#table.queue(topic, record.queueId)
    const { queueOffset } = record
    state.queue.append(queueOffset, position, record.totalSize, tagsCodeOf(record, topic.name))
    if (state.nextOffset <= queueOffset) {
      state.nextOffset = queueOffset + 1
    }
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
