import { CoreError, MessageTooLong } from "../CoreError.ts"
import * as Effect from "effect/Effect"
import type { MessageHandler } from "../ringbuffer/MessageHandler.ts"

/** A message as the streams and sinks of ring and broadcast buffers carry it. */
export interface Message {
  readonly typeId: number
  readonly payload: Uint8Array
}

/** Appends copies: what is handed to a handler is gone when it returns. */
export const collectInto =
  (messages: Array<Message>): MessageHandler =>
  (typeId, buffer, offset, length) => {
    messages.push({ typeId, payload: buffer.bytes.slice(offset, offset + length) })
  }

export const checkLength = (message: Message, lengthMax: number): Effect.Effect<void, CoreError> =>
  message.payload.length <= lengthMax
    ? Effect.void
    : Effect.fail(new CoreError({ reason: new MessageTooLong({ length: message.payload.length, lengthMax }) }))
