/**
 * What a bench file exports. A group is a set of cases that are worth comparing: they are measured turn by turn in the
 * same process, so that a slow minute of the machine falls on all of them alike.
 *
 * Names read like paths. A group's name begins with the path of its file (`core/logbuffer/TermReader.ts` holds
 * `core/logbuffer/TermReader`), and a case adds one word (`core/logbuffer/TermReader/scan`).
 */

/** One case made ready: opened once before the runs, closed once after them. */
export interface Bench {
  /**
   * Does at least `count` operations. The harness times the whole call and takes `count` as the number of operations,
   * unless the bench returns what it measured itself (a second process has a clock of its own to start).
   */
  run(count: number): void | Measurement | Promise<void | Measurement>
  close?(): void | Promise<void>
}

export interface Measurement {
  readonly operations: number
  readonly elapsedNs: number
  /** Further figures of the run, such as `{ "p50 ns": 310 }`: of each the median of the five runs, the least and the most. */
  readonly figures?: Readonly<Record<string, number>>
}

export interface Case {
  readonly open: () => Bench | Promise<Bench>
  /** Payload bytes of one operation; adds bytes per second to the report. */
  readonly bytes?: number
  /** Operations of one run. Without it the harness finds the count that takes about a quarter of a second. */
  readonly count?: number
  /** Operations of the single run under `--smoke`. */
  readonly smokeCount?: number
  /** False: there is no run before those that count. For runs that last long and have nothing to warm up. */
  readonly warmUp?: boolean
  /** Prints bytes allocated per operation. For a `run` that is synchronous and stays in this thread. */
  readonly allocation?: boolean
  /** What we aim at, in words: "60 ns or less". Printed beside the result, never enforced. */
  readonly goal?: string
}

export interface Group {
  readonly name: string
  /** Name of the case that the others are a ratio to. */
  readonly baseline?: string
  readonly cases: Readonly<Record<string, Case>>
}

/** Checks a group where it is written, so that a wrong name is an error of its own file. */
export const group = (name: string, options: Omit<Group, "name">): Group => {
  const names = Object.keys(options.cases)
  if (names.length === 0) {
    throw new Error(`benchmark group ${name} has no cases`)
  }
  if (options.baseline !== undefined && !names.includes(options.baseline)) {
    throw new Error(`benchmark group ${name} names the baseline ${options.baseline}, which is not one of its cases`)
  }
  return { name, ...options }
}
