/**
 * Writes records one behind the other into a scratch buffer of its own. What depends on the place of a record (queue
 * offset, physical offset, store time, CRC property) is stamped afterwards, when it is known that the record fits into
 * the current file. The whole run then moves into the log by one copy. A record that is put alone is written where it is
 * to stand.
 */
import * as Checksum from "./Checksum.ts"
import * as HostAddress from "./HostAddress.ts"
import type { MessageInput } from "./MessageInput.ts"
import * as MessageProperties from "./MessageProperties.ts"
import * as RecordDescriptor from "./RecordDescriptor.ts"
import * as SysFlag from "./SysFlag.ts"
import { putInt64 } from "../mapped/BigEndian.ts"
import type { FileWindow } from "../mapped/FileSystem.ts"
import * as Utf8 from "./Utf8.ts"

const CAPACITY_INITIAL = 64 * 1024
/** Names, separators and length fields that `boundOf` does not count one by one. */
const FIXED_LENGTH_MAX = 256
const WORD_LENGTH = 4
/** Words of four bytes: a name, a host or a host's port is written by as few stores as there are. */
const wordsOf = (bytes: Uint8Array): Int32Array => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return Int32Array.from({ length: bytes.length / WORD_LENGTH }, (_, index) => view.getInt32(index * WORD_LENGTH))
}
const CRC_NAME_WORDS = wordsOf(Utf8.encode(RecordDescriptor.CRC_PROPERTY_NAME))
const CRC_NAME_LENGTH = RecordDescriptor.CRC_PROPERTY_NAME.length + 1
const DIGIT_ZERO = 0x30

export interface RecordEncoderOptions {
  readonly appendCrcProperty: boolean
  readonly defaultBornHost: Uint8Array
  readonly defaultStoreHost: Uint8Array
}

export class RecordEncoder {
  bytes: Uint8Array = new Uint8Array(CAPACITY_INITIAL)
  view: DataView = new DataView(this.bytes.buffer)
  readonly #appendCrcProperty: boolean
  readonly #bornHost: Int32Array
  readonly #storeHost: Int32Array

  constructor(options: RecordEncoderOptions) {
    this.#appendCrcProperty = options.appendCrcProperty
    this.#bornHost = wordsOf(options.defaultBornHost)
    this.#storeHost = wordsOf(options.defaultStoreHost)
  }

  /**
   * Encodes `message` at `at`, but for what `stamp` fills in, and returns its length. The message has passed
   * `MessageCheck`; `topic` is its topic in UTF-8.
   */
  encode(at: number, message: MessageInput, topic: Uint8Array, nowMs: number): number {
    this.#reserve(at, at + boundOf(message, topic))
    return this.#encode(at, message, topic, nowMs)
  }

  /** Encodes and stamps a record at `offset` of the file that the window shows, with room for `boundOf` the message. */
  encodeInto(
    { base, bytes, view }: FileWindow,
    offset: number,
    message: MessageInput,
    topic: Uint8Array,
    position: number,
    queueOffset: number,
    storeTimestamp: number
  ): number {
    const scratch = this.bytes
    const scratchView = this.view
    this.bytes = bytes
    this.view = view
    try {
      const length = this.#encode(offset - base, message, topic, storeTimestamp)
      this.stamp(offset - base, length, position, queueOffset, storeTimestamp)
      return length
    } finally {
      this.bytes = scratch
      this.view = scratchView
    }
  }

