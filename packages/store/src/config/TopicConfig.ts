/** What is known of topics: how many queues each has. The file is RocketMQ's `config/topics.json`. */
import type { FileSystem } from "../mapped/FileSystem.ts"
import * as ConfigFile from "./ConfigFile.ts"

const NAME = "topics.json"
const PERM_READ_WRITE = 6
/** RocketMQ's tools name an attribute with a sign for what is to be done to it; the file has the bare name. */
const QUEUE_TYPE = "queue.type"
const QUEUE_TYPE_ADDED = `+${QUEUE_TYPE}`

/** What queues a topic has: an entry for each message, or for each inner batch. */
export type QueueType = "SimpleCQ" | "BatchCQ"

export interface TopicConfig {
  readonly topicName: string
  readonly readQueueNums: number
  readonly writeQueueNums: number
  readonly perm: number
  readonly order: boolean
  readonly topicFilterType: string
  readonly topicSysFlag: number
  readonly attributes: Readonly<Record<string, string>>
  readonly queueType: QueueType
}

export class TopicConfigs {
  readonly #fileSystem: FileSystem
  readonly #path: string
  #topics: Map<string, TopicConfig> = new Map()
  #version: Record<string, unknown> = {}

  constructor(fileSystem: FileSystem, root: string) {
    this.#fileSystem = fileSystem
    this.#path = ConfigFile.pathOf(root, NAME)
    const content = asRecord(ConfigFile.read(fileSystem, this.#path))
    this.#version = asRecord(content["dataVersion"])
    for (const [name, value] of Object.entries(asRecord(content["topicConfigTable"]))) {
      this.#topics.set(name, fromJson(name, asRecord(value)))
    }
  }

  get(topic: string): TopicConfig | undefined {
    return this.#topics.get(topic)
  }

  all(): ReadonlyArray<TopicConfig> {
    return [...this.#topics.values()]
  }

  /** Keeps a topic's number of queues, durably. Does nothing where it is what is kept already. Throws `FileFailure`. */
  set(topic: string, queueCount: number, nowMs: number): void {
    const known = this.#topics.get(topic)
    if (known?.writeQueueNums === queueCount && known.readQueueNums === queueCount) {
      return
    }
    this.#write({ ...(known ?? fromJson(topic, {})), readQueueNums: queueCount, writeQueueNums: queueCount }, nowMs)
  }

  /** Keeps what queues a topic has, durably. Does nothing where it is what is kept already. Throws `FileFailure`. */
  setQueueType(topic: string, queueType: QueueType, nowMs: number): void {
    const known = this.#topics.get(topic) ?? fromJson(topic, {})
    if (this.#topics.has(topic) && known.queueType === queueType) {
      return
    }
    const { [QUEUE_TYPE_ADDED]: _added, ...attributes } = known.attributes
    this.#write({ ...known, queueType, attributes: { ...attributes, [QUEUE_TYPE]: queueType } }, nowMs)
  }

  #write(config: TopicConfig, nowMs: number): void {
    const topics = new Map(this.#topics).set(config.topicName, config)
    const counter = Number(this.#version["counter"] ?? 0) + 1
    const version = { counter, stateVersion: this.#version["stateVersion"] ?? 0, timestamp: nowMs }
    const names = [...topics.keys()].toSorted()
    ConfigFile.write(this.#fileSystem, this.#path, {
      dataVersion: version,
      topicConfigTable: Object.fromEntries(names.map((name) => [name, toJson(topics.get(name)!)]))
    })
    // Only now: who tries again after a failure must not be told that it is kept already.
    this.#topics = topics
    this.#version = version
  }
}

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

const countOf = (value: unknown): number => (Number.isInteger(value) && (value as number) > 0 ? (value as number) : 1)

const queueTypeOf = (attributes: Record<string, unknown>): QueueType =>
  (attributes[QUEUE_TYPE] ?? attributes[QUEUE_TYPE_ADDED]) === "BatchCQ" ? "BatchCQ" : "SimpleCQ"

const fromJson = (topicName: string, json: Record<string, unknown>): TopicConfig => ({
  topicName,
  readQueueNums: countOf(json["readQueueNums"]),
  writeQueueNums: countOf(json["writeQueueNums"]),
  perm: Number.isInteger(json["perm"]) ? (json["perm"] as number) : PERM_READ_WRITE,
  order: json["order"] === true,
  topicFilterType: typeof json["topicFilterType"] === "string" ? json["topicFilterType"] : "SINGLE_TAG",
  topicSysFlag: Number.isInteger(json["topicSysFlag"]) ? (json["topicSysFlag"] as number) : 0,
  attributes: asRecord(json["attributes"]) as Record<string, string>,
  queueType: queueTypeOf(asRecord(json["attributes"]))
})

/** Fields in alphabetical order, as RocketMQ writes them. */
const toJson = (topic: TopicConfig): Record<string, unknown> => ({
  attributes: topic.attributes,
  order: topic.order,
  perm: topic.perm,
  readQueueNums: topic.readQueueNums,
  topicFilterType: topic.topicFilterType,
  topicName: topic.topicName,
  topicSysFlag: topic.topicSysFlag,
  writeQueueNums: topic.writeQueueNums
})
