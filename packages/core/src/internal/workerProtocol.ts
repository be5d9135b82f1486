/**
 * What an agent's worker and the thread that started it tell each other.
 *
 * ```
 *   parent                                worker
 *     | ---------- new Worker -----------> |  build, onStart
 *     | <------- ready | failed ---------- |  duty cycles
 *     | <------------ error -------------- |  (the agent threw; it goes on)
 *     | ------------ wake ---------------> |  (only where there is no wake descriptor)
 *     | ------------ stop ---------------> |  onClose
 *     | <---------- stopped -------------- |
 *     | ---------- terminate ------------> |
 * ```
 */
import type { IdleStrategy } from "../IdleStrategy.ts"
import type { WakeHandle } from "../native/WakeDescriptor.ts"

/** What the worker is started with. */
export interface WorkerSetup {
  readonly data: unknown
  readonly idle: IdleStrategy
  readonly wake: WakeHandle | undefined
  /** One Int32: how often the agent has thrown. */
  readonly errorCount: SharedArrayBuffer
}

export type ToWorker = { readonly _tag: "wake" } | { readonly _tag: "stop" }

export type FromWorker =
  | { readonly _tag: "ready"; readonly roleName: string }
  | { readonly _tag: "failed"; readonly error: unknown }
  | { readonly _tag: "error"; readonly error: unknown }
  | { readonly _tag: "stopped" }

/**
 * An error as something that can be posted: structured cloning keeps neither the class of an error nor its own fields,
 * so it travels as a plain object with both.
 */
export const portable = (error: unknown): unknown => {
  if (!(error instanceof Error)) {
    return String(error)
  }
  const fields: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(error)) {
    fields[key] = value instanceof Error ? portable(value) : value
  }
  const plain = { ...fields, name: error.name, message: error.message, stack: error.stack }
  try {
    return structuredClone(plain)
  } catch {
    // A field that cannot be cloned: what a person reads is kept.
    return { name: error.name, message: error.message, stack: error.stack }
  }
}
