/**
 * A piece of an image as it lies in its log: whole frames, headers and all, for a consumer that takes the log itself (a
 * recorder). One object serves for all blocks of an image: it and its bytes are valid during the handler's call alone.
 */
import * as DataFrame from "@millrace/core/kernel/frame/DataFrame"
import type { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"

/** Must not keep the block. */
export type BlockHandler = (block: LogBlock) => void

export class LogBlock {
  /** The file of the log. Its driver deletes it when nobody uses it any more; what is mapped or open stays readable. */
  readonly file: string
  readonly sessionId: number
  readonly streamId: number
  termId = 0
  /** Where the block begins: in its term, and in `bytes`. */
  termOffset = 0
  /** Where the block begins in `file`. */
  fileOffset = 0
  /** Bytes of the block: a multiple of 32. */
  length = 0
  /** The term that the block lies in. */
  bytes: Uint8Array<ArrayBufferLike>
  private readonly log: LogBuffers

  constructor(log: LogBuffers) {
    this.log = log
    this.file = log.region.state.name
    this.sessionId = log.sessionId
    this.streamId = log.streamId
    this.bytes = log.terms[0].bytes
  }

  wrap(partition: number, termOffset: number, length: number): this {
    const term = this.log.terms[partition]!
    this.bytes = term.bytes
    this.termId = DataFrame.termId(term, termOffset)
    this.termOffset = termOffset
    this.fileOffset = partition * this.log.termLength + termOffset
    this.length = length
    return this
  }
}
