/**
 * What a scan of the log says about queues and index: the first and the last record of each queue, and the last record
 * that has a key.
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
}

export class TailSummary {
  /** -1 for none. */
  lastKeyedPosition: number = -1
  readonly #topics: Map<string, Map<number, Offsets>> = new Map()
  #lastUtf8: Uint8Array = new Uint8Array(0)
  #lastQueues: Map<number, Offsets> = new Map()

  note(record: RecordCursor): void {
    const { keysEnd, keysStart, uniqueKeyEnd, uniqueKeyStart } = record.places
    if (keysEnd > keysStart || uniqueKeyEnd > uniqueKeyStart) {
      this.lastKeyedPosition = record.physicalOffset
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
    const { queueId, queueOffset } = record
    const offsets = this.#lastQueues.get(queueId)
    const last = queueOffset + span - 1
    if (offsets === undefined) {
      const isBatch = SysFlag.isInnerBatch(record.sysFlag)
      this.#lastQueues.set(queueId, { first: queueOffset, last, isBatch })
    } else {
      offsets.last = last
    }
  }

  /** Whether every queue has what stands before the first record that was seen of it. */
  isPrecededBy(queues: QueueTable): boolean {
    return this.#every(queues, (maxOffset, { first }) => maxOffset >= first)
  }

  /** Whether every queue has all records that were seen of it. */
  isHeldBy(queues: QueueTable): boolean {
    return this.#every(queues, (maxOffset, { last }) => maxOffset > last)
  }

  #every(queues: QueueTable, holds: (maxOffset: number, offsets: Offsets) => boolean): boolean {
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
