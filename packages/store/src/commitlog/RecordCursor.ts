/**
 * A reusable view of one record inside a window of a file: where its fields are, without reading what is not asked for.
 * Places are computed from lengths that stand in the record, each held against the record's length first; that the record
 * lies within the window is what `RecordCheck` sees to.
 */
import { assert } from "@millrace/core/kernel/memory/Assert"
import * as HostAddress from "./HostAddress.ts"
import * as JavaString from "./JavaString.ts"
import { KeyPlaces } from "./KeyPlaces.ts"
import * as MessageId from "./MessageId.ts"
import * as MessageProperties from "./MessageProperties.ts"
import * as PropertyMap from "./PropertyMap.ts"
import * as RecordDescriptor from "./RecordDescriptor.ts"
import * as SysFlag from "./SysFlag.ts"
import { getInt64 } from "../mapped/BigEndian.ts"
import type { FileWindow } from "../mapped/FileSystem.ts"
import * as Utf8 from "./Utf8.ts"

const NO_BYTES = new Uint8Array(0)
const NO_VIEW = new DataView(new ArrayBuffer(0))
/** Where a property was found that is about to be decoded; of use only until the next search. */
const found: MessageProperties.PropertyRange = { start: 0, end: 0 }

export class RecordCursor {
  bytes: Uint8Array = NO_BYTES
  view: DataView = NO_VIEW
  /** Index of the record's first byte in `bytes`. */
  at: number = 0
  totalSize: number = 0
  bornHostLength: number = 0
  storeHostLength: number = 0
  bodyAt: number = 0
  bodyLength: number = 0
  topicAt: number = 0
  topicLength: number = 0
  propertiesAt: number = 0
  propertiesLength: number = 0
  #places: KeyPlaces | undefined = undefined
  #arePlacesKnown = false

  /** Points the cursor at the record at `offset` of the file that the window shows. */
  wrap(window: FileWindow, offset: number): this {
    assert(this.wrapIfWhole(window, offset), "a record whose lengths do not add up")
    return this
  }

  /**
   * As `wrap`, where it is not known to be one: says whether its length fields, none of which reaches beyond the length
   * that it says it has, add up to that. If not the cursor points at nothing of use.
   */
  wrapIfWhole({ base, bytes, view }: FileWindow, offset: number): boolean {
    const at = offset - base
    const totalSize = view.getInt32(at + RecordDescriptor.TOTAL_SIZE_OFFSET)
    const sysFlag = view.getInt32(at + RecordDescriptor.SYS_FLAG_OFFSET)
    const lengthLength = RecordDescriptor.topicLengthLength(view.getInt32(at + RecordDescriptor.MAGIC_OFFSET))
    this.bytes = bytes
    this.view = view
    this.at = at
    this.totalSize = totalSize
    this.bornHostLength = hostLength(sysFlag & SysFlag.BORN_HOST_IPV6)
    this.storeHostLength = hostLength(sysFlag & SysFlag.STORE_HOST_IPV6)
    this.#arePlacesKnown = false
    const hostsLength = this.bornHostLength + this.storeHostLength
    const bodyAt = RecordDescriptor.bodyOffset(hostsLength)
    const afterBody = totalSize - bodyAt - lengthLength - RecordDescriptor.PROPERTIES_LENGTH_LENGTH
    const bodyLength = afterBody < 0 ? -1 : view.getInt32(at + RecordDescriptor.bodyLengthOffset(hostsLength))
    if (bodyLength < 0 || bodyLength > afterBody) {
      return false
    }
    const topicLengthAt = at + bodyAt + bodyLength
    const topicLength = lengthLength === 1 ? view.getInt8(topicLengthAt) : view.getInt16(topicLengthAt)
    if (topicLength < 0 || topicLength > afterBody - bodyLength) {
      return false
    }
    const propertiesLengthAt = topicLengthAt + lengthLength + topicLength
    this.bodyAt = at + bodyAt
    this.bodyLength = bodyLength
    this.topicAt = topicLengthAt + lengthLength
    this.topicLength = topicLength
    this.propertiesAt = propertiesLengthAt + RecordDescriptor.PROPERTIES_LENGTH_LENGTH
    this.propertiesLength = view.getInt16(propertiesLengthAt)
    return this.propertiesLength >= 0 && this.propertiesLength === afterBody - bodyLength - topicLength
  }

