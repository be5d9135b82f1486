/** The topic of the demo: how the recorder makes it, and how it is opened again to be read back. */
import * as MessageStore from "@millrace/store/MessageStore"
import * as Topic from "@millrace/store/Topic"
import * as Schema from "effect/Schema"
import * as Columns from "./Columns.ts"
import type { DataRecord } from "./DataFormat.ts"

export const QUEUE_COUNT = 4

/** A file of the log takes its whole length when it is made, and the next one is made ahead of need. */
const LOG_FILE_LENGTH = 32 * 1024 * 1024

export const storeLayer = (directory: string) =>
  MessageStore.layer({ directory, mappedFileSizeCommitLog: LOG_FILE_LENGTH })

export interface KeyAndTag {
  readonly key: string
  readonly tag?: string | undefined
}

/** A record whose column is missing or empty has no key or no tag. */
export const keyOf = (record: DataRecord, { key }: KeyAndTag): string => Columns.textOf(record[key]) ?? ""

export const tagOf = (record: DataRecord, { tag }: KeyAndTag): string =>
  tag === undefined ? "" : (Columns.textOf(record[tag]) ?? "")

export const make = (name: string, columns: KeyAndTag) =>
  Topic.make(name, {
    schema: Schema.JsonObject,
    queues: QUEUE_COUNT,
    key: (record) => keyOf(record, columns),
    tag: (record) => tagOf(record, columns)
  })

/**
 * The queue that RocketMQ's `SelectMessageQueueByHash` chooses for a key. The store has its own form of this; what checks
 * the store must not ask it.
 */
export const queueOf = (key: string): number => {
  let hash = 0
  for (let index = 0; index < key.length; index++) {
    hash = (Math.imul(hash, 31) + key.charCodeAt(index)) | 0
  }
  return Math.abs(hash % QUEUE_COUNT)
}

/** The name of the topic for a file: the file's own, without what RocketMQ refuses in a topic. */
export const topicName = (label: string): string =>
  label
    .replace(/\.[^.]*$/, "")
    .replaceAll(/[^%a-zA-Z0-9_-]/g, "_")
    .slice(0, TOPIC_LENGTH_MAX)

const TOPIC_LENGTH_MAX = 127
