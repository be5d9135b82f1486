/**
 * What a program adds to a store, in the places where RocketMQ's brokers do: before messages are stored, in the chain of
 * what is derived from the log, and in what an acknowledgement waits for.
 *
 * **Details**
 *
 * Hooks are given to the layer of a store as a reference. The functions among them run on the thread of the store,
 * between its steps: they must be short, and must neither throw nor call the store.
 *
 * **Example** (Delaying a message)
 *
 * ```ts
 * import { MessageStore, StoreHooks } from "@millrace/store"
 * import { Effect, Layer } from "effect"
 *
 * const delay: StoreHooks.PutHook = {
 *   name: "delay",
 *   beforePut: (message) =>
 *     message.properties?.["DELAY"] === undefined
 *       ? message
 *       : { ...message, topic: "SCHEDULE_TOPIC_XXXX", queueId: Number(message.properties["DELAY"]) - 1 }
 * }
 *
 * const program = Effect.gen(function*() {
 *   const store = yield* MessageStore.MessageStore
 *   yield* store.put({ topic: "trades", body: new Uint8Array(1), properties: { DELAY: "3" } })
 *   return (yield* store.topics).map(({ topic }) => topic)
 * }).pipe(
 *   Effect.provide(MessageStore.layerMemory().pipe(Layer.provide(Layer.succeed(StoreHooks.Hooks, { put: [delay] }))))
 * )
 *
 * Effect.runPromise(program) // => ["SCHEDULE_TOPIC_XXXX"]
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Message, StoredMessage } from "./Message.ts"
import type { PutStatus } from "./MessageStore.ts"

/**
 * Why a hook refuses a message. The put fails with `PutRefused`, and none of its messages is stored.
 *
 * @category models
 * @since 0.1.0
 */
export interface Refusal {
  readonly status: Exclude<PutStatus, "PUT_OK" | "FLUSH_DISK_TIMEOUT">
  /** What is wrong, for people. */
  readonly detail: string
}

/**
 * Sees each message before it is stored, and gives it back, another one in its place, or a refusal. Limits are checked
 * afterwards.
 *
 * @category models
 * @since 0.1.0
 */
export interface PutHook {
  /** For the error of a put that it refuses. */
  readonly name: string
  beforePut(message: Message): Message | Refusal
}

/**
 * Takes each record of the log, in its order, when queue and index have it; with synchronous flush none that is not on the
 * device. After a crash it gets the newest ones again that it had before, as far as they may not have been on the device.
 *
 * @category models
 * @since 0.1.0
 */
export interface DispatchHook {
  readonly name: string
  /** The message owns its bytes. */
  dispatch(message: StoredMessage): void
}

/**
 * Computes the bits that filters ask of a message, for its unit of an extended queue (`enableConsumeQueueExt`). `bits` is
 * all zeros and has `bitMapLengthConsumeQueueExt` bits; false leaves the unit without.
 *
 * @category models
 * @since 0.1.0
 */
export type FilterBits = (message: StoredMessage, bits: Uint8Array) => boolean

/**
 * What replicas can answer to a put: that they have it, or why not. The message is stored all the same.
 *
 * @category models
 * @since 0.1.0
 */
export type ReplicationStatus = Extract<
  PutStatus,
  "PUT_OK" | "FLUSH_SLAVE_TIMEOUT" | "SLAVE_NOT_AVAILABLE" | "IN_SYNC_REPLICAS_NOT_ENOUGH"
>

/**
 * The hooks of a store, each asked in order.
 *
 * @category models
 * @since 0.1.0
 */
export interface StoreHooks {
  readonly put?: ReadonlyArray<PutHook> | undefined
  readonly dispatch?: ReadonlyArray<DispatchHook> | undefined
  readonly filterBits?: FilterBits | undefined
  /**
   * Ends when replicas have the log up to a position. Puts wait for it beside the flush, but for messages with
   * `wait: false`; what it answers goes before the status of the flush. It sets its own time limit.
   */
  readonly replicate?: ((position: number) => Effect.Effect<ReplicationStatus>) | undefined
}

/**
 * The hooks that a store is opened with. By default there are none; a store that is open read-only calls none.
 *
 * @category references
 * @since 0.1.0
 */
export const Hooks = Context.Reference<StoreHooks>("@millrace/store/StoreHooks/Hooks", { defaultValue: () => ({}) })
