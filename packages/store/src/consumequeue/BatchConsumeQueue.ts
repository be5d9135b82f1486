/**
 * The queue of a topic whose messages come as inner batches: an entry stands for all messages of one record. Offsets
 * count messages, so the entry of an offset is searched for; entries are ordered by offset as they are by position.
 */
import { assert } from "@millrace/core/kernel/memory/Assert"
import { getInt64, putInt64 } from "../mapped/BigEndian.ts"
import type { FileWindow } from "../mapped/FileSystem.ts"
import type { MappedFile } from "../mapped/MappedFile.ts"
import * as BatchEntryDescriptor from "./BatchEntryDescriptor.ts"
import { ConsumeQueue, type EntryPart, type QueueEntry } from "./ConsumeQueue.ts"

const ENTRY = BatchEntryDescriptor.LENGTH

export class BatchConsumeQueue extends ConsumeQueue {
  /** Where the last search has ended: readers go on from there. */
  #hint = 0

  override get entryLength(): number {
    return ENTRY
  }

  override get maxOffset(): number {
    const { endSlot } = this
    return endSlot > this.firstSlot ? this.endOf(endSlot - 1) : 0
  }

  /** The slot of the first entry that ends behind an offset, which need not begin at or before it: there may be gaps. */
  override slotOf(queueOffset: number): number {
    const { endSlot, firstSlot } = this
    for (let slot = Math.max(firstSlot, this.#hint); slot < Math.min(endSlot, this.#hint + 2); slot++) {
      if (this.endOf(slot) > queueOffset && (slot === firstSlot || this.endOf(slot - 1) <= queueOffset)) {
        this.#hint = slot
        return slot
      }
    }
    let low = firstSlot
    let high = endSlot
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (this.endOf(middle) > queueOffset) {
        high = middle
      } else {
        low = middle + 1
      }
    }
    this.#hint = low
    return low
  }

  override offsetOf(slot: number): number {
    if (slot >= this.endSlot) {
      return this.maxOffset
    }
    const { base, view } = this.#window(slot)
    return getInt64(view, slot * ENTRY - base + BatchEntryDescriptor.BASE_OFFSET_OFFSET)
  }

  override endOf(slot: number): number {
    const { base, view } = this.#window(slot)
    const at = slot * ENTRY - base
    return (
      getInt64(view, at + BatchEntryDescriptor.BASE_OFFSET_OFFSET) +
      view.getInt16(at + BatchEntryDescriptor.COUNT_OFFSET)
    )
  }

  /** The bytes of an entry; `base` is the position of the view's first byte in the queue. */
  #window(slot: number): { readonly view: DataView; readonly base: number } {
    const at = slot * ENTRY
    const file = this.files.find(at)
    assert(file !== undefined, "an entry outside its queue")
    const { base, view } = file.read(at - file.fromOffset, ENTRY)
    return { view, base: base + file.fromOffset }
  }

  /** Batch consume queues have no extended ones. */
  override unitPositionOf(): number {
    return -1
  }

  override append(queueOffset: number, position: number, size: number, tagsCode: number, batch?: EntryPart): void {
    assert(batch !== undefined, "an entry of a batch consume queue without its batch")
    if (position + size <= this.maxPosition || queueOffset < this.maxOffset) {
      return
    }
    const isEmpty = this.endSlot === this.firstSlot
    const file = this.files.fileForAppend(this.files.maxOffset)
    write(file, file.wrotePosition, { position, size, tagsCode }, queueOffset, batch)
    file.wrotePosition += ENTRY
    this.maxPosition = position + size
    if (isEmpty) {
      this.minOffset = queueOffset
    }
  }

  /** An entry that stands for no messages counts as not written, as it does in RocketMQ. */
  override decode({ base, view }: FileWindow, offset: number, entry: QueueEntry): void {
    const at = offset - base
    const isWritten =
      view.getInt16(at + BatchEntryDescriptor.COUNT_OFFSET) > 0 &&
      getInt64(view, at + BatchEntryDescriptor.BASE_OFFSET_OFFSET) >= 0
    entry.position = getInt64(view, at + BatchEntryDescriptor.POSITION_OFFSET)
    entry.size = isWritten ? view.getInt32(at + BatchEntryDescriptor.SIZE_OFFSET) : 0
    entry.tagsCode = getInt64(view, at + BatchEntryDescriptor.TAGS_CODE_OFFSET)
  }
}

const write = (file: MappedFile, offset: number, entry: QueueEntry, queueOffset: number, batch: EntryPart): void => {
  const { base, view } = file.claim(offset, ENTRY)
  const at = offset - base
  putInt64(view, at + BatchEntryDescriptor.POSITION_OFFSET, entry.position)
  putInt64(view, at + BatchEntryDescriptor.TAGS_CODE_OFFSET, entry.tagsCode)
  putInt64(view, at + BatchEntryDescriptor.STORE_TIMESTAMP_OFFSET, batch.storeTimestamp)
  putInt64(view, at + BatchEntryDescriptor.BASE_OFFSET_OFFSET, queueOffset)
  view.setInt16(at + BatchEntryDescriptor.COUNT_OFFSET, batch.count)
  view.setInt32(at + BatchEntryDescriptor.COMPACTED_OFFSET_OFFSET, BatchEntryDescriptor.NOT_COMPACTED)
  view.setInt32(at + BatchEntryDescriptor.RESERVED_OFFSET, 0)
  // A process that reads beside this one takes a slot without a length for one that is not written yet.
  view.setInt32(at + BatchEntryDescriptor.SIZE_OFFSET, entry.size)
  file.publish(offset, ENTRY)
}
