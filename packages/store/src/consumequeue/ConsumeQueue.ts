/**
 * The messages of one queue of one topic, in order: a list of places in the commit log. It can always be rebuilt from
 * the log. Offsets count entries; bytes appear only in this file.
 */
import { getInt64, putInt64 } from "../mapped/BigEndian.ts"
import type { FileWindow } from "../mapped/FileSystem.ts"
import type { MappedFile } from "../mapped/MappedFile.ts"
import type { MappedFileQueue } from "../mapped/MappedFileQueue.ts"
import * as EntryDescriptor from "./EntryDescriptor.ts"

const ENTRY = EntryDescriptor.LENGTH

/** An entry that was read; reused by its reader. */
export interface QueueEntry {
  position: number
  size: number
  tagsCode: number
}

/** What an entry of a batch consume queue says besides. */
export interface BatchPart {
  readonly storeTimestamp: number
  /** Number of messages, which have offsets in a row. */
  readonly count: number
}

export class ConsumeQueue {
  readonly topic: string
  readonly queueId: number
  readonly files: MappedFileQueue
  /** Offset of the first entry whose record is still kept. */
  minOffset: number = 0
  /** End of the last record that has an entry: the log is dispatched to this queue up to here. */
  maxPosition: number = -1

  constructor(topic: string, queueId: number, files: MappedFileQueue) {
    this.topic = topic
    this.queueId = queueId
    this.files = files
  }

  /** Length of an entry. Entries are counted in slots: slot n is at byte n times this. */
  get entryLength(): number {
    return ENTRY
  }

  /** Offset behind the last message. */
  get maxOffset(): number {
    return this.endSlot
  }

  /** The first slot that is kept. */
  get firstSlot(): number {
    return this.files.minOffset / this.entryLength
  }

  /** The slot behind the last entry. */
  get endSlot(): number {
    return this.files.maxOffset / this.entryLength
  }

  /** The slot of the entry that stands for the message at an offset. */
  slotOf(queueOffset: number): number {
    return queueOffset
  }

  /** Offset of the first message that the entry in a slot stands for; of the end of the queue for the slot behind the last. */
  offsetOf(slot: number): number {
    return slot
  }

  /** Offset behind the last message that the entry in a slot stands for. */
  endOf(slot: number): number {
    return slot + 1
  }

  /**
   * Adds the entry of a record; one that is there already is left alone, which is what makes dispatching a part of the
   * log twice harmless. Where entries before it are missing their slots get fillers: an offset always means the same
   * message. Throws `FileFailure`.
   */
  append(queueOffset: number, position: number, size: number, tagsCode: number, _batch?: BatchPart): void {
    if (position + size <= this.maxPosition || queueOffset < this.maxOffset) {
      return
    }
    if (queueOffset > this.maxOffset) {
      this.#fill(queueOffset)
    }
    const file = this.files.fileForAppend(queueOffset * ENTRY)
    write(file, file.wrotePosition, position, size, tagsCode)
    file.wrotePosition += ENTRY
    this.maxPosition = position + size
  }

  #fill(queueOffset: number): void {
    const isEmpty = this.files.lastFile === undefined
    let file = this.files.fileForAppend(queueOffset * ENTRY)
    while (file.fromOffset + file.wrotePosition < queueOffset * ENTRY) {
      write(file, file.wrotePosition, 0, EntryDescriptor.FILLER_SIZE, 0)
      file.wrotePosition += ENTRY
      file = this.files.fileForAppend(queueOffset * ENTRY)
    }
    if (isEmpty) {
      this.minOffset = queueOffset
    }
  }

  /** Reads the entry of the message at `queueOffset`. False where it is outside the queue or its file is gone. */
  read(queueOffset: number, entry: QueueEntry): boolean {
    return queueOffset >= 0 && queueOffset < this.maxOffset && this.readSlot(this.slotOf(queueOffset), entry)
  }

  /** Reads the entry in a slot. False where it is outside the queue or its file is gone. */
  readSlot(slot: number, entry: QueueEntry): boolean {
    if (slot < 0 || slot >= this.endSlot) {
      return false
    }
    const at = slot * this.entryLength
    const file = this.files.find(at)
    if (file === undefined) {
      return false
    }
    const offset = at - file.fromOffset
    this.decode(file.read(offset, this.entryLength), offset, entry)
    return true
  }

  protected decode(window: FileWindow, offset: number, entry: QueueEntry): void {
    decode(window, offset, entry)
  }

  /** The first slot in the file behind the one that holds `slot`. */
  nextFileSlot(slot: number): number {
    const perFile = this.files.fileLength / this.entryLength
    return (Math.floor(slot / perFile) + 1) * perFile
  }

  /** Ends the queue at a slot. */
  truncate(slot: number): void {
    this.files.truncate(slot * this.entryLength)
    this.minOffset = Math.min(this.minOffset, this.maxOffset)
  }
}

export const isFiller = (entry: QueueEntry): boolean =>
  entry.position === 0 && entry.size === EntryDescriptor.FILLER_SIZE

/** Whether the entry was ever written: a slot of a fresh file is all zeros. */
export const isWritten = (entry: QueueEntry): boolean => entry.position >= 0 && entry.size > 0

const write = (file: MappedFile, offset: number, position: number, size: number, tagsCode: number): void => {
  const { base, view } = file.claim(offset, ENTRY)
  const at = offset - base
  putInt64(view, at + EntryDescriptor.POSITION_OFFSET, position)
  putInt64(view, at + EntryDescriptor.TAGS_CODE_OFFSET, tagsCode)
  // A process that reads beside this one takes a slot without a length for one that is not written yet.
  view.setInt32(at + EntryDescriptor.SIZE_OFFSET, size)
  file.publish(offset, ENTRY)
}

/** The bytes of an entry. */
export const encodeEntry = ({ position, size, tagsCode }: Readonly<QueueEntry>): Uint8Array => {
  const bytes = new Uint8Array(ENTRY)
  const view = new DataView(bytes.buffer)
  putInt64(view, EntryDescriptor.POSITION_OFFSET, position)
  view.setInt32(EntryDescriptor.SIZE_OFFSET, size)
  putInt64(view, EntryDescriptor.TAGS_CODE_OFFSET, tagsCode)
  return bytes
}

const decode = ({ base, view }: FileWindow, offset: number, entry: QueueEntry): void => {
  const at = offset - base
  entry.position = getInt64(view, at + EntryDescriptor.POSITION_OFFSET)
  entry.size = view.getInt32(at + EntryDescriptor.SIZE_OFFSET)
  entry.tagsCode = getInt64(view, at + EntryDescriptor.TAGS_CODE_OFFSET)
}
