/**
 * What a scan of the end of the log says about queues and index: the first record of each queue, up to which the queue
 * must reach if nothing of it is lost, and the last record that has a key.
 */
import * as MessageProperties from "../commitlog/MessageProperties.ts"
import type { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as SysFlag from "../commitlog/SysFlag.ts"
import * as Utf8 from "../commitlog/Utf8.ts"
import type { QueueTable } from "../consumequeue/QueueTable.ts"

const KEYS = Utf8.encode(MessageProperties.KEYS)
const UNIQ_KEY = Utf8.encode(MessageProperties.UNIQ_KEY)

export class TailSummary {
  /** -1 for none. */
  lastKeyedPosition: number = -1
  readonly #topics: Map<string, Map<number, number>> = new Map()
  #lastUtf8: Uint8Array = new Uint8Array(0)
  #lastQueues: Map<number, number> = new Map()

  note(record: RecordCursor): void {
    if (record.rangeOf(KEYS) !== undefined || record.rangeOf(UNIQ_KEY) !== undefined) {
      this.lastKeyedPosition = record.physicalOffset
    }
    if (!SysFlag.hasQueueEntry(record.sysFlag)) {
      return
    }
    if (!record.hasTopic(this.#lastUtf8)) {
      const { topic } = record
      this.#lastUtf8 = Utf8.encode(topic)
      this.#lastQueues = this.#topics.get(topic) ?? new Map()
      this.#topics.set(topic, this.#lastQueues)
    }
    if (!this.#lastQueues.has(record.queueId)) {
      this.#lastQueues.set(record.queueId, record.queueOffset)
    }
  }

  /** Whether every queue has the entries before the first record that was seen of it. */
  isCoveredBy(queues: QueueTable): boolean {
    for (const [topic, byQueue] of this.#topics) {
      for (const [queueId, queueOffset] of byQueue) {
        if ((queues.find(topic, queueId)?.queue.maxOffset ?? 0) < queueOffset) {
          return false
        }
      }
    }
    return true
  }
}
