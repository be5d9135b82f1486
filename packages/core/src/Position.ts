/**
 * Positions in a stream: how many bytes of log lie before a place, headers and padding included.
 *
 * A position is a number, a multiple of 32 from 0 to 2^58, and therefore exact. Beyond 2^53 a number prints rounded,
 * so positions are printed and read by this module.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as SchemaIssue from "effect/SchemaIssue"
import { FRAME_ALIGNMENT } from "./logbuffer/FrameDescriptor.ts"
import * as LogBufferDescriptor from "./logbuffer/LogBufferDescriptor.ts"
import { assert } from "./memory/Assert.ts"

/**
 * The last position that any stream can have, 2^58. A stream of terms shorter than 128 MiB ends earlier, when its term
 * ids are used up: at 2^31 times the term length.
 *
 * @category limits
 * @since 0.1.0
 */
export const MAX: number = LogBufferDescriptor.POSITION_MAX

/**
 * Whether a number is a position: a multiple of 32 from 0 to 2^58.
 *
 * @category guards
 * @since 0.1.0
 */
export const isPosition = (value: number): boolean => value >= 0 && value <= MAX && value % FRAME_ALIGNMENT === 0

/**
 * A position with every digit. Dies when the number is no position.
 *
 * **Example** (Printing a position beyond 2^53)
 *
 * ```ts
 * import * as Position from "@millrace/core/Position"
 *
 * Position.format(2 ** 58 - 32) // => "288230376151711712"
 * String(2 ** 58 - 32) // => "288230376151711700"
 * ```
 *
 * @category conversions
 * @since 0.1.0
 */
export const format = (position: number): string => {
  assert(isPosition(position), "a number that is no position was to be printed as one")
  return BigInt(position).toString()
}

/**
 * Reads what `format` writes. None for anything that is no position: other characters, a number that is no multiple of
 * 32, one beyond 2^58.
 *
 * @category conversions
 * @since 0.1.0
 */
export const parse = (text: string): Option.Option<number> => {
  if (!/^\d{1,18}$/.test(text)) {
    return Option.none()
  }
  const exact = BigInt(text)
  // As a number it could have been rounded to a multiple of 32.
  return exact % BigInt(FRAME_ALIGNMENT) === 0n && exact <= BigInt(MAX) ? Option.some(Number(exact)) : Option.none()
}

/**
 * The schema of a position that is a number already.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Position = Schema.Finite.check(
  Schema.makeFilter(isPosition, { expected: "a position: a multiple of 32 from 0 to 2^58" })
)

/**
 * The schema between text and a position: how a position is written where others read it, in JSON too.
 *
 * @category schemas
 * @since 0.1.0
 */
export const FromString = Schema.String.pipe(
  Schema.decodeTo(Position, {
    decode: SchemaGetter.transformEffect((text: string, options) =>
      Option.match(parse(text), {
        onSome: Effect.succeed,
        onNone: () =>
          Effect.fail(
            new SchemaIssue.InvalidValue(
              { message: "a position has decimal digits, and is a multiple of 32" },
              text,
              options
            )
          )
      })
    ),
    encode: SchemaGetter.transform(format)
  })
)

/**
 * What positions of one stream are computed from.
 *
 * @category models
 * @since 0.1.0
 */
export interface StreamTerms {
  /** Bytes, a power of two from 64 KiB to 1 GiB. */
  readonly termLength: number
  /** Of the stream's first term: any int32. */
  readonly initialTermId: number
}

/**
 * A place as frames and drivers name it.
 *
 * @category models
 * @since 0.1.0
 */
export interface TermPlace {
  /** Any int32: term ids wrap around. */
  readonly termId: number
  /** Bytes from the beginning of the term. */
  readonly termOffset: number
}

/**
 * The position of a place in a term.
 *
 * **Example** (A term id that has wrapped around)
 *
 * ```ts
 * import * as Position from "@millrace/core/Position"
 *
 * const terms = { termLength: 65536, initialTermId: 2147483647 }
 * Position.fromTerm(terms, { termId: -2147483648, termOffset: 64 }) // => 65600
 * ```
 *
 * @category conversions
 * @since 0.1.0
 */
export const fromTerm = (terms: StreamTerms, place: TermPlace): number =>
  LogBufferDescriptor.computePosition(place.termId, place.termOffset, terms.termLength, terms.initialTermId)

/**
 * The place of a position: the reverse of `fromTerm`. A position at the end of a term is at the beginning of the next.
 *
 * @category conversions
 * @since 0.1.0
 */
export const toTerm = (terms: StreamTerms, position: number): TermPlace => ({
  termId: LogBufferDescriptor.computeTermId(position, terms.termLength, terms.initialTermId),
  termOffset: LogBufferDescriptor.computeTermOffset(position, terms.termLength)
})

/**
 * Where a stream of this term length ends, by `MaxPositionExceeded`: at 2^31 terms, or at 2^58.
 *
 * @category limits
 * @since 0.1.0
 */
export const maxOf = (termLength: number): number => LogBufferDescriptor.positionMax(termLength)
