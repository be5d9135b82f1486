/**
 * Lines of a byte stream as they are: no decoding, so that what is not UTF-8 passes unharmed. Only the line feed is taken
 * away; an empty line is an empty message.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { badInput, type CommandError } from "../CommandError.ts"
import { grouped } from "../output/Quantity.ts"

const LINE_FEED = 0x0a

/** Cuts chunks into lines and keeps what of the last line came so far, up to `lengthMax` bytes. */
class LineCutter {
  readonly #lengthMax: number
  #parts: Array<Uint8Array> = []
  #length = 0
  #lines = 0

  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax
  }

  /** The lines that `chunk` completes, or the error that ends it all. */
  cut(chunk: Uint8Array): Array<Uint8Array> | CommandError {
    const lines: Array<Uint8Array> = []
    let start = 0
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, start)
      this.#keep(chunk.subarray(start, end < 0 ? chunk.length : end))
      if (this.#length > this.#lengthMax) {
        return this.#tooLong()
      }
      if (end < 0) {
        return lines
      }
      lines.push(this.take())
      start = end + 1
    }
  }

  get isEmpty(): boolean {
    return this.#length === 0
  }

  take(): Uint8Array {
    const line = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts)
    this.#parts = []
    this.#length = 0
    this.#lines++
    return line
  }

  #keep(part: Uint8Array): void {
    if (part.length > 0) {
      this.#parts.push(part)
    }
    this.#length += part.length
  }

  #tooLong(): CommandError {
    return badInput(
      "standard input",
      `longer than ${grouped(this.#lengthMax)} bytes, the longest message that this stream takes`,
      this.#lines + 1
    )
  }
}

/** The lines of `bytes`, the last one also without its line feed; fails at the first one longer than `lengthMax`. */
export const byteLines = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  lengthMax: number
): Stream.Stream<Uint8Array, E | CommandError, R> =>
  Stream.suspend(() => {
    const cutter = new LineCutter(lengthMax)
    const rest = Stream.suspend(() => (cutter.isEmpty ? Stream.empty : Stream.succeed(cutter.take())))
    return bytes.pipe(
      Stream.mapEffect((chunk) => {
        const lines = cutter.cut(chunk)
        return Array.isArray(lines) ? Effect.succeed(lines) : Effect.fail(lines)
      }),
      Stream.flattenIterable,
      Stream.concat(rest)
    )
  })
