/** Minimum, median and maximum of the runs of one case. */
export interface Spread {
  readonly min: number
  readonly median: number
  readonly max: number
}

export const spread = (values: ReadonlyArray<number>): Spread => {
  if (values.length === 0) {
    throw new Error("a spread of no values")
  }
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >>> 1
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
  return { min: sorted[0]!, median, max: sorted.at(-1)! }
}

/** The spread of `values[i] / baseline[i]`: run by run, since a run and its baseline were neighbours in time. */
export const ratio = (values: ReadonlyArray<number>, baseline: ReadonlyArray<number>): Spread => {
  if (values.length !== baseline.length) {
    throw new Error(`${values.length} runs cannot be a ratio to ${baseline.length} runs of the baseline`)
  }
  return spread(values.map((value, index) => value / baseline[index]!))
}
