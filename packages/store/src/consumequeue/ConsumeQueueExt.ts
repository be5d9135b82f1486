/**
 * The extended queue beside a consume queue (`enableConsumeQueueExt`): a unit for each message, with its tags code, its
 * store time and the bits that a filter has computed of it. A unit is only ever found by the address in an entry, so one
 * without an entry is in nobody's way, and an entry without its unit falls back on the record itself.
 */
import { getInt64, putInt64 } from "../mapped/BigEndian.ts"
import type { FileWindow } from "../mapped/FileSystem.ts"
import type { MappedFile } from "../mapped/MappedFile.ts"
import type { MappedFileQueue } from "../mapped/MappedFileQueue.ts"
import { isZero } from "../mapped/ZeroBytes.ts"
import * as ExtUnitDescriptor from "./ExtUnitDescriptor.ts"

/** A unit that was read; reused by its reader. */
export interface ExtUnit {
  tagsCode: number
  storeTimestamp: number
  /** Bits of a filter. Valid until the step of the store that has read them ends. */
  bits: Uint8Array
}

/** What the unit of a message has beside its tags code. */
export interface UnitPart {
  readonly storeTimestamp: number
  readonly bits: Uint8Array
}

export const makeUnit = (): ExtUnit => ({ tagsCode: 0, storeTimestamp: 0, bits: NO_BITS })

/** Of a unit that no filter has computed anything for. */
export const NO_BITS: Uint8Array = new Uint8Array(0)

/** There is no room for such a unit: its entry has the tags code itself. */
export const TOO_LONG = -1

export class ConsumeQueueExt {
  readonly files: MappedFileQueue
  readonly #readOnly: boolean
  /** Where units begin when there is no file. */
  #start = 0
  /** Who only reads has looked for files up to here. */
  #soughtTo = 0

  /** `readOnly` is for who reads beside a process that writes: files are opened when they are asked for. */
  constructor(files: MappedFileQueue, readOnly: boolean) {
    this.files = files
    this.#readOnly = readOnly
  }

  /** Adds a unit. Returns its position, or `TOO_LONG`. Throws `FileFailure`. */
  append(tagsCode: number, { bits, storeTimestamp }: UnitPart): number {
    const length = ExtUnitDescriptor.LENGTH_MIN + bits.length
    if (length > Math.min(ExtUnitDescriptor.LENGTH_MAX, this.files.fileLength - ExtUnitDescriptor.END_LENGTH)) {
      return TOO_LONG
    }
    const file = this.#fileFor(length)
    const offset = file.wrotePosition
    const { base, bytes, view } = file.claim(offset, length)
    const at = offset - base
    putInt64(view, at + ExtUnitDescriptor.TAGS_CODE_OFFSET, tagsCode)
    putInt64(view, at + ExtUnitDescriptor.STORE_TIMESTAMP_OFFSET, storeTimestamp)
    view.setInt16(at + ExtUnitDescriptor.BITS_LENGTH_OFFSET, bits.length)
    bytes.set(bits, at + ExtUnitDescriptor.BITS_OFFSET)
    view.setInt16(at + ExtUnitDescriptor.LENGTH_OFFSET, length)
    file.publish(offset, length)
    file.wrotePosition = offset + length
    return file.fromOffset + offset
  }

  /** The file to write a unit to: the last one, or the next where the rest of that is too short. */
  #fileFor(length: number): MappedFile {
    const file = this.files.fileForAppend(this.#start)
    const offset = file.wrotePosition
    if (offset + length <= file.length - ExtUnitDescriptor.END_LENGTH) {
      return file
    }
    const { base, view } = file.claim(offset, 2)
    view.setInt16(offset - base, ExtUnitDescriptor.END_MARK)
    file.publish(offset, 2)
    file.wrotePosition = file.length
    return this.files.fileForAppend(this.#start)
  }

  /** Reads the unit at a position. False where none stands there. */
  read(position: number, unit: ExtUnit): boolean {
    const file = this.#find(position)
    if (file === undefined) {
      return false
    }
    const offset = position - file.fromOffset
    const length = lengthAt(file, offset)
    if (length < ExtUnitDescriptor.LENGTH_MIN) {
      return false
    }
    return decode(file.read(offset, length), offset, length, unit)
  }

  #find(position: number): MappedFile | undefined {
    const file = this.files.find(position)
    if (file === undefined && this.#readOnly && position >= this.#soughtTo) {
      this.#soughtTo = position + 1
      this.files.refresh()
      return this.files.find(position)
    }
    return file
  }

