/** What became of a message that was put. */
import type { FileFailure } from "../mapped/FileSystem.ts"

/** RocketMQ's statuses. Those of replication, timers and hooks belong to parts that ask for them. */
export type PutStatus =
  | "PUT_OK"
  | "FLUSH_DISK_TIMEOUT"
  | "FLUSH_SLAVE_TIMEOUT"
  | "SLAVE_NOT_AVAILABLE"
  | "SERVICE_NOT_AVAILABLE"
  | "CREATE_MAPPED_FILE_FAILED"
  | "MESSAGE_ILLEGAL"
  | "PROPERTIES_SIZE_EXCEEDED"
  | "OS_PAGE_CACHE_BUSY"
  | "UNKNOWN_ERROR"
  | "IN_SYNC_REPLICAS_NOT_ENOUGH"
  | "PUT_TO_REMOTE_BROKER_FAIL"
  | "LMQ_CONSUME_QUEUE_NUM_EXCEEDED"
  | "WHEEL_TIMER_FLOW_CONTROL"
  | "WHEEL_TIMER_MSG_ILLEGAL"
  | "WHEEL_TIMER_NOT_ENABLE"

/** Where the message is: on the device, or in memory that a crash of the machine (not of the process) loses. */
export type Durability = "memory" | "disk"

export class PutResult {
  status: PutStatus = "PUT_OK"
  durability: Durability = "memory"
  /** Position of the record in the log. */
  readonly position: number
  /** Length of the record in bytes. */
  readonly length: number
  readonly queueId: number
  readonly queueOffset: number
  readonly storeTimestamp: number

  constructor(position: number, length: number, queueId: number, queueOffset: number, storeTimestamp: number) {
    this.position = position
    this.length = length
    this.queueId = queueId
    this.queueOffset = queueOffset
    this.storeTimestamp = storeTimestamp
  }
}

/** A put that was refused. `stored` results say which messages before the refused one are stored. */
export class PutRefusal {
  readonly reason: RefusalReason
  readonly stored: ReadonlyArray<PutResult>

  constructor(reason: RefusalReason, stored: ReadonlyArray<PutResult>) {
    this.reason = reason
    this.stored = stored
  }
}

export type RefusalReason =
  | {
      readonly _tag: "Illegal"
      readonly index: number
      readonly code: number
      readonly size: number
      readonly limit: number
    }
  | { readonly _tag: "FileFailure"; readonly failure: FileFailure }
  | { readonly _tag: "NotWriteable"; readonly reason: string }
