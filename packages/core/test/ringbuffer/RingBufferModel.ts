/** A ring in plain JavaScript: the arithmetic of claims over a list of records. */
import { Action } from "../../src/ringbuffer/ControlledMessageHandler.ts"

export interface ModelRecord {
  readonly position: number
  readonly alignedLength: number
  readonly typeId: number
  readonly message: ReadonlyArray<number>
  state: "open" | "message" | "padding"
}

export class RingBufferModel {
  readonly capacity: number
  /** Bytes a claim needs beyond its record: the next header in a one-to-one ring. */
  readonly reserve: number
  head: number
  tail: number
  records: Array<ModelRecord> = []

  constructor(capacity: number, reserve: number, start: number) {
    this.capacity = capacity
    this.reserve = reserve
    this.head = start
    this.tail = start
  }

  claim(typeId: number, message: ReadonlyArray<number>): ModelRecord | undefined {
    const alignedLength = Math.ceil((message.length + 8) / 8) * 8
    const required = alignedLength + this.reserve
    if (required > this.capacity - (this.tail - this.head)) {
      return undefined
    }
    const toEnd = this.capacity - (this.tail % this.capacity)
    if (alignedLength > toEnd) {
      this.push(toEnd, -1, [], "padding")
      if (required > this.head % this.capacity) {
        return undefined
      }
    }
    return this.push(alignedLength, typeId, message, "open")
  }

  /** What a read with these actions hands out; actions that run out go on. */
  read(limit: number, actions: ReadonlyArray<Action>): Array<ModelRecord> {
    const seen: Array<ModelRecord> = []
    let room = this.capacity - (this.head % this.capacity)
    let read = 0
    while (room > 0 && read < limit) {
      const record = this.records[0]
      if (record === undefined || record.state === "open") {
        break
      }
      if (record.state === "message") {
        seen.push(record)
        const action = actions[seen.length - 1] ?? Action.CONTINUE
        if (action === Action.ABORT) {
          break
        }
        read++
        this.consume(record)
        if (action === Action.BREAK) {
          break
        }
      } else {
        this.consume(record)
      }
      room -= record.alignedLength
    }
    return seen
  }

  unblock(): boolean {
    const record = this.records[0]
    if (record?.state !== "open") {
      return false
    }
    record.state = "padding"
    return true
  }

  private consume(record: ModelRecord): void {
    this.records.shift()
    this.head += record.alignedLength
  }

  private push(
    alignedLength: number,
    typeId: number,
    message: ReadonlyArray<number>,
    state: ModelRecord["state"]
  ): ModelRecord {
    const record: ModelRecord = { position: this.tail, alignedLength, typeId, message, state }
    this.records.push(record)
    this.tail += alignedLength
    return record
  }
}
