/**
 * Mending a store that is damaged: what is wrong, what can be done, and doing it with a backup.
 *
 * **Example** (Keeping everything that can be read)
 *
 * ```ts
 * import { Repair } from "@millrace/store"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const { choices } = yield* Repair.plan({ directory: "/var/lib/orders" })
 *   if (choices.some(({ name }) => name === "keep")) {
 *     const { backup } = yield* Repair.apply({ directory: "/var/lib/orders", choice: "keep" })
 *     yield* Effect.log(`what was changed is kept in ${backup}`)
 *   }
 * })
 * ```
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type { VerifyReport } from "./Inspect.ts"
import type { Damage as KernelDamage } from "./inspect/LogSurvey.ts"
import * as storeRepair from "./internal/storeRepair.ts"
import type { MessageStoreOptions } from "./MessageStoreConfig.ts"
import type { RecoveryReport } from "./RecoveryReport.ts"
import type { StoreError } from "./StoreError.ts"

/**
 * A stretch of the log that holds no record, with records behind it.
 *
 * @category models
 * @since 0.1.0
 */
export type Damage = KernelDamage

/**
 * Something that can be done about a store:
 *
 * - `keep` puts records in the place of the damage that no reader sees, and keeps every record that can be read; files of
 *   the log that are missing are made, and those of a wrong length get theirs;
 * - `cut` ends the log before the first damage, as RocketMQ does, and loses what is behind;
 * - `rebuild` leaves the log as it is.
 *
 * All of them write what is wrong in queues anew from the log, make the index anew, and put aside what is no file of the
 * store.
 *
 * @category models
 * @since 0.1.0
 */
export interface Choice {
  readonly name: "keep" | "cut" | "rebuild"
  /** Bytes of the log that cannot be read afterwards. */
  readonly bytesLost: number
  /** Records that can be read now and not afterwards. */
  readonly recordsLost: number
}

/**
 * What is wrong with a store, and what can be done: nothing where nothing is wrong, else the first is the best.
 *
 * @category models
 * @since 0.1.0
 */
export interface Plan {
  readonly report: VerifyReport
  readonly damages: ReadonlyArray<Damage>
  readonly choices: ReadonlyArray<Choice>
}

/**
 * What a repair did.
 *
 * @category models
 * @since 0.1.0
 */
export interface RepairReport {
  readonly choice: Choice["name"]
  /** Directory with the files that were changed or put aside, as they were, and how to undo the repair. */
  readonly backup: string
  readonly files: ReadonlyArray<string>
  /** The opening that made the store whole. */
  readonly recovery: RecoveryReport
  /** What a check says afterwards. */
  readonly verified: VerifyReport
}

/**
 * Says what is wrong with a store and what can be done. Changes nothing, and works beside a process that writes.
 *
 * @category repair
 * @since 0.1.0
 */
export const plan: (options: MessageStoreOptions) => Effect.Effect<Plan, StoreError> = storeRepair.plan

/**
 * Mends a store that no process has open. The backup is made beside the store by default, and must not be there.
 *
 * @category repair
 * @since 0.1.0
 */
export const apply = (
  options: MessageStoreOptions & { readonly choice: Choice["name"]; readonly backup?: string | undefined }
): Effect.Effect<RepairReport, StoreError> => storeRepair.apply(options, options.choice, options.backup)
