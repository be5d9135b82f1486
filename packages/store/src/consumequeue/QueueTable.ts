/**
 * All queues by topic and queue id, with the offset that the next message of each gets. One entry of a topic carries its
 * name in UTF-8, so that no put encodes it again.
 */
import { assert } from "@millrace/core/kernel/memory/Assert"
import * as JavaString from "../commitlog/JavaString.ts"
import * as MessageCheck from "../commitlog/MessageCheck.ts"
import type { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as Utf8 from "../commitlog/Utf8.ts"
import * as DelayLevel from "../dispatch/DelayLevel.ts"
import type { MappedFileQueue } from "../mapped/MappedFileQueue.ts"
import type { ConsumeQueue } from "./ConsumeQueue.ts"
import * as MultiDispatch from "./MultiDispatch.ts"

export interface QueueState {
  readonly topic: TopicQueues
  readonly queueId: number
  readonly queue: ConsumeQueue
  /** Offset that the next message put into this queue gets. */
  nextOffset: number
  /** Whether the dispatcher has reached new messages that waiting readers were not told of yet. */
  hasArrived: boolean
}

export class TopicQueues {
  readonly name: string
  readonly utf8: Uint8Array
  readonly queues: Map<number, QueueState> = new Map()
  /** Whether its messages may come as inner batches, for which its queues are batch consume queues. */
  isBatch: boolean
  /** Whether its messages wait for a later time. */
  readonly isDelayed: boolean
  /** The queue that was asked for last: most topics have few. */
  last: QueueState | undefined = undefined

  constructor(name: string, isBatch: boolean) {
    this.name = name
    this.isDelayed = DelayLevel.isDelayTopic(name)
    this.isBatch = isBatch
    this.utf8 = Utf8.encode(name)
  }

  /** The queue; undefined where it is not there. */
  find(queueId: number): QueueState | undefined {
    let state = this.last
    if (state === undefined || state.queueId !== queueId) {
      state = this.queues.get(queueId)
      this.last = state
    }
    return state
  }
}

/** Makes the files of a queue that is new. */
export type OpenQueue = (topic: TopicQueues, queueId: number) => ConsumeQueue

export class QueueTable {
  readonly topics: Map<string, TopicQueues> = new Map()
  /** How many light queues there are. */
  lmqCount: number = 0
  readonly #openQueue: OpenQueue
  /** Messages that follow each other mostly share a topic and a queue. */
  #last: TopicQueues | undefined = undefined
  /** Of topics whose names have one hash the last that was asked for. */
  readonly #byHash: Map<number, TopicQueues> = new Map()

  readonly #isBatch: (topic: string) => boolean

  /** `isBatch` says of a topic that is new to the table whether its queues are to be batch consume queues. */
  constructor(openQueue: OpenQueue, isBatch: (topic: string) => boolean) {
    this.#openQueue = openQueue
    this.#isBatch = isBatch
  }

  /** Whether the queues of a topic, which need not be there, are batch consume queues. */
  isBatch(name: string): boolean {
    return this.topics.get(name)?.isBatch ?? (this.#isBatch(name) && !MultiDispatch.isLmq(name))
  }

  /** Why the queues of a topic cannot be of a type; undefined where they can. */
  obstacleTo(name: string, isBatch: boolean): string | undefined {
    if (MessageCheck.checkTopic(name) !== MessageCheck.OK || (isBatch && MultiDispatch.isLmq(name))) {
      return `no topic with batch consume queues can be called ${name}`
    }
    const hasOther = (this.topics.get(name)?.queues.size ?? 0) > 0 && this.isBatch(name) !== isBatch
    return hasOther ? `the topic ${name} has queues of the other type: take a topic that is new` : undefined
  }

  /** The topic, made when it is not there. */
  topic(name: string): TopicQueues {
    let topic = this.known(name)
    if (topic === undefined) {
      topic = new TopicQueues(name, this.isBatch(name))
      this.topics.set(name, topic)
      this.lmqCount += MultiDispatch.isLmq(name) ? 1 : 0
    }
    return topic
  }

  /** The topic; undefined where it is not there. */
  known(name: string): TopicQueues | undefined {
    const last = this.#last
    if (last !== undefined && last.name === name) {
      return last
    }
    const topic = this.topics.get(name)
    this.#last = topic
    return topic
  }

  /**
   * The topic of a record. Found by the bytes of its name: to make text of each took a third of dispatch where records of
   * many topics follow each other.
   */
  topicOf(record: RecordCursor): TopicQueues {
    const { bytes, topicAt, topicLength } = record
    const hash = JavaString.hashCodeUtf8(0, bytes, topicAt, topicAt + topicLength)
    let topic = this.#byHash.get(hash)
    if (topic === undefined || !record.hasTopic(topic.utf8)) {
      topic = this.topic(record.topic)
      this.#byHash.set(hash, topic)
    }
    return topic
  }

  /** The queue, made when it is not there. */
  queue(topic: TopicQueues, queueId: number): QueueState {
    return topic.find(queueId) ?? this.add(topic, this.#openQueue(topic, queueId))
  }

  add(topic: TopicQueues, queue: ConsumeQueue): QueueState {
    assert(!topic.queues.has(queue.queueId), "a queue that is there already")
    const { queueId } = queue
    const state: QueueState = { topic, queueId, queue, nextOffset: queue.maxOffset, hasArrived: false }
    topic.queues.set(queueId, state)
    return state
  }

  find(topic: string, queueId: number): QueueState | undefined {
    return this.topics.get(topic)?.find(queueId)
  }

  *all(): Generator<QueueState> {
    for (const topic of this.topics.values()) {
      yield* topic.queues.values()
    }
  }

  /** The files of all queues. Those that entries lead to come before those of the entries. */
  *files(): Generator<MappedFileQueue> {
    for (const { queue } of this.all()) {
      if (queue.ext !== undefined) {
        yield queue.ext.files
      }
      yield queue.files
    }
  }
}
