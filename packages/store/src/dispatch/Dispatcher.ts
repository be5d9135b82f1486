/** A link of the dispatch chain: it makes what is derived from the log, record by record and in order. */
import type { RecordCursor } from "../commitlog/RecordCursor.ts"

export interface Dispatcher {
  /** Takes the record at `position`; the cursor is only borrowed. Throws `FileFailure`. */
  dispatch(record: RecordCursor, position: number): void
}
