/** Told when a queue has new messages that readers can see. Called once a queue and pass, never while records are being dispatched. */
import type { QueueState } from "../consumequeue/QueueTable.ts"

export interface ArrivalListener {
  /** Must not throw. */
  onArrival(queue: QueueState): void
}
