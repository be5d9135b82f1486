/**
 * Where the sender and the receiver find what the conductor made for them. An agent shares no object with another, only
 * memory and descriptors: what it is told names logs by their files, counters by their ids, and endpoints by theirs.
 */
import { AtomicCounter } from "@millrace/core/kernel/counters/AtomicCounter"
import type { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import type { SocketHandle, UdpSocket } from "../media/UdpPort.ts"

export interface AgentResources {
  counter(id: number): AtomicCounter
  /** Maps the log that the conductor made. Throws when that is not possible. */
  openLog(fileName: string): LogBuffers
  /** The agent does not touch the log any more. */
  closeLog(log: LogBuffers): void
  /** The socket that the conductor opened for this endpoint. */
  openSocket(endpointId: number, handle: SocketHandle | undefined): UdpSocket
}

/** For agents on the conductor's own thread: the very logs and sockets that it made. */
export class SharedResources implements AgentResources {
  private readonly values: AtomicBuffer
  private readonly logs = new Map<string, LogBuffers>()
  private readonly sockets = new Map<number, UdpSocket>()

  constructor(countersValues: AtomicBuffer) {
    this.values = countersValues
  }

  addLog(fileName: string, log: LogBuffers): void {
    this.logs.set(fileName, log)
  }

  removeLog(fileName: string): void {
    this.logs.delete(fileName)
  }

  addSocket(endpointId: number, socket: UdpSocket): void {
    this.sockets.set(endpointId, socket)
  }

  removeSocket(endpointId: number): void {
    this.sockets.delete(endpointId)
  }

  counter(id: number): AtomicCounter {
    return new AtomicCounter(this.values, id)
  }

  openLog(fileName: string): LogBuffers {
    const log = this.logs.get(fileName)
    if (log === undefined) {
      throw new Error(`the conductor has no log ${fileName}`)
    }
    return log
  }

  closeLog(): void {}

  openSocket(endpointId: number): UdpSocket {
    const socket = this.sockets.get(endpointId)
    if (socket === undefined) {
      throw new Error(`the conductor has no endpoint ${endpointId}`)
    }
    return socket
  }
}
