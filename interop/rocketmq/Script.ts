/** Messages of every kind that a store can hold, made from a sequence number so that each is known again. */
import { deflateSync } from "node:zlib"
import type { ScriptedMessage } from "./Listing.ts"

export type Step =
  | { readonly kind: "put"; readonly messages: ReadonlyArray<ScriptedMessage> }
  /** Messages of one topic and queue, put as a client's batch. */
  | { readonly kind: "batch"; readonly messages: ReadonlyArray<ScriptedMessage> }
  /** A record that leaves so many bytes in its file of the log; below 8 it does not fit and goes to the next one. */
  | { readonly kind: "fill"; readonly leave: number }

/** What the versions that take part know. */
export interface Abilities {
  /** Records of version 2, for topics of more than 127 bytes. */
  readonly longTopics: boolean
  /** Whether the writer leaves a message of the delay topic as it is. */
  readonly delayTopic: boolean
}

const COMPRESSED = 1
const COMPRESSED_ZLIB = COMPRESSED | (3 << 8)
const PREPARED = 1 << 2
const COMMIT = 2 << 2
const ROLLBACK = 3 << 2
const NEED_UNWRAP = 1 << 6
const INNER_BATCH = 1 << 7
/** A topic that is said to have batch consume queues. */
export const BATCH_TOPIC = "TopicInner"

const BORN_V6 = "[2001:db8:0:0:0:0:0:17]:40123"
const STORE_V6 = "[fd00:1:2:3:4:5:6:7]:10911"

type Fields = Partial<Omit<ScriptedMessage, "body">> & { readonly body?: Uint8Array | string }

export class Script {
  readonly #abilities: Abilities
  readonly #random: () => number
  #sequence = 0

  constructor(abilities: Abilities, seed: number) {
    this.#abilities = abilities
    this.#random = randomFrom(seed)
  }

