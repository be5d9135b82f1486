/**
 * The messages of one queue of one topic, in order: a list of places in the commit log. It can always be rebuilt from
 * the log. Offsets count entries; bytes appear only in this file.
 */
import { getInt64, putInt64 } from "../mapped/BigEndian.ts"
import type { FileWindow } from "../mapped/FileSystem.ts"
import type { MappedFile } from "../mapped/MappedFile.ts"
import type { MappedFileQueue } from "../mapped/MappedFileQueue.ts"
import { type ConsumeQueueExt, type ExtUnit, makeUnit, NO_BITS } from "./ConsumeQueueExt.ts"
import * as EntryDescriptor from "./EntryDescriptor.ts"
import * as ExtAddress from "./ExtAddress.ts"

const ENTRY = EntryDescriptor.LENGTH
/** Entries that are read at a time where all are looked at. */
const ENTRIES_READ = 200

/** An entry that was read; reused by its reader. */
export interface QueueEntry {
  position: number
  size: number
  tagsCode: number
}

/** What an entry of a batch consume queue, or the unit of an extended one, says besides. */
export interface EntryPart {
  readonly storeTimestamp: number
  /** Number of messages, which have offsets in a row. */
  readonly count: number
  /** What a filter has computed of the message. */
  readonly bits: Uint8Array
}

export class ConsumeQueue {
  readonly topic: string
  readonly queueId: number
  readonly files: MappedFileQueue
  /** Offset of the first entry whose record is still kept. */
  minOffset: number = 0
  /** End of the last record that has an entry: the log is dispatched to this queue up to here. */
  maxPosition: number = -1
  /** Where entries have what they have no room for. */
  readonly ext: ConsumeQueueExt | undefined

  constructor(topic: string, queueId: number, files: MappedFileQueue, ext?: ConsumeQueueExt) {
    this.topic = topic
    this.queueId = queueId
    this.files = files
    this.ext = ext
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
  append(queueOffset: number, position: number, size: number, tagsCode: number, part?: EntryPart): void {
    const at = queueOffset * ENTRY
    const end = this.files.maxOffset
    if (position + size <= this.maxPosition || at < end) {
      return
    }
    if (at > end) {
      this.#fill(queueOffset)
    }
    const file = this.files.fileForAppend(at)
    const unitAt = this.ext === undefined || part === undefined ? -1 : this.ext.append(tagsCode, part)
    write(file, file.wrotePosition, position, size, tagsCode, unitAt)
    file.wrotePosition += ENTRY
    this.maxPosition = position + size
  }

  #fill(queueOffset: number): void {
    const isEmpty = this.files.lastFile === undefined
    let file = this.files.fileForAppend(queueOffset * ENTRY)
    while (file.fromOffset + file.wrotePosition < queueOffset * ENTRY) {
      write(file, file.wrotePosition, 0, EntryDescriptor.FILLER_SIZE, 0, -1)
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

  /** Reads entries from a slot on, up to the first that was never written: its slot, which is where the queue ends. */
  findEnd(from: number): number {
    const entry: QueueEntry = { position: 0, size: 0, tagsCode: 0 }
    const { endSlot, entryLength, files } = this
    for (let slot = from; slot < endSlot;) {
      const file = files.find(slot * entryLength)
      if (file === undefined) {
        return slot
      }
      const offset = slot * entryLength - file.fromOffset
      // Part by part: mapped files grow with what is asked of them.
      const count = Math.min(endSlot - slot, ENTRIES_READ, (file.length - offset) / entryLength)
      const window = file.read(offset, count * entryLength)
      for (let index = 0; index < count; index++) {
        this.decode(window, offset + index * entryLength, entry)
        if (!isWritten(entry)) {
          return slot + index
        }
        if (!isFiller(entry)) {
          this.maxPosition = entry.position + entry.size
        }
      }
      slot += count
    }
    return endSlot
  }

  /** Decodes the entry at `offset` of a file of the queue, which the window shows. */
  decode(window: FileWindow, offset: number, entry: QueueEntry): void {
    decode(window, offset, entry)
  }

  /** Position of the unit that the entry in a slot, which was read, has in the extended queue; -1 where it has none. */
  unitPositionOf(slot: number): number {
    const at = slot * ENTRY
    const file = this.files.find(at)
    if (file === undefined) {
      return -1
    }
    const { base, view } = file.read(at - file.fromOffset, ENTRY)
    return ExtAddress.read(view, at - file.fromOffset - base + EntryDescriptor.TAGS_CODE_OFFSET)
  }

  /** Tags code of an entry that was read from a slot; undefined where only its record has it. */
  tagsCodeOf(slot: number, { tagsCode }: Readonly<QueueEntry>): number | undefined {
    if (tagsCode > EntryDescriptor.EXTENSION_ADDRESS_MAX) {
      return tagsCode
    }
    return this.ext?.read(this.unitPositionOf(slot), unit) === true ? unit.tagsCode : undefined
  }

  /** Bits that a filter has computed of the message of an entry that was read from a slot; none where there are none. */
  bitsOf(slot: number, { tagsCode }: Readonly<QueueEntry>): Uint8Array {
    const isExtended = tagsCode <= EntryDescriptor.EXTENSION_ADDRESS_MAX
    return isExtended && this.ext?.read(this.unitPositionOf(slot), unit) === true ? unit.bits : NO_BITS
  }

  /** Writes an entry anew: with its tags code, where its unit is lost. Throws `FileFailure`. */
  rewriteEntry(slot: number, { position, size, tagsCode }: Readonly<QueueEntry>): void {
    const at = slot * ENTRY
    const file = this.files.find(at)
    if (file !== undefined) {
      write(file, at - file.fromOffset, position, size, tagsCode, -1)
      this.files.markUnflushed(at)
    }
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

const unit: ExtUnit = makeUnit()

/** `unitAt` is where the tags code stands instead; -1 for in the entry. */
const write = (
  file: MappedFile,
  offset: number,
  position: number,
  size: number,
  tagsCode: number,
  unitAt: number
): void => {
  const { base, view } = file.claim(offset, ENTRY)
  const at = offset - base
  putInt64(view, at + EntryDescriptor.POSITION_OFFSET, position)
  if (unitAt < 0) {
    putInt64(view, at + EntryDescriptor.TAGS_CODE_OFFSET, tagsCode)
  } else {
    ExtAddress.write(view, at + EntryDescriptor.TAGS_CODE_OFFSET, unitAt)
  }
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
