/** A log in plain JavaScript: the arithmetic of claims over a list of entries. */
import { alignFrame } from "../../src/logbuffer/FrameDescriptor.ts"
import * as LogBufferDescriptor from "../../src/logbuffer/LogBufferDescriptor.ts"
import { ADMIN_ACTION, MAX_POSITION_EXCEEDED } from "../../src/logbuffer/OfferResult.ts"

export interface Entry {
  readonly position: number
  /** Their bytes as Latin-1 text: compared faster than arrays, and printed short. */
  readonly messages: ReadonlyArray<string>
  state: "open" | "published" | "padding"
}

export class LogModel {
  readonly termLength: number
  readonly maxPayloadLength: number
  /** What is claimed and not read yet, in the order of the log. */
  entries: Array<Entry> = []
  position: number
  readPosition: number

  constructor(termLength: number, mtuLength: number, position: number) {
    this.termLength = termLength
    this.maxPayloadLength = mtuLength - 32
    this.position = position
    this.readPosition = position
  }

  framedLength(length: number): number {
    let framed = 0
    let rest = length
    do {
      const payload = Math.min(rest, this.maxPayloadLength)
      framed += alignFrame(payload + 32)
      rest -= payload
    } while (rest > 0)
    return framed
  }

  /** What an append answers; the entry is the last of `entries` when that is a position. */
  claim(length: number, messages: ReadonlyArray<string>, state: Entry["state"]): number {
    const remaining = this.termLength - (this.position % this.termLength || this.remainder())
    if (length > remaining) {
      this.position += remaining
      if (remaining > 0) {
        this.entries.push({ position: this.position, messages: [], state: "padding" })
      }
      this.atEnd = true
      if (this.position >= LogBufferDescriptor.positionMax(this.termLength)) {
        return MAX_POSITION_EXCEEDED
      }
      this.atEnd = false
      return ADMIN_ACTION
    }
    this.position += length
    this.atEnd = length === remaining
    this.entries.push({ position: this.position, messages, state })
    return this.position
  }

  /** Every message up to the first claim that is open, in batches as a borrower of the log gets them. */
  read(): ReadonlyArray<string> {
    const messages: Array<string> = []
    while (this.entries.length > 0 && this.entries[0]!.state !== "open") {
      const entry = this.entries.shift()!
      this.readPosition = entry.position
      if (entry.state === "published") {
        messages.push(...entry.messages)
      }
    }
    return messages
  }

  /** At a multiple of the term length: in the term that ends there, until the log is rotated. */
  private atEnd = false

  private remainder(): number {
    return this.atEnd ? this.termLength : 0
  }
}
