/**
 * Limits of a message, checked before anything changes. Codes are negative; 0 means that the message can be stored.
 */
import * as HostAddress from "./HostAddress.ts"
import type { MessageInput } from "./MessageInput.ts"
import * as InnerBatch from "./InnerBatch.ts"
import * as MessageProperties from "./MessageProperties.ts"
import * as RecordDescriptor from "./RecordDescriptor.ts"
import * as SysFlag from "./SysFlag.ts"
import * as Utf8 from "./Utf8.ts"

export const OK = 0
export const BODY_TOO_LONG = -1
export const TOPIC_ILLEGAL = -2
export const PROPERTIES_TOO_LONG = -3
export const PROPERTY_ILLEGAL = -4
export const HOST_ILLEGAL = -5
export const QUEUE_ILLEGAL = -6
export const NUMBER_ILLEGAL = -7
export const BATCH_MIXED = -8
export const BATCH_TRANSACTION = -9
export const BATCH_DELAY = -10
/** The record is longer than what a file can hold beside the blank that must always fit behind it. */
export const RECORD_TOO_LONG = -11
/** So are the records of a batch together, which stand in one file. */
export const BATCH_TOO_LONG = -12

/** A light queue that the message is to stand in as well has no legal name. */
export const LMQ_ILLEGAL = -13
/** The message would make more light queues than there may be. */
export const LMQ_TOO_MANY = -14

/** An inner batch in a topic without batch consume queues, or among the messages of a client's batch. */
export const INNER_BATCH = -15
/** An inner batch says that it has no number of messages that can be, or another message says how many it has. */
export const INNER_NUM_ILLEGAL = -16

/** A topic is the name of a directory; that is what bounds it on every file system. */
const TOPIC_BYTES_MAX = 255
/** Bytes of a record beside its body, at most: a record is only measured where this says that it may not fit. */
export const REST_LENGTH_MAX =
  RecordDescriptor.bodyOffset(2 * RecordDescriptor.HOST_LENGTH_IPV6) +
  RecordDescriptor.topicLengthLength(RecordDescriptor.MAGIC_V2) +
  TOPIC_BYTES_MAX +
  RecordDescriptor.PROPERTIES_LENGTH_LENGTH +
  RecordDescriptor.PROPERTIES_LENGTH_MAX
const QUEUE_ID_MAX = 0x7fffffff
const DELAY = Utf8.encode(MessageProperties.DELAY)

export const checkTopic = (topic: string): number => {
  const isName = topic !== "" && topic !== "." && topic !== ".." && !topic.includes("/") && !topic.includes("\u0000")
  return isName && Utf8.encode(topic).length <= TOPIC_BYTES_MAX ? OK : TOPIC_ILLEGAL
}

export const check = (message: MessageInput, bodyLengthMax: number, crcLength: number): number => {
  const queueId = message.queueId ?? 0
  if (message.body.length > bodyLengthMax) {
    return BODY_TOO_LONG
  }
  if (!(queueId >= 0 && queueId <= QUEUE_ID_MAX && Number.isInteger(queueId))) {
    return QUEUE_ILLEGAL
  }
  if (!isInt32(message.flag) || !isInt32(message.sysFlag) || !isInt32(message.reconsumeTimes)) {
    return NUMBER_ILLEGAL
  }
  if (!isSafe(message.bornTimestamp) || !isSafe(message.preparedTransactionOffset)) {
    return NUMBER_ILLEGAL
  }
  if (!isHost(message.bornHost) || !isHost(message.storeHost)) {
    return HOST_ILLEGAL
  }
  return checkProperties(message, RecordDescriptor.PROPERTIES_LENGTH_MAX - crcLength)
}

/**
 * What a message must be besides to stand in a batch that begins with `first`. A batch has one queue, whose offsets its
 * messages get in a row; one of a transaction may have no place in a queue, one with a delay has it in another.
 */
