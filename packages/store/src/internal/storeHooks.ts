/** The hooks of a store as its parts take them. */
import * as Effect from "effect/Effect"
import type { MessageInput } from "../commitlog/MessageInput.ts"
import type { RecordCursor } from "../commitlog/RecordCursor.ts"
import type { EngineExtensions } from "../engine/StoreEngine.ts"
import { PutRefused, StoreError } from "../StoreError.ts"
import type { FilterBits, PutHook, StoreHooks } from "../StoreHooks.ts"
import { messageOf } from "./ownedMessage.ts"

const BITS_A_BYTE = 8

/** What the engine calls. `bitLength` is that of the bit map of an extended queue. */
export const extensionsOf = ({ dispatch = [], filterBits }: StoreHooks, bitLength: number): EngineExtensions => ({
  dispatchers: dispatch.map((hook) => ({ dispatch: (record) => hook.dispatch(messageOf(record)) })),
  filterBits: filterBits && bitsOf(filterBits, Math.floor(bitLength / BITS_A_BYTE))
})

const bitsOf = (filterBits: FilterBits, length: number) => {
  const bits = new Uint8Array(length)
  return (record: RecordCursor): Uint8Array | undefined => {
    bits.fill(0)
    return filterBits(messageOf(record), bits) ? bits : undefined
  }
}

/** The messages as the hooks leave them. */
export const beforePut = (
  hooks: ReadonlyArray<PutHook>,
  messages: ReadonlyArray<MessageInput>
): Effect.Effect<ReadonlyArray<MessageInput>, StoreError> => {
  const passed: Array<MessageInput> = []
  for (let index = 0; index < messages.length; index++) {
    let message = messages[index]!
    for (const hook of hooks) {
      const answer = hook.beforePut(message)
      if ("status" in answer) {
        const { topic } = message
        return Effect.fail(new StoreError({ reason: new PutRefused({ index, topic, hook: hook.name, ...answer }) }))
      }
      message = answer
    }
    passed.push(message)
  }
  return Effect.succeed(passed)
}