  /** Position behind the unit at `position`, -1 where none stands there. */
  endOf(position: number): number {
    const file = this.files.find(position)
    const length = file === undefined ? 0 : lengthAt(file, position - file.fromOffset)
    return length < ExtUnitDescriptor.LENGTH_MIN ? -1 : position + length
  }

  /** Position behind the last unit of the last file: for a queue none of whose entries says where that is. */
  findEnd(): number {
    const file = this.files.lastFile
    if (file === undefined) {
      return 0
    }
    let offset = 0
    let length = lengthAt(file, offset)
    while (length >= ExtUnitDescriptor.LENGTH_MIN) {
      offset += length
      length = lengthAt(file, offset)
    }
    return file.fromOffset + (length === ExtUnitDescriptor.END_MARK ? file.length : offset)
  }

  /** Ends the queue at a position, with nothing behind it that could be taken for a unit. Throws `FileFailure`. */
  truncate(position: number): void {
    this.files.truncate(position)
    const file = this.files.find(position)
    if (file === undefined) {
      return
    }
    const offset = position - file.fromOffset
    const rest = Math.min(ExtUnitDescriptor.LENGTH_MIN, file.length - offset)
    const { base, bytes } = file.read(offset, rest)
    if (!isZero(bytes, offset - base, offset - base + rest)) {
      file.file.clear(offset, file.length - offset)
      this.files.markUnflushed(position)
    }
  }

  /** Removes files whose units all stand before `position`. The last file stays. Throws `FileFailure`. */
  removeBefore(position: number): void {
    const { files } = this
    while (files.files.length > 1 && files.minOffset + files.fileLength < position) {
      files.removeFirst()
    }
  }

  /** Removes all files and begins anew behind `position`, -1 for at 0: no address means two units. Throws `FileFailure`. */
  restart(position: number): void {
    while (this.files.files.length > 0) {
      this.files.removeFirst()
    }
    this.#start = (Math.floor(position / this.files.fileLength) + 1) * this.files.fileLength
    this.files.flushedWhere = this.#start
  }
}

/** What stands in the place of a length; 0 for one that reaches outside its file. */
const lengthAt = (file: MappedFile, offset: number): number => {
  if (offset + ExtUnitDescriptor.END_LENGTH > file.length) {
    return 0
  }
  const { base, view } = file.read(offset, 2)
  const length = view.getInt16(offset - base + ExtUnitDescriptor.LENGTH_OFFSET)
  return offset + length > file.length - ExtUnitDescriptor.END_LENGTH ? 0 : length
}

/** Reads a unit of `length` bytes at `offset` of its file. False where it says another length of its bits. */
export const decode = ({ base, bytes, view }: FileWindow, offset: number, length: number, unit: ExtUnit): boolean => {
  const at = offset - base
  const bitsLength = view.getInt16(at + ExtUnitDescriptor.BITS_LENGTH_OFFSET)
  if (ExtUnitDescriptor.LENGTH_MIN + bitsLength !== length) {
    return false
  }
  unit.tagsCode = getInt64(view, at + ExtUnitDescriptor.TAGS_CODE_OFFSET)
  unit.storeTimestamp = getInt64(view, at + ExtUnitDescriptor.STORE_TIMESTAMP_OFFSET)
  const bitsAt = at + ExtUnitDescriptor.BITS_OFFSET
  unit.bits = bitsLength === 0 ? NO_BITS : bytes.subarray(bitsAt, bitsAt + bitsLength)
  return true
}
