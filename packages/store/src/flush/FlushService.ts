/** Brings what was appended to the device: when, is what tells the services apart. */
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import type { FileFailure } from "../mapped/FileSystem.ts"

/** `undefined` when everything up to the position asked for is on the device. */
export type FlushDone = (failure: FileFailure | undefined) => void

export interface FlushService extends Agent {
  /** Something was appended to the log. */
  onAppend(): void
  /** Has `done` called once everything before `position` is on the device. Returns a way to stop waiting. */
  whenFlushed(position: number, done: FlushDone): () => void
  /** Whether somebody waits. */
  readonly isAsked: boolean
  /** The device has failed: whoever waits is told, now and later. */
  onFailure(failure: FileFailure): void
}
