/**
 * One UDP payload as the frames in it, checked whole before any of them is given out.
 *
 * A datagram carries DATA frames that follow each other in one term, the last of which may be a PAD; or one heartbeat;
 * or one frame of another type. `kind` tells these apart.
 *
 * Stricter than the drivers of Aeron, which look at term offsets only: all frames must be of one session, stream and
 * term, and none shorter than its header.
 *
 * @since 0.1.0
 */
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Frame from "./Frame.ts"
import type { FrameError } from "./FrameError.ts"
import * as datagramCodec from "./internal/datagramCodec.ts"

/**
 * The frames of one UDP payload, in order.
 *
 * DATA frames are aligned to 32 bytes in a datagram. Alignment bytes are not part of the value when they are zero,
 * which is what drivers send; others are the frame's `trailing`. Behind a frame of another type `trailing` is whatever
 * follows it: drivers read one such frame a datagram and ignore the rest.
 *
 * @category models
 * @since 0.1.0
 */
export const Datagram = Schema.Struct({
  frames: Schema.NonEmptyArray(Frame.Frame)
})

/**
 * The frames of one UDP payload, in order.
 *
 * @category models
 * @since 0.1.0
 */
export type Datagram = typeof Datagram.Type

/**
 * What a datagram is, as a receiver sees it:
 *
 * - `Data`: messages, or filling at the end of a term
 * - `Heartbeat`: where the stream stands
 * - `EndOfStream`: where the stream ends
 * - `Revoked`: the stream ends because its publication was revoked
 * - `Control`: a frame of another type that drivers know
 * - `Unknown`: a frame that they count as invalid
 *
 * @category models
 * @since 0.1.0
 */
export type Kind = "Data" | "Heartbeat" | "EndOfStream" | "Revoked" | "Control" | "Unknown"

/**
 * Tells what a datagram is.
 *
 * @category getters
 * @since 0.1.0
 */
export const kind = (datagram: Datagram): Kind => {
  const frame = datagram.frames[0]
  switch (frame._tag) {
    case "Data":
    case "Pad":
      return "Data"
    case "Heartbeat":
      return Frame.isRevoked(frame) ? "Revoked" : Frame.isEndOfStream(frame) ? "EndOfStream" : "Heartbeat"
    case "Unknown":
      return "Unknown"
    default:
      return "Control"
  }
}

/**
 * Decodes a UDP payload. One bad frame refuses the whole, and the error says at which byte it begins.
 *
 * Payloads are windows over `bytes`, not copies: copy `bytes` first when its memory is used again.
 *
 * **Example** (Telling a heartbeat from the end of a stream)
 *
 * ```ts
 * import { Datagram } from "@millrace/core"
 * import { Result } from "effect"
 *
 * const bytes = Buffer.from("0000000000e0010080bb000039300000e9030000070000000000000000000000", "hex")
 *
 * Datagram.kind(Result.getOrThrow(Datagram.decode(bytes))) // => "EndOfStream"
 * ```
 *
 * @category decoding
 * @since 0.1.0
 */
export const decode = (bytes: Uint8Array): Result.Result<Datagram, FrameError> => datagramCodec.decode(bytes)

/**
 * The UDP payload with these frames, DATA aligned to 32 bytes. Fails when `decode` would not take it back: frames that
 * do not follow each other, or that do not stand together in one datagram.
 *
 * **Example** (Putting two messages into one datagram)
 *
 * ```ts
 * import { Datagram, Frame } from "@millrace/core"
 * import { Result } from "effect"
 *
 * const message = (termOffset: number, text: string) =>
 *   Frame.Data.make({
 *     flags: 0xc0,
 *     sessionId: 7,
 *     streamId: 1001,
 *     termId: 3,
 *     termOffset,
 *     reservedValue: 0n,
 *     payload: new TextEncoder().encode(text)
 *   })
 *
 * const bytes = Datagram.encode({ frames: [message(0, "one"), message(64, "two")] })
 * Result.getOrThrow(bytes).length // => 128
 * ```
 *
 * @category encoding
 * @since 0.1.0
 */
export const encode = (datagram: Datagram): Result.Result<Uint8Array<ArrayBuffer>, FrameError> =>
  datagramCodec.encode(datagram)

/**
 * One line a frame, for people.
 *
 * @see {@link Frame.format}
 * @category formatting
 * @since 0.1.0
 */
export const format = (datagram: Datagram): string => datagram.frames.map(Frame.format).join("\n")
