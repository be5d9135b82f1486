/**
 * The port through which the conductor gets log buffers. Reserving the blocks of a file can take long, so a log is
 * asked for in one tick and found ready in a later one.
 */
import type { Region } from "@millrace/core/kernel/memory/Region"
import * as ErrorCode from "../command/ErrorCode.ts"
import { ControlProtocolError } from "./ControlProtocolError.ts"

export type LogKind = "publication" | "image"

export interface LogRequest {
  readonly kind: LogKind
  /** Names the file. */
  readonly registrationId: bigint
  readonly termLength: number
  /** Only the length is set and no blocks are taken: a full file system then ends the process at the first touch. */
  readonly isSparse: boolean
}

/** Memory for a log, every byte zero. */
export interface RawLog {
  /** The path that clients map. */
  readonly fileName: string
  readonly region: Region
  /** Unmaps the log and removes its file. False = not possible now, to be tried again. */
  free(): boolean
}

/** Why there is no log: too little room, or whatever else the system said. */
export interface LogFailure {
  readonly isStorageSpace: boolean
  readonly message: string
}

export interface PendingLog {
  /** undefined while the log is being made. */
  poll(): RawLog | LogFailure | undefined
  /** Nobody wants the log any more, and `poll` is not called again: it goes as soon as it is there. */
  abandon(): void
}

export const isFailure = (result: RawLog | LogFailure): result is LogFailure => "isStorageSpace" in result

/** What a client is told who asked for the log. */
export const refusalOf = ({ isStorageSpace, message }: LogFailure): ControlProtocolError =>
  new ControlProtocolError(isStorageSpace ? ErrorCode.STORAGE_SPACE : ErrorCode.GENERIC_ERROR, message)

export interface LogFactory {
  create(request: LogRequest): PendingLog
}
