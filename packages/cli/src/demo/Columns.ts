/**
 * Which columns of a data set become the key, the tag and the measured value of its messages.
 */
import type { DataRecord } from "./DataFormat.ts"

export interface Columns {
  readonly key: string
  readonly tag: string | undefined
  /** The column whose mean the demo computes. */
  readonly measure: string | undefined
}

export interface Choice {
  readonly key: string | undefined
  readonly tag: string | undefined
}

/** What a column is for when the data set has one of this name; else the first column that fits is taken. */
const PREFERRED = { key: "origin", tag: "destination", measure: "delay" } as const

/** Chooses by the columns of the first record; a string says which chosen column it lacks. */
export const choose = (first: DataRecord, choice: Choice): Columns | string => {
  const names = Object.keys(first)
  for (const [flag, name] of Object.entries(choice)) {
    if (name !== undefined && !names.includes(name)) {
      return `has no column ${JSON.stringify(name)} for --${flag}; its columns are ${names.join(", ")}`
    }
  }
  const key = choice.key ?? preferred(names, PREFERRED.key) ?? names[0]
  if (key === undefined) {
    return "its first record has no columns"
  }
  const rest = names.filter((name) => name !== key)
  return {
    key,
    tag: choice.tag ?? preferred(rest, PREFERRED.tag) ?? rest[0],
    measure: preferred(rest, PREFERRED.measure) ?? rest.find((name) => numberOf(first[name]) !== undefined)
  }
}

const preferred = (names: ReadonlyArray<string>, name: string) => (names.includes(name) ? name : undefined)

type Value = DataRecord[string] | undefined

/** The text of a value as a key or a tag; a missing, null or empty one gives none. */
export const textOf = (value: Value): string | undefined => {
  if (value === undefined || value === null || value === "") {
    return undefined
  }
  return typeof value === "string" ? value : JSON.stringify(value)
}

/** The number in a value; CSV has its numbers as text. */
export const numberOf = (value: Value): number | undefined => {
  if (typeof value === "number") {
    return value
  }
  if (typeof value !== "string" || value.trim() === "") {
    return undefined
  }
  const number = Number(value)
  return Number.isFinite(number) ? number : undefined
}

const SEPARATORS = ["\u0001", "\u0002"]

/** Why this text cannot be the key or the tag of a stored message, or `undefined` if it can. */
export const textProblem = (text: string): string | undefined => {
  if (!text.isWellFormed()) {
    return "is not valid text: a half of a surrogate pair has no UTF-8 form"
  }
  if (SEPARATORS.some((separator) => text.includes(separator))) {
    return "holds U+0001 or U+0002, which separate the properties of a stored message"
  }
  return undefined
}