export const checkInBatch = (message: MessageInput, first: MessageInput): number => {
  if (message.topic !== first.topic || (message.queueId ?? 0) !== (first.queueId ?? 0)) {
    return BATCH_MIXED
  }
  if (SysFlag.isInnerBatch(message.sysFlag ?? 0)) {
    return INNER_BATCH
  }
  if (((message.sysFlag ?? 0) & SysFlag.TRANSACTION_MASK) !== 0) {
    return BATCH_TRANSACTION
  }
  return hasDelay(message) ? BATCH_DELAY : OK
}

/** What a message must be besides for the queues of its topic. */
export const checkQueueType = (message: MessageInput, isBatchTopic: boolean): number => {
  const sysFlag = message.sysFlag ?? 0
  if (!SysFlag.isInnerBatch(sysFlag)) {
    return message.properties?.[MessageProperties.INNER_NUM] === undefined ? OK : INNER_NUM_ILLEGAL
  }
  if (!isBatchTopic) {
    return INNER_BATCH
  }
  return (sysFlag & SysFlag.TRANSACTION_MASK) !== 0
    ? BATCH_TRANSACTION
    : hasDelay(message)
      ? BATCH_DELAY
      : InnerBatch.countOf(message) === 0
        ? INNER_NUM_ILLEGAL
        : OK
}

const hasDelay = ({ properties, rawProperties }: MessageInput): boolean =>
  rawProperties === undefined
    ? (properties?.[MessageProperties.DELAY] ?? "") !== ""
    : MessageProperties.find(rawProperties, 0, rawProperties.length, DELAY, { start: 0, end: 0 })

const isInt32 = (value: number | undefined): boolean => value === undefined || (value | 0) === value
const isSafe = (value: number | undefined): boolean => value === undefined || Number.isSafeInteger(value)

const isHost = (host: string | undefined): boolean => host === undefined || HostAddress.parse(host) !== undefined

const checkProperties = (message: MessageInput, lengthMax: number): number => {
  if (message.rawProperties !== undefined) {
    return message.rawProperties.length < lengthMax ? OK : PROPERTIES_TOO_LONG
  }
  let bound = countKeys(message)
  bound = count(bound, MessageProperties.TAGS, message.tags ?? "")
  if (message.wait === false) {
    bound = count(bound, MessageProperties.WAIT, "false")
  }
  for (const name in message.properties) {
    const isName = name !== "" && MessageProperties.isLegal(name)
    bound = isName ? count(bound, name, message.properties[name]!) : ILLEGAL
  }
  if (bound === ILLEGAL) {
    return PROPERTY_ILLEGAL
  }
  return bound <= lengthMax || exactLength(message) <= lengthMax ? OK : PROPERTIES_TOO_LONG
}

/** In the place of a length: whatever is added to it. */
const ILLEGAL = Number.POSITIVE_INFINITY

const countKeys = ({ keys }: MessageInput): number => {
  if (keys === undefined) {
    return 0
  }
  if (typeof keys === "string") {
    return count(0, MessageProperties.KEYS, keys)
  }
  let bound = 0
  for (const key of keys) {
    bound = count(bound, MessageProperties.KEYS, key)
  }
  return bound
}

/** Adds the upper bound of a pair's length in bytes, three a UTF-16 unit; ILLEGAL where its value is. */
const count = (bound: number, name: string, value: string): number =>
  MessageProperties.isLegal(value) ? bound + Utf8.lengthMax(name) + Utf8.lengthMax(value) + 2 : ILLEGAL

/** The length that the encoder will write; only computed near the limit. */
const exactLength = (message: MessageInput): number => {
  const keys = typeof message.keys === "string" ? message.keys : (message.keys ?? []).join(" ")
  let text = `${MessageProperties.KEYS} ${keys} ${MessageProperties.TAGS} ${message.tags ?? ""} `
  if (message.wait === false) {
    text += `${MessageProperties.WAIT} false `
  }
  for (const name in message.properties) {
    text += `${name} ${message.properties[name]} `
  }
  return Utf8.encode(text).length
}
