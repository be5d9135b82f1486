/** Compresses long bodies of puts that their client has not compressed: few of them at once, many in the thread pool. */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { MessageInput } from "../commitlog/MessageInput.ts"
import * as SysFlag from "../commitlog/SysFlag.ts"
import type { StoreOptions } from "../engine/StoreOptions.ts"
import * as bodyCompression from "./bodyCompression.ts"

/**
 * Bytes of bodies that one put compresses on the loop. zlib takes 22 µs a KiB (Zstandard 8, LZ4 2), so that this much holds
 * it for a third of a millisecond; a turn in the thread pool costs a tenth of one.
 */
export const LOOP_LENGTH_MAX = 16 * 1024

/** Threads of the pool, which has four, that one store compresses in: its syncs need one, and others work there too. */
const THREADS_MAX = 2

const FLAGS = SysFlag.COMPRESSED | SysFlag.INNER_BATCH

export class PutCompression {
  readonly #options: StoreOptions
  readonly #threads = Semaphore.makeUnsafe(THREADS_MAX)

  constructor(options: StoreOptions) {
    this.#options = options
  }

  /** Bytes of the bodies that are to be compressed. */
  lengthOf(messages: ReadonlyArray<MessageInput>): number {
    if (this.#options.compressType === "NONE") {
      return 0
    }
    let length = 0
    for (let index = 0; index < messages.length; index++) {
      length += this.#isLong(messages[index]!) ? messages[index]!.body.length : 0
    }
    return length
  }

  #isLong({ body, sysFlag = 0 }: MessageInput): boolean {
    const { compressMsgBodyOverHowmuch, maxMessageSize } = this.#options
    return body.length >= compressMsgBodyOverHowmuch && body.length <= maxMessageSize && (sysFlag & FLAGS) === 0
  }

  /** Compresses at once. */
  now(messages: ReadonlyArray<MessageInput>): ReadonlyArray<MessageInput> {
    const { compressLevel, compressType } = this.#options
    return compressType === "NONE"
      ? messages
      : messages.map((message) =>
          this.#isLong(message)
            ? shorter(message, bodyCompression.compress(message.body, compressType, compressLevel), compressType)
            : message
        )
  }

  /** Compresses in the thread pool. Nobody changes the bodies until then. */
  later(messages: ReadonlyArray<MessageInput>): Effect.Effect<ReadonlyArray<MessageInput>> {
    const { compressLevel, compressType } = this.#options
    if (compressType === "NONE") {
      return Effect.succeed(messages)
    }
    return Effect.forEach(
      messages,
      (message) =>
        this.#isLong(message)
          ? bodyCompression.compressAsync(message.body, compressType, compressLevel).pipe(
              this.#threads.withPermits(1),
              Effect.map((packed) => shorter(message, packed, compressType))
            )
          : Effect.succeed(message),
      { concurrency: THREADS_MAX }
    )
  }
}

/** One that does not become shorter stays as it is. */
const shorter = (message: MessageInput, packed: Uint8Array, type: bodyCompression.CompressionType): MessageInput =>
  packed.length < message.body.length
    ? { ...message, body: packed, sysFlag: (message.sysFlag ?? 0) | bodyCompression.flagOf(type) }
    : message
