/** From stored messages to elements of a stream, and what becomes of those that do not fit the schema. */
import type { Codec } from "../Codec.ts"
import type { MessageInput } from "../commitlog/MessageInput.ts"
import * as MessageProperties from "../commitlog/MessageProperties.ts"
import * as RecordDescriptor from "../commitlog/RecordDescriptor.ts"
import * as SysFlag from "../commitlog/SysFlag.ts"
import type { StoredMessage } from "../Message.ts"
import { DecodeFailed, StoreError } from "../StoreError.ts"
import type { Element, OnDecodeFailure } from "../Topic.ts"
import * as bodyCompression from "./bodyCompression.ts"
import { detailOf } from "./topicSink.ts"

/** Unpacked bodies of one array: a mebibyte of compressed records can hold a thousand times as much. */
const UNPACKED_BYTES_MAX = 4 * 1024 * 1024

export interface Decoded<A> {
  readonly elements: Array<Element<A>>
  /** What goes to the dead-letter topic. */
  readonly dead: Array<MessageInput>
  /** Offset of the first message that was left for the next array. */
  readonly leftAt: number | undefined
}

/** Decodes messages of one queue before `end`. Throws the `StoreError` of the first that does not fit, where it should. */
export const decode = <A>(
  codec: Codec<A>,
  messages: ReadonlyArray<StoredMessage>,
  end: number,
  onDecodeFailure: OnDecodeFailure
): Decoded<A> => {
  const elements: Array<Element<A>> = []
  const dead: Array<MessageInput> = []
  let unpacked = 0
  for (const message of messages) {
    const { body, queueOffset } = message
    if (queueOffset >= end) {
      break
    }
    if (unpacked >= UNPACKED_BYTES_MAX) {
      return { elements, dead, leftAt: queueOffset }
    }
    try {
      const plain = bodyCompression.decompress(body, message.sysFlag)
      unpacked += plain.length
      elements.push({ _tag: "Message", value: codec.decode(plain), ...placeOf(message) })
    } catch (cause) {
      if (onDecodeFailure === "skip") {
        continue
      }
      if (typeof onDecodeFailure === "object") {
        dead.push(deadLetter(message, onDecodeFailure.deadLetterTopic))
        continue
      }
      const error = failureOf(message, cause)
      if (onDecodeFailure === "fail") {
        if (elements.length === 0) {
          throw error
        }
        // Those before it come first: the next array begins, and ends, with it.
        return { elements, dead, leftAt: queueOffset }
      }
      elements.push({ _tag: "Undecoded", body, error, ...placeOf(message) })
    }
  }
  return { elements, dead, leftAt: undefined }
}

const placeOf = ({ keys, position, queueId, queueOffset, storeTimestamp, tags }: StoredMessage) => ({
  queueId,
  queueOffset,
  position,
  key: keys,
  tag: tags,
  storeTimestamp
})

const failureOf = ({ position, queueId, queueOffset, topic }: StoredMessage, cause: unknown): StoreError =>
  new StoreError({ reason: new DecodeFailed({ topic, queueId, queueOffset, position, detail: detailOf(cause) }) })

const BODY_FLAGS = SysFlag.COMPRESSED | SysFlag.COMPRESSION_TYPE_MASK

/** Properties by which the store works, and which are of the record that they were made for. */
const OWN_PROPERTIES: ReadonlySet<string> = new Set([
  RecordDescriptor.CRC_PROPERTY_NAME,
  MessageProperties.INNER_MULTI_DISPATCH,
  MessageProperties.INNER_MULTI_QUEUE_OFFSET,
  MessageProperties.DELAY
])

/** The message as RocketMQ's brokers put one that nobody could consume. */
const deadLetter = (message: StoredMessage, topic: string): MessageInput => ({
  topic,
  queueId: 0,
  body: message.body,
  keys: message.keys,
  tags: message.tags,
  flag: message.flag,
  sysFlag: message.sysFlag & BODY_FLAGS,
  bornTimestamp: message.bornTimestamp,
  bornHost: message.bornHost,
  properties: {
    ...Object.fromEntries(Object.entries(message.properties).filter(([name]) => !OWN_PROPERTIES.has(name))),
    DLQ_ORIGIN_TOPIC: message.topic,
    DLQ_ORIGIN_MESSAGE_ID: message.offsetMsgId
  }
})
