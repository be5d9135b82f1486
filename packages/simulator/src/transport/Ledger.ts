/**
 * What was offered to one stream, in the order in which it stands in the log: the truth that subscribers are held
 * against. A stream is one session from its first publication to its last; publications of several clients may share it.
 */
export type EntryState = "Offered" | "Claimed" | "Abandoned"

export interface LedgerEntry {
  readonly publisherId: number
  readonly number: number
  /** Behind the message; NaN when only that of the batch is known. */
  readonly position: number
  /** With the headers of its fragments. */
  readonly framedLength: number
  state: EntryState
}

export class Ledger {
  readonly sessionId: number
  readonly streamId: number
  readonly entries: Array<LedgerEntry> = []
  /** Whether its end may lose data: it was revoked, rejected, or its driver died. */
  isBroken = false
  /** A subscriber has refused it. Others read on until they hear of it, and may get that again. */
  isRejected = false
  private readonly indexes = new Map<string, number>()

  constructor(sessionId: number, streamId: number) {
    this.sessionId = sessionId
    this.streamId = streamId
  }

  add(entry: LedgerEntry): LedgerEntry {
    this.indexes.set(`${entry.publisherId}/${entry.number}`, this.entries.length)
    this.entries.push(entry)
    return entry
  }

  /** −1 when it was never offered. */
  indexOf(publisherId: number, number: number): number {
    return this.indexes.get(`${publisherId}/${number}`) ?? -1
  }

  /** The next entry behind `index` that a subscriber will see. One that is claimed and not committed is not passed. */
  nextVisible(index: number): number {
    let next = index + 1
    while (next < this.entries.length && this.entries[next]!.state === "Abandoned") {
      next++
    }
    return next
  }

  /** Where everything that was offered has been read. */
  get lastVisible(): number {
    let last = this.entries.length - 1
    while (last >= 0 && this.entries[last]!.state !== "Offered") {
      last--
    }
    return last
  }
}
