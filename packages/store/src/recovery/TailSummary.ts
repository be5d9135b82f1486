/**
 * What a scan of the log says about queues and index: the first and the last record of each queue, the first one that its
 * queue lacks, and the last record that has a key.
 */
import * as InnerBatch from "../commitlog/InnerBatch.ts"
import type { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as SysFlag from "../commitlog/SysFlag.ts"
import * as Utf8 from "../commitlog/Utf8.ts"
import type { QueueTable } from "../consumequeue/QueueTable.ts"

interface Offsets {
  readonly first: number
  last: number
  readonly isBatch: boolean
  /** Offset behind the last message that the queue had when its first record was seen. */
  readonly heldTo: number
}

export class TailSummary {
  /** -1 for none. */
  lastKeyedPosition: number = -1
  /** Position of the first record that its queue had no entry for; none is infinite. */
  lackedFrom: number = Number.POSITIVE_INFINITY
  readonly #queues: QueueTable
  readonly #notesKeys: boolean
  readonly #topics: Map<string, Map<number, Offsets>> = new Map()
  #lastUtf8: Uint8Array = new Uint8Array(0)
  #lastQueues: Map<number, Offsets> = new Map()

  /** Without `notesKeys` no key is looked for. */
  constructor(queues: QueueTable, notesKeys: boolean) {
    this.#queues = queues
    this.#notesKeys = notesKeys
  }

  note(record: RecordCursor, position: number): void {
    if (this.#notesKeys) {
      this.#noteKeys(record, position)
    }
    const span = InnerBatch.spanOf(record)
    if (span === 0) {
      return
    }
    if (!record.hasTopic(this.#lastUtf8)) {
      const { topic } = record
      this.#lastUtf8 = Utf8.encode(topic)
      this.#lastQueues = this.#topics.get(topic) ?? new Map<number, Offsets>()
      this.#topics.set(topic, this.#lastQueues)
    }
    const { queueOffset } = record
    const last = queueOffset + span - 1
    const offsets = this.#lastQueues.get(record.queueId) ?? this.#begin(record, queueOffset)
    offsets.last = last
    if (last >= offsets.heldTo && this.lackedFrom > position) {
      this.lackedFrom = position
    }
  }

  #begin(record: RecordCursor, first: number): Offsets {
    const { queueId } = record
    const isBatch = SysFlag.isInnerBatch(record.sysFlag)
    const heldTo = this.#queues.find(record.topic, queueId)?.queue.maxOffset ?? 0
    const offsets: Offsets = { first, last: first, isBatch, heldTo }
    this.#lastQueues.set(queueId, offsets)
    return offsets
  }

  #noteKeys(record: RecordCursor, position: number): void {
    const { keysEnd, keysStart, uniqueKeyEnd, uniqueKeyStart } = record.places
    if (keysEnd > keysStart || uniqueKeyEnd > uniqueKeyStart) {
      this.lastKeyedPosition = position
    }
  }

  /** Whether every queue has what stands before the first record that was seen of it. */
  isPreceded(): boolean {
    return this.#every((maxOffset, { first }) => maxOffset >= first)
  }

  /** Whether every queue has all records that were seen of it. */
  isHeld(): boolean {
    return this.#every((maxOffset, { last }) => maxOffset > last)
  }

  #every(holds: (maxOffset: number, offsets: Offsets) => boolean): boolean {
    const queues = this.#queues
    for (const [topic, byQueue] of this.#topics) {
      for (const [queueId, offsets] of byQueue) {
        // Inner batches have no place in queues of the other type.
        const isForeign = offsets.isBatch && queues.topics.has(topic) && !queues.isBatch(topic)
        if (!isForeign && !holds(queues.find(topic, queueId)?.queue.maxOffset ?? 0, offsets)) {
          return false
        }
      }
    }
    return true
  }
}