  #encode(at: number, message: MessageInput, topic: Uint8Array, nowMs: number): number {
    const { bytes, view } = this
    const bornHost = message.bornHost === undefined ? this.#bornHost : wordsOf(HostAddress.parse(message.bornHost)!)
    const storeHost = message.storeHost === undefined ? this.#storeHost : wordsOf(HostAddress.parse(message.storeHost)!)
    const bornHostLength = bornHost.length * WORD_LENGTH
    const hostsLength = bornHostLength + storeHost.length * WORD_LENGTH
    const body = message.body
    const isV2 = topic.length > RecordDescriptor.TOPIC_LENGTH_MAX_V1
    view.setInt32(at + RecordDescriptor.MAGIC_OFFSET, isV2 ? RecordDescriptor.MAGIC_V2 : RecordDescriptor.MAGIC_V1)
    view.setInt32(at + RecordDescriptor.QUEUE_ID_OFFSET, message.queueId ?? 0)
    view.setInt32(at + RecordDescriptor.FLAG_OFFSET, message.flag ?? 0)
    view.setInt32(at + RecordDescriptor.SYS_FLAG_OFFSET, sysFlagOf(message, bornHostLength, hostsLength))
    putInt64(view, at + RecordDescriptor.BORN_TIMESTAMP_OFFSET, message.bornTimestamp ?? nowMs)
    writeWords(bornHost, view, at + RecordDescriptor.BORN_HOST_OFFSET)
    writeWords(storeHost, view, at + RecordDescriptor.storeHostOffset(bornHostLength))
    view.setInt32(at + RecordDescriptor.reconsumeTimesOffset(hostsLength), message.reconsumeTimes ?? 0)
    putInt64(view, at + RecordDescriptor.preparedTransactionOffset(hostsLength), message.preparedTransactionOffset ?? 0)
    view.setInt32(at + RecordDescriptor.bodyLengthOffset(hostsLength), body.length)
    const bodyAt = at + RecordDescriptor.bodyOffset(hostsLength)
    bytes.set(body, bodyAt)
    const bodyCrc = Checksum.update(0, this, bodyAt, bodyAt + body.length)
    view.setInt32(at + RecordDescriptor.BODY_CRC_OFFSET, bodyCrc & Checksum.MASK)
    const topicAt = this.#writeTopicLength(bodyAt + body.length, topic.length, isV2)
    copyShort(topic, bytes, topicAt)
    const propertiesAt = topicAt + topic.length + RecordDescriptor.PROPERTIES_LENGTH_LENGTH
    const end = this.#endWithCrcProperty(propertiesAt, this.#writeProperties(message, propertiesAt), bodyCrc)
    view.setInt16(propertiesAt - RecordDescriptor.PROPERTIES_LENGTH_LENGTH, end - propertiesAt)
    return end - at
  }

  /** Completes the record of `length` bytes at `at`. Must be the last change of the record: the CRC property covers it. */
  stamp(at: number, length: number, physicalOffset: number, queueOffset: number, storeTimestamp: number): void {
    const { view } = this
    const sysFlag = view.getInt32(at + RecordDescriptor.SYS_FLAG_OFFSET)
    const bornHostLength = hostLength(sysFlag & SysFlag.BORN_HOST_IPV6)
    putInt64(view, at + RecordDescriptor.QUEUE_OFFSET_OFFSET, SysFlag.hasQueueEntry(sysFlag) ? queueOffset : 0)
    putInt64(view, at + RecordDescriptor.PHYSICAL_OFFSET_OFFSET, physicalOffset)
    putInt64(view, at + RecordDescriptor.storeTimestampOffset(bornHostLength), storeTimestamp)
    // A process that ends before this leaves no record in a file: one without a length is none.
    view.setInt32(at + RecordDescriptor.TOTAL_SIZE_OFFSET, length)
    if (this.#appendCrcProperty) {
      this.#stampCrc(at, at + length, bornHostLength + hostLength(sysFlag & SysFlag.STORE_HOST_IPV6))
    }
  }

  #stampCrc(at: number, end: number, hostsLength: number): void {
    const { view } = this
    const propertyAt = end - RecordDescriptor.CRC_PROPERTY_LENGTH
    const digitsAt = propertyAt + CRC_NAME_LENGTH
    const bodyAt = at + RecordDescriptor.bodyOffset(hostsLength)
    const bodyLength = view.getInt32(at + RecordDescriptor.bodyLengthOffset(hostsLength))
    const withBody = Checksum.combine(Checksum.update(0, this, at, bodyAt), view.getInt32(digitsAt), bodyLength)
    let crc = Checksum.update(withBody, this, bodyAt + bodyLength, propertyAt) & Checksum.MASK
    for (let digit = 0; digit < RecordDescriptor.CRC_DIGITS; digit++) {
      // As an integer: a division of doubles for each digit took a third of the stamp.
      const rest = (crc / 10) | 0
      this.bytes[digitsAt + digit] = DIGIT_ZERO + crc - 10 * rest
      crc = rest
    }
  }

  /** Moves the record of `length` bytes at `from` to the beginning of the buffer. */
  moveToStart(from: number, length: number): void {
    this.bytes.copyWithin(0, from, from + length)
  }

  #reserve(used: number, capacity: number): void {
    if (capacity > this.bytes.length) {
      const grown = new Uint8Array(Math.max(capacity, 2 * this.bytes.length))
      grown.set(this.bytes.subarray(0, used))
      this.bytes = grown
      this.view = new DataView(grown.buffer)
    }
  }

  #writeTopicLength(at: number, length: number, isV2: boolean): number {
    if (isV2) {
      this.view.setInt16(at, length)
      return at + 2
    }
    this.view.setInt8(at, length)
    return at + 1
  }

  #writeProperties(message: MessageInput, start: number): number {
    if (message.rawProperties !== undefined) {
      this.bytes.set(message.rawProperties, start)
      return start + message.rawProperties.length
    }
    let at = start
    const keys = message.keys
    if (keys !== undefined && keys.length > 0) {
      at = this.#writePair(MessageProperties.KEYS, typeof keys === "string" ? keys : keys.join(" "), at)
    }
    if (message.tags !== undefined && message.tags !== "") {
      at = this.#writePair(MessageProperties.TAGS, message.tags, at)
    }
    if (message.wait === false) {
      at = this.#writePair(MessageProperties.WAIT, "false", at)
    }
    for (const name in message.properties) {
      if (!isReplaced(message, name)) {
        at = this.#writePair(name, message.properties[name]!, at)
      }
    }
    return at
  }

  #writePair(name: string, value: string, start: number): number {
    const { bytes } = this
    let at = Utf8.write(name, bytes, start)
    bytes[at++] = MessageProperties.NAME_SEPARATOR
    at = Utf8.write(value, bytes, at)
    bytes[at++] = MessageProperties.PROPERTY_SEPARATOR
    return at
  }

  /** The place of the digits keeps the CRC of the body, all of it, until they are stamped. */
  #endWithCrcProperty(start: number, end: number, bodyCrc: number): number {
    if (!this.#appendCrcProperty) {
      return end
    }
    const { bytes } = this
    let at = end
    if (at > start && bytes[at - 1] !== MessageProperties.PROPERTY_SEPARATOR) {
      bytes[at++] = MessageProperties.PROPERTY_SEPARATOR
    }
    writeWords(CRC_NAME_WORDS, this.view, at)
    bytes[at + CRC_NAME_LENGTH - 1] = MessageProperties.NAME_SEPARATOR
    this.view.setInt32(at + CRC_NAME_LENGTH, bodyCrc)
    at += CRC_NAME_LENGTH + RecordDescriptor.CRC_DIGITS
    bytes[at++] = MessageProperties.PROPERTY_SEPARATOR
    return at
  }
}

