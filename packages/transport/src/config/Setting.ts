/**
 * What an option of the driver can be: its kind, unit, default, range, and its names in Aeron.
 *
 * `property` is the name in Aeron's Java driver; the environment variable of `aeronmd` is the same in upper case with
 * underscores. Options that Aeron does not have begin with `millrace.`.
 */
export type Setting = {
  readonly property: string
  /** Other names that Aeron has for it, by which it is found too. */
  readonly aliases: ReadonlyArray<string>
  readonly description: string
} & SettingKind

export type SettingKind =
  | DurationKind
  | SizeKind
  | {
      readonly kind: "integer"
      readonly default: number
      readonly minimum: number
      readonly maximum: number
    }
  | BooleanKind
  | { readonly kind: "text"; readonly default: string; readonly isSecret: boolean }
  /** A number of 64 bits, or none. */
  | { readonly kind: "int64"; readonly default: bigint | undefined }
  /** A share from 0 to 1. */
  | { readonly kind: "fraction"; readonly default: number }
  | ChoiceKind

export interface BooleanKind {
  readonly kind: "boolean"
  readonly default: boolean
  /** The texts that mean it, the first of each as it is written. */
  readonly words: { readonly off: ReadonlyArray<string>; readonly on: ReadonlyArray<string> }
}

export interface DurationKind {
  readonly kind: "duration"
  /** Nanoseconds. Undefined = as long as another option says. */
  readonly default: number | undefined
  readonly minimum: number
  /** What a number without a unit counts, in nanoseconds. */
  readonly plainUnitNs: number
}

export interface SizeKind {
  readonly kind: "size"
  readonly default: number
  readonly minimum: number
  readonly maximum: number
}

export interface ChoiceKind {
  readonly kind: "choice"
  readonly default: string
  /** Each choice, with the names that Aeron has for it. */
  readonly choices: Readonly<Record<string, ReadonlyArray<string>>>
}

export const KIB = 1024
export const MIB = 1024 * KIB
export const GIB = 1024 * MIB
export const MICROSECOND = 1000
export const MILLISECOND = 1_000_000
export const SECOND = 1000 * MILLISECOND
export const INT_MAX = 2 ** 31 - 1

const NONE: ReadonlyArray<string> = []

export const duration = (
  property: string,
  defaultNs: number,
  description: string,
  minimum = MICROSECOND,
  plainUnitNs = 1
) => ({ kind: "duration", property, aliases: NONE, default: defaultNs, minimum, plainUnitNs, description }) as const

export const size = (
  property: string,
  defaultValue: number,
  description: string,
  minimum: number,
  maximum: number = INT_MAX
) => ({ kind: "size", property, aliases: NONE, default: defaultValue, minimum, maximum, description }) as const

export const integer = (
  property: string,
  defaultValue: number,
  description: string,
  minimum: number,
  maximum: number = INT_MAX
) => ({ kind: "integer", property, aliases: NONE, default: defaultValue, minimum, maximum, description }) as const

/** They mean it for every switch, whatever words it has of its own. */
export const SWITCH: BooleanKind["words"] = { off: ["false", "off", "0"], on: ["true", "on", "1"] }

export const flag = (property: string, defaultValue: boolean, description: string, words = SWITCH) =>
  ({ kind: "boolean", property, aliases: NONE, default: defaultValue, words, description }) as const

export const text = (property: string, description: string) =>
  ({ kind: "text", property, aliases: NONE, default: "", isSecret: false, description }) as const

/** A text that is shown nowhere. */
export const secret = (property: string, description: string) =>
  ({ kind: "text", property, aliases: NONE, default: "", isSecret: true, description }) as const

export const int64 = <Default extends bigint | undefined>(
  property: string,
  defaultValue: Default,
  description: string
) => ({ kind: "int64", property, aliases: NONE, default: defaultValue, description }) as const

export const fraction = (property: string, description: string) =>
  ({ kind: "fraction", property, aliases: NONE, default: 0, description }) as const

export const choice = <const Choices extends Readonly<Record<string, ReadonlyArray<string>>>>(
  property: string,
  defaultValue: keyof Choices & string,
  choices: Choices,
  description: string
) => ({ kind: "choice", property, aliases: NONE, default: defaultValue, choices, description }) as const

export const alsoNamed = <S extends Setting>(setting: S, ...aliases: ReadonlyArray<string>): S => ({
  ...setting,
  aliases
})

/** As `aeronmd` makes a variable of a property. */
export const environmentVariable = (property: string): string => property.toUpperCase().replaceAll(".", "_")
