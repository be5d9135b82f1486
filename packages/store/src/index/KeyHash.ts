/** The hash of a key of a topic: Java's hash of `topic#key` without its sign. The one value without a positive is 0. */
import * as JavaString from "../commitlog/JavaString.ts"

const MIN_VALUE = -0x80000000

const unsigned = (hash: number): number => (hash === MIN_VALUE ? 0 : Math.abs(hash))

/** The hash of what stands before the keys of a topic. */
export const prefix = (topic: string): number => JavaString.hashCode(`${topic}#`)

/** The same for the topic at `bytes[start..end)`. */
export const prefixUtf8 = (bytes: Uint8Array, start: number, end: number): number =>
  JavaString.continueWith(JavaString.hashCodeUtf8(0, bytes, start, end), "#")

export const of = (topic: string, key: string): number => ofText(prefix(topic), key)

/** The hash of a key of the topic with this prefix. */
export const ofText = (topicPrefix: number, key: string): number => unsigned(JavaString.continueWith(topicPrefix, key))

/** The hash of the key at `bytes[start..end)` of the topic with this prefix. */
export const ofUtf8 = (topicPrefix: number, bytes: Uint8Array, start: number, end: number): number =>
  unsigned(JavaString.hashCodeUtf8(topicPrefix, bytes, start, end))
