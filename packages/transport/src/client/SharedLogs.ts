/**
 * The logs a client has mapped. Publications and images of one stream share one mapping. A log that nobody uses any
 * more lingers, so that a batch which was borrowed from it a moment ago is still there.
 */
import { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import { assert } from "@millrace/core/kernel/memory/Assert"
import type { Region } from "@millrace/core/kernel/memory/Region"

/** The port: maps the file of a log. Throws what the system says, with its `code`. */
export type LogMapper = (fileName: string) => Region

/** Whether an error of the mapper says that the file is not there: the driver has deleted it. */
export const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT"

export class SharedLog {
  readonly registrationId: bigint
  readonly buffers: LogBuffers
  references = 0
  lingerEndNs = Infinity

  constructor(registrationId: bigint, buffers: LogBuffers) {
    this.registrationId = registrationId
    this.buffers = buffers
  }
}

export class SharedLogs {
  private readonly map: LogMapper
  private readonly lingerNs: number
  private readonly logs = new Map<bigint, SharedLog>()

  constructor(map: LogMapper, lingerNs: number) {
    this.map = map
    this.lingerNs = lingerNs
  }

  acquire(registrationId: bigint, fileName: string): SharedLog {
    let log = this.logs.get(registrationId)
    if (log === undefined) {
      log = new SharedLog(registrationId, this.open(fileName))
      this.logs.set(registrationId, log)
    }
    log.references++
    log.lingerEndNs = Infinity
    return log
  }

  release(log: SharedLog, nowNs: number): void {
    assert(log.references > 0, "a log is released as often as it was acquired")
    log.references--
    if (log.references === 0) {
      log.lingerEndNs = nowNs + this.lingerNs
    }
  }

  /** Unmaps what has lingered long enough. */
  checkLinger(nowNs: number): void {
    for (const log of this.logs.values()) {
      if (nowNs >= log.lingerEndNs) {
        this.logs.delete(log.registrationId)
        log.buffers.close()
      }
    }
  }

  /** Nobody uses any log from now on; each lingers. */
  releaseAll(nowNs: number): void {
    for (const log of this.logs.values()) {
      log.references = 0
      log.lingerEndNs = Math.min(log.lingerEndNs, nowNs + this.lingerNs)
    }
  }

  closeAll(): void {
    for (const log of this.logs.values()) {
      log.buffers.close()
    }
    this.logs.clear()
  }

  private open(fileName: string): LogBuffers {
    const region = this.map(fileName)
    try {
      return new LogBuffers(region)
    } catch (error) {
      region.close()
      throw error
    }
  }
}
