/**
 * One sync at a time for the whole store: they run in the process's thread pool of four, and two of one store would only
 * wait for the same device while files, zlib and other stores wait for a thread.
 *
 * A failed sync ends the lane: the kernel marks pages clean that never reached the device, so no later success of a sync
 * says anything about them.
 */
import type { FileFailure, SyncDone } from "../mapped/FileSystem.ts"

export class SyncLane {
  readonly #onFailure: (failure: FileFailure) => void
  readonly #onDone: () => void
  #isBusy = false
  #failure: FileFailure | undefined = undefined

  /** `onFailure` is told of the first failed sync, `onDone` of each that has ended. */
  constructor(onFailure: (failure: FileFailure) => void, onDone: () => void) {
    this.#onFailure = onFailure
    this.#onDone = onDone
  }

  get isFree(): boolean {
    return !this.#isBusy && this.#failure === undefined
  }

  get isBusy(): boolean {
    return this.#isBusy
  }

  /** Starts a sync. `onSuccess` runs when it has ended well and no sync before it has failed. */
  run(start: (done: SyncDone) => void, onSuccess: () => void): void {
    this.#isBusy = true
    start((failure) => {
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
