/** The first record of each queue that a scan met: what the queue must reach up to, if nothing of it is lost. */
import type { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as SysFlag from "../commitlog/SysFlag.ts"
import * as Utf8 from "../commitlog/Utf8.ts"
import type { QueueTable } from "../consumequeue/QueueTable.ts"

export class FirstSeen {
  readonly #topics: Map<string, Map<number, number>> = new Map()
  #lastUtf8: Uint8Array = new Uint8Array(0)
  #lastQueues: Map<number, number> = new Map()

  note(record: RecordCursor): void {
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