const hostLength = (isIpv6: number): number =>
  isIpv6 === 0 ? RecordDescriptor.HOST_LENGTH_IPV4 : RecordDescriptor.HOST_LENGTH_IPV6

/** A call of `set` costs 25-40 ns, what a loop does with a topic 5-20. */
const copyShort = (source: Uint8Array, target: Uint8Array, at: number): void => {
  for (let index = 0; index < source.length; index++) {
    target[at + index] = source[index]!
  }
}

const writeWords = (words: Int32Array, view: DataView, at: number): void => {
  for (let index = 0; index < words.length; index++) {
    view.setInt32(at + index * WORD_LENGTH, words[index]!)
  }
}

const sysFlagOf = (message: MessageInput, bornHostLength: number, hostsLength: number): number =>
  ((message.sysFlag ?? 0) & ~(SysFlag.BORN_HOST_IPV6 | SysFlag.STORE_HOST_IPV6)) |
  (bornHostLength === RecordDescriptor.HOST_LENGTH_IPV6 ? SysFlag.BORN_HOST_IPV6 : 0) |
  (hostsLength - bornHostLength === RecordDescriptor.HOST_LENGTH_IPV6 ? SysFlag.STORE_HOST_IPV6 : 0)

const isReplaced = (message: MessageInput, name: string): boolean =>
  (name === MessageProperties.KEYS && message.keys !== undefined) ||
  (name === MessageProperties.TAGS && message.tags !== undefined) ||
  (name === MessageProperties.WAIT && message.wait === false)

/** Upper bound of a record's length, so that one check of the capacity serves the whole record. */
export const boundOf = (message: MessageInput, topic: Uint8Array): number => {
  let bound = FIXED_LENGTH_MAX + message.body.length + topic.length
  if (message.rawProperties !== undefined) {
    return bound + message.rawProperties.length
  }
  const keys = message.keys
  if (typeof keys === "string") {
    bound += Utf8.lengthMax(keys)
  } else if (keys !== undefined) {
    for (const key of keys) {
      bound += Utf8.lengthMax(key) + 1
    }
  }
  bound += Utf8.lengthMax(message.tags ?? "")
  for (const name in message.properties) {
    bound += Utf8.lengthMax(name) + Utf8.lengthMax(message.properties[name]!) + 2
  }
  return bound
}
