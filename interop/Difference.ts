/** Where two values that were read from JSON differ. */

export interface Difference {
  /** As in `messages[3].flag`. */
  readonly path: string
  readonly left: unknown
  readonly right: unknown
}

const DIFFERENCES_MAX = 8

/** The first differences, in the order of the values. A property that is undefined counts as missing. */
export const find = (left: unknown, right: unknown): ReadonlyArray<Difference> => {
  const found: Array<Difference> = []
  collect(left, right, "", found)
  return found
}

const collect = (left: unknown, right: unknown, path: string, found: Array<Difference>): void => {
  if (found.length >= DIFFERENCES_MAX || Object.is(left, right)) {
    return
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    if (left.length !== right.length) {
      found.push({ path: `${path}.length`, left: left.length, right: right.length })
    }
    const length = Math.max(left.length, right.length)
    for (let index = 0; index < length; index++) {
      collect(left[index], right[index], `${path}[${index}]`, found)
    }
  } else if (isRecord(left) && isRecord(right)) {
    for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
      collect(left[name], right[name], path === "" ? name : `${path}.${name}`, found)
    }
  } else {
    found.push({ path, left, right })
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
