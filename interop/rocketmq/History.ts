/**
 * What a store must hold: every message that some side has put, with the fields that were asked for and the place that
 * the put answered. Listings of both sides are compared with it.
 */
import { crc32 } from "node:zlib"
import type { ListedMessage, ListedQueue, PutOutcome, ScriptedMessage } from "./Listing.ts"

const BORN_HOST_IPV6 = 1 << 4
const STORE_HOST_IPV6 = 1 << 5
const TRANSACTION_MASK = 3 << 2
const COMMITTED = 2 << 2
const ROLLED_BACK = 3 << 2
const CRC_MASK = 0x7fffffff
const TOPIC_LENGTH_MAX_V1 = 127
/** An answer has 64 messages, and after a crash some of them twice. */
const KEY_COUNT_MAX = 20

/** Properties that the store adds. */
export const ADDED_PROPERTIES: ReadonlyArray<string> = ["__CRC32#", "INNER_MULTI_QUEUE_OFFSET", "INNER_BASE"]

export class History {
  readonly messages: Array<ListedMessage> = []

  /** Notes messages that were put, with what the put answered. */
  add(messages: ReadonlyArray<ScriptedMessage>, outcomes: ReadonlyArray<PutOutcome>): void {
    messages.forEach((message, index) => this.messages.push(expected(message, outcomes[index]!)))
  }

  /** Takes the last message back: a crash has torn it. */
  removeLast(): ListedMessage {
    return this.messages.pop()!
  }

  get lastPosition(): number {
    const last = this.messages.at(-1)
    return last === undefined ? 0 : last.position + last.storeSize
  }

  /** The queues that these messages make; those that hold nothing are left out. */
  queues(): ReadonlyArray<ListedQueue> {
    const queues = new Map<string, ListedQueue & { maxOffset: number; entries: Array<readonly [number, number]> }>()
    for (const { position, properties, queueId, storeSize, sysFlag, topic } of this.messages) {
      if (isQueued(sysFlag)) {
        for (const place of [{ topic, queueId }, ...lightQueuesOf(properties)]) {
          const name = `${place.topic}/${place.queueId}`
          const queue = queues.get(name) ?? { ...place, entries: [], minOffset: 0, maxOffset: 0 }
          queue.entries.push([position, storeSize])
          queue.maxOffset += spanOf(properties)
          queues.set(name, queue)
        }
      }
    }
    return sortQueues([...queues.values()])
  }

  /** Positions of the messages of a topic with a key. */
  withKey(topic: string, key: string): ReadonlyArray<number> {
    return this.messages
      .filter((message) => message.topic === topic && keysOf(message).includes(key))
      .map(({ position }) => position)
  }

  /** Every topic with every key that it has, but for keys that no single answer can hold all messages of. */
  keys(): ReadonlyArray<{ readonly topic: string; readonly key: string }> {
    const all = new Map<string, { readonly topic: string; readonly key: string; count: number }>()
    for (const { topic, ...message } of this.messages) {
      for (const key of keysOf(message)) {
        const found = all.get(`${topic}#${key}`) ?? { topic, key, count: 0 }
        found.count++
        all.set(`${topic}#${key}`, found)
      }
    }
    return [...all.values()].filter(({ count }) => count <= KEY_COUNT_MAX)
  }
}

/** How many offsets a record takes in its queue: an inner batch has one for each of its messages. */
export const spanOf = (properties: Readonly<Record<string, string>>): number => Number(properties["INNER_NUM"] ?? 1)

/** The light queues that a message stands in beside its own. */
const lightQueuesOf = (properties: Readonly<Record<string, string>>) =>
  (properties["INNER_MULTI_DISPATCH"] ?? "")
    .split(",")
    .filter((name) => name.startsWith("%LMQ%"))
    .map((topic) => ({ topic, queueId: 0 }))

export const isQueued = (sysFlag: number): boolean => {
  const transaction = sysFlag & TRANSACTION_MASK
  return transaction === 0 || transaction === COMMITTED
}

const keysOf = ({ properties, sysFlag }: Pick<ListedMessage, "properties" | "sysFlag">): ReadonlyArray<string> => {
  if ((sysFlag & TRANSACTION_MASK) === ROLLED_BACK) {
    return []
  }
  const unique = properties["UNIQ_KEY"]
  const keys = (properties["KEYS"] ?? "").split(" ").filter((key) => key !== "")
  return unique === undefined ? keys : [unique, ...keys]
}

export const sortQueues = (queues: ReadonlyArray<ListedQueue>): ReadonlyArray<ListedQueue> =>
  queues.toSorted((a, b) => (a.topic === b.topic ? a.queueId - b.queueId : a.topic < b.topic ? -1 : 1))

const expected = (message: ScriptedMessage, outcome: PutOutcome): ListedMessage => {
  const { body, bornHost, properties, storeHost, sysFlag, topic } = message
  const { length, position, queueOffset, storeTimestamp } = outcome
  const flags =
    sysFlag | (bornHost.startsWith("[") ? BORN_HOST_IPV6 : 0) | (storeHost.startsWith("[") ? STORE_HOST_IPV6 : 0)
  return {
    ...message,
    position,
    storeSize: length,
    version: Buffer.byteLength(topic) > TOPIC_LENGTH_MAX_V1 ? 2 : 1,
    queueOffset: isQueued(sysFlag) ? queueOffset : 0,
    recordPosition: position,
    sysFlag: flags,
    storeTimestamp,
    bodyCrc: crc32(Buffer.from(body, "base64")) & CRC_MASK,
    offsetMsgId: messageId(storeHost, position),
    // A pair with an empty value is written but never read.
    properties: Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== ""))
  }
}

const messageId = (host: string, position: number): string => {
  const colon = host.lastIndexOf(":")
  const address = host.slice(0, colon)
  const groups = address.startsWith("[")
    ? address
        .slice(1, -1)
        .split(":")
        .map((group) => group.padStart(4, "0"))
    : address.split(".").map((octet) => hex(Number(octet), 2))
  return `${groups.join("")}${hex(Number(host.slice(colon + 1)), 8)}${hex(position, 16)}`.toUpperCase()
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0")
