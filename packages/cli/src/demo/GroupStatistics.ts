/**
 * Counts and means by group, computed in one pass. It knows at most `GROUPS_MAX` groups: records of further ones are
 * only counted together, so that a data set whose every record is its own group needs no more memory than that.
 */
export const GROUPS_MAX = 65_536

export interface Group {
  readonly name: string
  readonly count: number
  readonly mean: number | undefined
}

interface Sum {
  count: number
  measured: number
  total: number
}

export class GroupStatistics {
  readonly #groups = new Map<string, Sum>()
  /** Records that no group was kept for. */
  ungrouped = 0

  add(name: string, value: number | undefined): void {
    const group = this.#groups.get(name) ?? this.#begin(name)
    if (group === undefined) {
      this.ungrouped++
      return
    }
    group.count++
    if (value !== undefined) {
      group.measured++
      group.total += value
    }
  }

  #begin(name: string): Sum | undefined {
    if (this.#groups.size >= GROUPS_MAX) {
      return undefined
    }
    const group: Sum = { count: 0, measured: 0, total: 0 }
    this.#groups.set(name, group)
    return group
  }

  get size(): number {
    return this.#groups.size
  }

  /** The `limit` groups with the most records, ties by name. */
  largest(limit: number): ReadonlyArray<Group> {
    return [...this.#groups]
      .toSorted(([nameA, a], [nameB, b]) => b.count - a.count || (nameA < nameB ? -1 : 1))
      .slice(0, limit)
      .map(([name, { count, measured, total }]) => ({
        name,
        count,
        mean: measured === 0 ? undefined : total / measured
      }))
  }
}
