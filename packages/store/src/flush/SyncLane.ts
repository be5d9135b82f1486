/**
 * One sync at a time for the whole store: they run in the process's thread pool of four, and two of one store would only
 * wait for the same device while files, zlib and other stores wait for a thread.
 *
 * The log comes first. But under load it has something to sync whenever the lane is free, so the others ask: behind a
 * sync of the log it leaves them one, and takes the next one itself.
 *
 * A failed sync ends the lane: the kernel marks pages clean that never reached the device, so no later success of a sync
 * says anything about them.
 */
import type { FileFailure, SyncDone } from "../mapped/FileSystem.ts"

/** Who syncs: the log, or what is made from it (queues, index, checkpoint). */
export type LaneUser = "log" | "derived"

/** Who measures syncs is told before anybody acts on their ends. */
export interface SyncObserver {
  onSyncStart?(): void
  onSyncEnd?(): void
}

export class SyncLane {
  readonly #onFailure: (failure: FileFailure) => void
  readonly #onDone: () => void
  readonly #observer: SyncObserver
  #isBusy = false
  #lastUser: LaneUser = "derived"
  /** Whether the log leaves the next sync to the others. */
  #isAsked = false
  #failure: FileFailure | undefined = undefined

  /** `onFailure` is told of the first failed sync, `onDone` of each that has ended, after all others. */
  constructor(onFailure: (failure: FileFailure) => void, onDone: () => void, observer: SyncObserver = {}) {
    this.#onFailure = onFailure
    this.#onDone = onDone
    this.#observer = observer
  }

  isFreeFor(user: LaneUser): boolean {
    return !this.#isBusy && this.#failure === undefined && !(user === "log" && this.#isAsked)
  }

  get isBusy(): boolean {
    return this.#isBusy
  }

  /** Asks for the next sync for what is made from the log. Whoever had the lane last gets no second turn by asking. */
  ask(): void {
    this.#isAsked = this.#lastUser === "log"
  }

  /** Takes the question back: there is nothing to sync after all. Returns whether the log had left its turn. */
  withdraw(): boolean {
    const wasAsked = this.#isAsked
    this.#isAsked = false
    return wasAsked
  }

  /** Starts a sync. `onSuccess` runs when it has ended well and no sync before it has failed. */
  run(user: LaneUser, start: (done: SyncDone) => void, onSuccess: () => void): void {
    this.#isBusy = true
    this.#lastUser = user
    this.#isAsked = false
    this.#observer.onSyncStart?.()
    start((failure) => {
      this.#observer.onSyncEnd?.()
      this.#isBusy = false
      if (failure !== undefined && this.#failure === undefined) {
        this.#failure = failure
        this.#onFailure(failure)
      }
      if (this.#failure === undefined) {
        onSuccess()
      }
      this.#onDone()
    })
  }
}