  get magic(): number {
    return this.view.getInt32(this.at + RecordDescriptor.MAGIC_OFFSET)
  }
  get version(): 1 | 2 {
    return this.magic === RecordDescriptor.MAGIC_V2 ? 2 : 1
  }
  get bodyCrc(): number {
    return this.view.getInt32(this.at + RecordDescriptor.BODY_CRC_OFFSET)
  }
  get queueId(): number {
    return this.view.getInt32(this.at + RecordDescriptor.QUEUE_ID_OFFSET)
  }
  get flag(): number {
    return this.view.getInt32(this.at + RecordDescriptor.FLAG_OFFSET)
  }
  get queueOffset(): number {
    return getInt64(this.view, this.at + RecordDescriptor.QUEUE_OFFSET_OFFSET)
  }
  get physicalOffset(): number {
    return getInt64(this.view, this.at + RecordDescriptor.PHYSICAL_OFFSET_OFFSET)
  }
  get sysFlag(): number {
    return this.view.getInt32(this.at + RecordDescriptor.SYS_FLAG_OFFSET)
  }
  get bornTimestamp(): number {
    return getInt64(this.view, this.at + RecordDescriptor.BORN_TIMESTAMP_OFFSET)
  }
  get storeTimestamp(): number {
    return getInt64(this.view, this.at + RecordDescriptor.storeTimestampOffset(this.bornHostLength))
  }
  get reconsumeTimes(): number {
    return this.view.getInt32(
      this.at + RecordDescriptor.reconsumeTimesOffset(this.bornHostLength + this.storeHostLength)
    )
  }
  get preparedTransactionOffset(): number {
    return getInt64(
      this.view,
      this.at + RecordDescriptor.preparedTransactionOffset(this.bornHostLength + this.storeHostLength)
    )
  }
  get bornHost(): string {
    return HostAddress.format(this.view, this.at + RecordDescriptor.BORN_HOST_OFFSET, this.bornHostLength)
  }
  get storeHost(): string {
    return HostAddress.format(this.view, this.#storeHostAt, this.storeHostLength)
  }
  /** RocketMQ's id of the message. */
  get offsetMsgId(): string {
    return MessageId.format(this.view, this.#storeHostAt, this.storeHostLength, this.physicalOffset)
  }
  get #storeHostAt(): number {
    return this.at + RecordDescriptor.storeHostOffset(this.bornHostLength)
  }
  get topic(): string {
    return Utf8.decode(this.bytes, this.topicAt, this.topicAt + this.topicLength)
  }
  get propertiesText(): string {
    return Utf8.decode(this.bytes, this.propertiesAt, this.propertiesAt + this.propertiesLength)
  }

  decodeProperties(): Record<string, string> {
    return PropertyMap.decode(this, this.propertiesAt, this.propertiesAt + this.propertiesLength)
  }

  /** The value of a property by its name in UTF-8. */
  property(name: Uint8Array): string | undefined {
    return this.#find(name) ? Utf8.decode(this.bytes, found.start, found.end) : undefined
  }

  /** Where the value of a property stands; undefined without one. Valid until the next search of any record. */
  rangeOf(name: Uint8Array): Readonly<MessageProperties.PropertyRange> | undefined {
    return this.#find(name) ? found : undefined
  }

  /** Where tags and keys stand; valid as long as the cursor points at this record. */
  get places(): Readonly<KeyPlaces> {
    this.#places ??= new KeyPlaces()
    if (!this.#arePlacesKnown) {
      this.#places.locate(this.bytes, this.propertiesAt, this.propertiesAt + this.propertiesLength)
      this.#arePlacesKnown = true
    }
    return this.#places
  }

  get keys(): string | undefined {
    const { keysEnd, keysStart } = this.places
    return keysEnd > keysStart ? Utf8.decode(this.bytes, keysStart, keysEnd) : undefined
  }
  get tags(): string | undefined {
    const { tagsEnd, tagsStart } = this.places
    return tagsEnd > tagsStart ? Utf8.decode(this.bytes, tagsStart, tagsEnd) : undefined
  }
  get uniqueKey(): string | undefined {
    const { uniqueKeyEnd, uniqueKeyStart } = this.places
    return uniqueKeyEnd > uniqueKeyStart ? Utf8.decode(this.bytes, uniqueKeyStart, uniqueKeyEnd) : undefined
  }

  /** Java's hash of the whole TAGS property, 0 where there is none. */
  tagsHash(): number {
    const { tagsEnd, tagsStart } = this.places
    return JavaString.hashCodeUtf8(0, this.bytes, tagsStart, tagsEnd)
  }

  #find(name: Uint8Array): boolean {
    const start = this.propertiesAt
    return MessageProperties.find(this.bytes, start, start + this.propertiesLength, name, found)
  }

  hasTopic(topic: Uint8Array): boolean {
    return this.holds(topic, this.topicAt, this.topicAt + this.topicLength)
  }

  /** Whether these bytes, and no others, stand at [start, end). */
  holds(expected: Uint8Array, start: number, end: number): boolean {
    return Utf8.equals(expected, this.bytes, start, end)
  }
}

const hostLength = (isIpv6: number): number =>
  isIpv6 === 0 ? RecordDescriptor.HOST_LENGTH_IPV4 : RecordDescriptor.HOST_LENGTH_IPV6
