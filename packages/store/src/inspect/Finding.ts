/** What is wrong with a store: one of the facts that its parts should agree on and do not. */
import type { QueueEntry } from "../consumequeue/ConsumeQueue.ts"
import type { Damage } from "./LogSurvey.ts"

export type Finding =
  /** A file that is not there, with files behind it. */
  | { readonly _tag: "FileMissing"; readonly file: string; readonly position: number; readonly length: number }
  /** A file of another length than those of its kind have. */
  | { readonly _tag: "FileLengthWrong"; readonly file: string; readonly length: number; readonly expected: number }
  /** Something among the files of a store that is none of them. */
  | { readonly _tag: "FileForeign"; readonly file: string; readonly detail: string }
  /**
   * A stretch of the log that is no record, with records behind it; and what an opening of the store does with it. It is
   * refused, where something behind it must have been on the device; or the log is cut there, as at the end of a crash,
   * where nothing says so; or it is not read, in front of what the checkpoint says is whole: only an opening that has to
   * make queues or index anew comes by, and is refused.
   */
  | ({ readonly _tag: "LogDamage"; readonly opening: "refused" | "cut" | "not read" } & Damage)
  /** An entry of a queue that does not lead to the record that it stands for; `expected` is that of the log. */
  | {
      readonly _tag: "QueueEntryWrong"
      readonly topic: string
      readonly queueId: number
      readonly queueOffset: number
      readonly found: Readonly<QueueEntry>
      readonly expected: Readonly<QueueEntry> | undefined
      readonly detail: string
    }
  /** A record that its queue does not have. */
  | {
      readonly _tag: "QueueEntryMissing"
      readonly topic: string
      readonly queueId: number
      readonly queueOffset: number
      readonly position: number
    }
  /** An entry of an index file that does not lead to a record with its key, or a chain that does not lead to an entry. */
  | { readonly _tag: "IndexWrong"; readonly file: string; readonly entry: number; readonly detail: string }
  /** A record whose key the index does not have. */
  | { readonly _tag: "KeyMissing"; readonly topic: string; readonly key: string; readonly position: number }
  /** A file of `config` that is neither the JSON that it should be, nor has a backup that is. */
  | { readonly _tag: "ConfigUnreadable"; readonly file: string }

export type OnFinding = (finding: Finding) => void
