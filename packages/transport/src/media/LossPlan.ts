/**
 * What a driver under test shall lose, as its options say: by the interceptors of `aeronmd`, and by the rates of Aeron's
 * debug endpoints. Plain data, so that it can be posted to a worker.
 */
export interface RandomLoss {
  readonly name: "loss"
  readonly rate: number
  readonly seed: bigint
  /** A bit for each type of frame that may be lost: 1 << type. */
  readonly typeMask: number
}

/** The first arrival of each byte of a term up to an end. */
export interface FixedLoss {
  readonly name: "fixed-loss"
  readonly termId: number
  readonly termOffset: number
  readonly length: number
}

/** The first arrival of what lies in gaps, one after each multiple of a power of two. */
export interface MultiGapLoss {
  readonly name: "multi-gap-loss"
  readonly termId: number
  readonly gapRadix: number
  readonly gapLength: number
  readonly totalGaps: number
}

export type Interceptor = RandomLoss | FixedLoss | MultiGapLoss

/** A rate of 0 loses nothing; the seed −1 is one at random. */
export interface LossRate {
  readonly rate: number
  readonly seed: bigint
}

export interface LossPlan {
  readonly incoming: ReadonlyArray<Interceptor>
  readonly outgoing: ReadonlyArray<Interceptor>
  readonly receiveData: LossRate
  readonly receiveControl: LossRate
  readonly sendData: LossRate
  readonly sendControl: LossRate
}

/** The arguments of each interceptor, as texts. */
export type LossArguments = Readonly<Record<Interceptor["name"], string>>

const INTEGER = /^[+-]?\d+$/
const HEXADECIMAL = /^(?:0x)?[0-9a-f]+$/i

export const FORMS: LossArguments = {
  loss: "rate=0.2|seed=N|recv-msg-mask=0xM",
  "fixed-loss": "term-id=I|term-offset=O|length=L",
  "multi-gap-loss": "term-id=I|gap-radix=R|gap-length=L|total-gaps=N, the gap shorter than the radix"
}

const isName = (text: string): text is Interceptor["name"] => Object.hasOwn(FORMS, text)

const namesOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.split(","))

export const areNames = (text: string): boolean => namesOf(text).every(isName)

export const isNamed = (name: Interceptor["name"], ...texts: ReadonlyArray<string>): boolean =>
  texts.some((text) => namesOf(text).includes(name))

const fieldsOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split("|").map((field) => {
      const equals = field.indexOf("=")
      return [field.slice(0, equals), field.slice(equals + 1)] as const
    })
  )

const integer = (text: string | undefined): number => (INTEGER.test(text ?? "") ? Number(text) : NaN)

const parseRandom = (fields: ReadonlyMap<string, string>): RandomLoss | undefined => {
  const rate = Number(fields.get("rate") ?? NaN)
  const seed = fields.get("seed") ?? "0"
  const mask = fields.get("recv-msg-mask") ?? "0"
  return rate >= 0 && rate <= 1 && INTEGER.test(seed) && HEXADECIMAL.test(mask)
    ? { name: "loss", rate, seed: BigInt(seed), typeMask: Number.parseInt(mask, 16) }
    : undefined
}

const parseFixed = (fields: ReadonlyMap<string, string>): FixedLoss | undefined => {
  const termId = integer(fields.get("term-id"))
  const termOffset = integer(fields.get("term-offset"))
  const length = integer(fields.get("length"))
  return termOffset >= 0 && length >= 0 && !Number.isNaN(termId)
    ? { name: "fixed-loss", termId, termOffset, length }
    : undefined
}

const parseMultiGap = (fields: ReadonlyMap<string, string>): MultiGapLoss | undefined => {
  const termId = integer(fields.get("term-id"))
  const gapRadix = 2 ** Math.ceil(Math.log2(integer(fields.get("gap-radix"))))
  const gapLength = integer(fields.get("gap-length"))
  const totalGaps = integer(fields.get("total-gaps"))
  return gapLength < gapRadix && totalGaps >= 0 && !Number.isNaN(termId)
    ? { name: "multi-gap-loss", termId, gapRadix, gapLength, totalGaps }
    : undefined
}

/** Undefined when the arguments are none of this interceptor. */
export const parse = (name: Interceptor["name"], text: string): Interceptor | undefined => {
  const fields = fieldsOf(text)
  switch (name) {
    case "loss":
      return parseRandom(fields)
    case "fixed-loss":
      return parseFixed(fields)
    case "multi-gap-loss":
      return parseMultiGap(fields)
  }
}

/** The interceptors that a text names, in its order. What is none is left out: it was refused before. */
export const parseAll = (names: string, given: LossArguments): ReadonlyArray<Interceptor> =>
  namesOf(names).flatMap((name) => (isName(name) ? (parse(name, given[name]) ?? []) : []))

export const isEmpty = ({ incoming, outgoing, ...rates }: LossPlan): boolean =>
  incoming.length + outgoing.length === 0 && Object.values(rates).every(({ rate }) => rate === 0)
