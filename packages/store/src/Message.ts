/**
 * Messages: as they are put, and as they are read.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { MessageInput } from "./commitlog/MessageInput.ts"
import { RecordCursor } from "./commitlog/RecordCursor.ts"
import * as bodyCompression from "./internal/bodyCompression.ts"
import type { FileWindow } from "./mapped/FileSystem.ts"
import * as uniqueKeys from "./internal/uniqueKeys.ts"
import { DecompressFailed, StoreError } from "./StoreError.ts"
import { tagsCodeOf } from "./dispatch/QueueDispatcher.ts"

/**
 * A message as it is put.
 *
 * @category models
 * @since 0.1.0
 */
export type Message = MessageInput

/**
 * Points at the message that was asked for a field last, and keeps its block: to make one for each message took as long as to
 * read ten numbers.
 */
const cursor = new RecordCursor()
let shown: StoredMessage | undefined = undefined

/**
 * A message as it was read. It owns its bytes and may be kept (short messages share blocks of 32 KiB); fields are
 * decoded when they are asked for.
 *
 * @category models
 * @since 0.1.0
 */
export class StoredMessage {
  readonly #window: FileWindow
  readonly #at: number
  #properties: Readonly<Record<string, string>> | undefined = undefined

  constructor(window: FileWindow, at: number) {
    this.#window = window
    this.#at = at
  }

  static #recordOf(message: StoredMessage): RecordCursor {
    if (shown !== message) {
      // One whose memory is gone throws, and leaves the cursor at no message.
      shown = undefined
      cursor.wrap(message.#window, message.#at)
      shown = message
    }
    return cursor
  }

  get topic(): string {
    return StoredMessage.#recordOf(this).topic
  }
  get queueId(): number {
    return StoredMessage.#recordOf(this).queueId
  }
  get queueOffset(): number {
    return StoredMessage.#recordOf(this).queueOffset
  }
  /** Position of the record in the commit log. */
  get position(): number {
    return StoredMessage.#recordOf(this).physicalOffset
  }
  /** Length of the record in bytes. */
  get storeSize(): number {
    return StoredMessage.#recordOf(this).totalSize
  }
  /** The body as it is stored; compressed where `sysFlag` says so: see `decompress`. */
  get body(): Uint8Array {
    const { bodyAt, bodyLength, bytes } = StoredMessage.#recordOf(this)
    return bytes.subarray(bodyAt, bodyAt + bodyLength)
  }
  get bodyCrc(): number {
    return StoredMessage.#recordOf(this).bodyCrc
  }
  /** All keys as one string, separated by spaces. */
  get keys(): string | undefined {
    return StoredMessage.#recordOf(this).keys
  }
  get tags(): string | undefined {
    return StoredMessage.#recordOf(this).tags
  }
  /** What the entry of its queue says of its tags: their hash, or for a delayed message when it is due. */
  get tagsCode(): number {
    return tagsCodeOf(StoredMessage.#recordOf(this), this.topic)
  }
  get uniqueKey(): string | undefined {
    return StoredMessage.#recordOf(this).uniqueKey
  }
  get properties(): Readonly<Record<string, string>> {
    this.#properties ??= StoredMessage.#recordOf(this).decodeProperties()
    return this.#properties
  }
  /** The properties as they are stored. */
  get propertiesText(): string {
    return StoredMessage.#recordOf(this).propertiesText
  }
  get flag(): number {
    return StoredMessage.#recordOf(this).flag
  }
  get sysFlag(): number {
    return StoredMessage.#recordOf(this).sysFlag
  }
  get bornTimestamp(): number {
    return StoredMessage.#recordOf(this).bornTimestamp
  }
  get bornHost(): string {
    return StoredMessage.#recordOf(this).bornHost
  }
  get storeTimestamp(): number {
    return StoredMessage.#recordOf(this).storeTimestamp
  }
  get storeHost(): string {
    return StoredMessage.#recordOf(this).storeHost
  }
  get reconsumeTimes(): number {
    return StoredMessage.#recordOf(this).reconsumeTimes
  }
  get preparedTransactionOffset(): number {
    return StoredMessage.#recordOf(this).preparedTransactionOffset
  }
  /** Version of the record's layout: 2 for topics longer than 127 bytes. */
  get version(): 1 | 2 {
    return StoredMessage.#recordOf(this).version
  }
  /** RocketMQ's id of the message: the host that stores it and its position, in hex. */
  get offsetMsgId(): string {
    return StoredMessage.#recordOf(this).offsetMsgId
  }
}

/**
 * The body of a message as it was before it was compressed; the body itself where it was not.
 *
 * @category reading
 * @since 0.1.0
 */
export const decompress = (message: StoredMessage): Effect.Effect<Uint8Array, StoreError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(bodyCompression.decompress(message.body, message.sysFlag))
    } catch (error) {
      const { position, topic } = message
      const detail = error instanceof Error ? error.message : String(error)
      return Effect.fail(new StoreError({ reason: new DecompressFailed({ topic, position, detail }) }))
    }
  })

/**
 * A new id for a message, as RocketMQ's clients make them (their msgId): 32 characters of hex with an address, the process,
 * the time and a counter. Put it as the property `UNIQ_KEY`, and `MessageStore.byUniqueKey` finds the message.
 *
 * **Details**
 *
 * At most 65,536 ids a millisecond are different. Where RocketMQ has the hash of a class loader four random bytes stand, so
 * that processes with one address and one number, as in containers, do not make the same ids.
 *
 * **Example** (Finding a message by its id)
 *
 * ```ts
 * import { Message, MessageStore } from "@millrace/store"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const store = yield* MessageStore.MessageStore
 *   const id = yield* Message.makeUniqueKey
 *   yield* store.put({ topic: "trades", body: new Uint8Array(8), properties: { UNIQ_KEY: id } })
 *   const found = yield* store.byUniqueKey("trades", id)
 *   return found?.uniqueKey === id
 * }).pipe(Effect.provide(MessageStore.layerMemory()))
 *
 * Effect.runPromise(program) // => true
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeUniqueKey: Effect.Effect<string> = uniqueKeys.next