  /** Each kind once, with blanks, batches and rolled files. */
  everyKind(): ReadonlyArray<Step> {
    const kinds = this.#kinds()
    return [
      { kind: "put", messages: kinds.slice(0, 10).map((fields) => this.#message(fields)) },
      ...kinds.slice(10).map((fields): Step => ({ kind: "put", messages: [this.#message(fields)] })),
      this.#batch(5, 40),
      { kind: "fill", leave: 8 },
      { kind: "put", messages: [this.plain()] },
      { kind: "fill", leave: 9 },
      this.#batch(3, 200),
      { kind: "fill", leave: 7 },
      { kind: "fill", leave: 300 },
      // No room for all of it, so all of it goes to the next file.
      this.#batch(4, 400),
      this.#batch(1, 0),
      { kind: "put", messages: Array.from({ length: 30 }, () => this.plain()) }
    ]
  }

  /** Some of the kinds in some order. */
  mixture(count: number): ReadonlyArray<Step> {
    const steps: Array<Step> = []
    for (let made = 0; made < count;) {
      const choice = this.#random()
      if (choice < 0.1) {
        steps.push(this.#batch(2 + this.#below(5), this.#below(300)))
        made += 3
      } else if (choice < 0.15) {
        steps.push({ kind: "fill", leave: 7 + this.#below(3) })
        made += 2
      } else {
        const kinds = this.#kinds()
        const messages = Array.from({ length: 1 + this.#below(4) }, () =>
          this.#message(kinds[this.#below(kinds.length)]!)
        )
        steps.push({ kind: "put", messages })
        made += messages.length
      }
    }
    return steps
  }

  /** Messages that stand in light queues beside their own. */
  light(): ReadonlyArray<Step> {
    const names = ["%LMQ%a,%LMQ%b", "%LMQ%b", "%LMQ%c,%LMQ%a,%LMQ%тема"]
    return Array.from({ length: 12 }, (_, index) => {
      const named = names[index % names.length]!
      const fields = {
        properties: { KEYS: this.#key(), TAGS: "TagA", INNER_MULTI_DISPATCH: named },
        queueId: index % 2
      }
      return { kind: "put", messages: [this.#message(fields), this.plain()] } as const
    })
  }

  /** Inner batches between other messages, of their topic and of others. */
  inner(): ReadonlyArray<Step> {
    const counts = [1, 3, 2, 17, 1, 5, 40, 2, 2, 9]
    const others = [0, 1].map((queueId) => this.#message({ topic: BATCH_TOPIC, queueId }))
    const batches = counts.map((count, index) => {
      const fields = {
        topic: BATCH_TOPIC,
        queueId: index % 3 === 2 ? 1 : 0,
        sysFlag: INNER_BATCH | NEED_UNWRAP,
        properties: { KEYS: this.#key(), INNER_NUM: String(count), ...(index % 4 === 3 ? {} : { TAGS: "TagA" }) },
        body: `${count} messages `.repeat(count)
      }
      return { kind: "put", messages: [this.#message(fields), this.plain()] } as const
    })
    return [...batches, { kind: "put", messages: others }, this.#batch(3, 50, BATCH_TOPIC)]
  }

  /** A message without anything special. */
  plain(): ScriptedMessage {
    const queueId = this.#below(3)
    return this.#message({
      topic: "TopicA",
      queueId,
      properties: { KEYS: this.#key(), TAGS: `Tag${"AB"[queueId % 2]}` }
    })
  }

  #kinds(): ReadonlyArray<Fields> {
    const text = "Grüße, 世界 👋"
    const unique = `7F000001${String(this.#sequence).padStart(24, "0")}`
    return [
      { bornHost: BORN_V6 },
      { storeHost: STORE_V6 },
      { bornHost: BORN_V6, storeHost: STORE_V6, properties: { KEYS: this.#key(), TAGS: "TagA" } },
      { properties: { TAGS: "polygenelubricants" } },
      { properties: { TAGS: "a tag with a negative hash: é" } },
      { properties: { TAGS: "Aa" }, queueId: 1 },
      { properties: { TAGS: "BB" }, queueId: 1 },
      { properties: { TAGS: text, KEYS: `${text} ${this.#key()}` } },
      { properties: { KEYS: `  first-${this.#sequence}   second-${this.#sequence} ` } },
      { properties: { UNIQ_KEY: unique } },
      { properties: { UNIQ_KEY: `${unique}x`, KEYS: this.#key() } },
      { properties: { EMPTY: "", own: text, "name with space": "v", [text]: "1", long: "p".repeat(2000) } },
      { properties: { WAIT: "false", KEYS: "often" } },
      { body: "" },
      { body: "", properties: { KEYS: this.#key() }, topic: "TopicEmpty" },
      { body: Uint8Array.of(0) },
      { body: Uint8Array.from({ length: 3000 }, (_, index) => (index * 7919) & 0xff) },
      { body: deflateSync("compressed ".repeat(100)), sysFlag: COMPRESSED },
      { body: deflateSync("compressed ".repeat(100)), sysFlag: COMPRESSED_ZLIB },
      { flag: 0x7fffffff },
      { flag: -2147483648, reconsumeTimes: 16 },
      { sysFlag: PREPARED, topic: "TopicTransaction", properties: { KEYS: this.#key(), PGROUP: "group" } },
      { sysFlag: COMMIT, topic: "TopicTransaction", preparedTransactionOffset: 2 ** 45 + 3 },
      { sysFlag: ROLLBACK, topic: "TopicTransaction", properties: { KEYS: "rolled-back" } },
      { bornTimestamp: 0, preparedTransactionOffset: 1 },
      { topic: "%RETRY%group", reconsumeTimes: 3, properties: { REAL_TOPIC: "TopicA" } },
      { topic: "t".repeat(127) },
      { topic: "тема", queueId: 2147483 },
      ...(this.#abilities.longTopics ? [{ topic: "u".repeat(128) }, { topic: `%RETRY%${"v".repeat(243)}` }] : []),
      ...(this.#abilities.delayTopic ? this.#delayed() : [])
    ]
  }

  #delayed(): ReadonlyArray<Fields> {
    return [
      [15, "16"],
      [17, "18"],
      [17, "99"]
    ].map(([queueId, level]) => ({
      topic: "SCHEDULE_TOPIC_XXXX",
      queueId: queueId as number,
      properties: { DELAY: level as string, REAL_TOPIC: "TopicA", REAL_QID: "0", TAGS: "TagA" }
    }))
  }

  #batch(count: number, bodyLength: number, topic: string = "TopicBatch"): Step {
    const bornTimestamp = BORN_TIMESTAMP + this.#sequence
    const messages = Array.from({ length: count }, (_, index) =>
      this.#message({
        topic,
        queueId: 1,
        bornTimestamp,
        flag: index,
        body: "b".repeat(bodyLength),
        properties: index % 3 === 2 ? {} : { KEYS: this.#key(), TAGS: "TagB" }
      })
    )
    return { kind: "batch", messages }
  }

  #message({ body, ...fields }: Fields): ScriptedMessage {
    const sequence = this.#sequence++
    return {
      topic: "TopicA",
      queueId: 0,
      properties: {},
      flag: 0,
      sysFlag: 0,
      bornTimestamp: BORN_TIMESTAMP + sequence,
      bornHost: "10.1.2.3:40123",
      storeHost: "10.9.8.7:10911",
      reconsumeTimes: 0,
      preparedTransactionOffset: 0,
      ...fields,
      body: Buffer.from(body ?? `body of message ${sequence}`).toString("base64")
    }
  }

  #key(): string {
    return `key-${this.#sequence}`
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }
}

const BORN_TIMESTAMP = 1_700_000_000_000

/** Mulberry32: the same numbers from the same seed. */
const randomFrom = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
