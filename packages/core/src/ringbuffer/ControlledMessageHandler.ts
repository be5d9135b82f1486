import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"

/** What a controlled read does after a message. */
export const Action = {
  /** Not now: the read ends, and the message will be the first of the next one. */
  ABORT: 1,
  /** The message is read, and the read ends. */
  BREAK: 2,
  /** The message is read, and everything up to it goes back to the producers at once. */
  COMMIT: 3,
  /** The message is read, and the read goes on. */
  CONTINUE: 4
} as const

export type Action = (typeof Action)[keyof typeof Action]

/** Takes one message and says how the read goes on; as `MessageHandler` otherwise. */
export type ControlledMessageHandler = (typeId: number, buffer: AtomicBuffer, offset: number, length: number) => Action
