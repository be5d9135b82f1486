import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"

/**
 * Takes one message of a ring buffer or a broadcast buffer: `length` bytes at `offset` of `buffer`, which are valid
 * until the handler returns. A handler that throws ends the read; its message counts as read.
 */
export type MessageHandler = (typeId: number, buffer: AtomicBuffer, offset: number, length: number) => void
