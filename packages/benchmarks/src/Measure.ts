/** Runs one group: opens its cases, warms each up, then takes the runs in turn: a b c, a b c, … */
import { getHeapStatistics } from "node:v8"
import type { Bench, Case, Group, Measurement } from "./Group.ts"
import type { CaseResult, GroupResult } from "./Result.ts"
import { ratio, type Spread, spread } from "./Summary.ts"

const RUNS = 5
const SMOKE_COUNT = 100

/** A run of about this length is long against a timer tick and a minor collection, and short against a noisy minute. */
const RUN_NS = 250e6

/** Calibration stops growing the count here; the rest follows by rule of three. */
const CALIBRATION_NS = 25e6
const COUNT_MAX = 2 ** 31

export interface MeasureOptions {
  /** One short run of each case, to show that it still works. */
  readonly smoke: boolean
  /** Says whether to run the case of this full name. A baseline runs whenever a case beside it does. */
  readonly includes: (name: string) => boolean
}

interface Running {
  readonly name: string
  readonly case: Case
  readonly bench: Bench
  count: number
  readonly measurements: Array<Measurement>
  readonly allocated: Array<number>
}

export const measureGroup = async (group: Group, options: MeasureOptions): Promise<GroupResult> => {
  const running: Array<Running> = []
  try {
    for (const name of selectCases(group, options)) {
      const chosen = group.cases[name]!
      running.push({ name, case: chosen, bench: await chosen.open(), count: 0, measurements: [], allocated: [] })
    }
    for (const entry of running) {
      entry.count = options.smoke
        ? (entry.case.smokeCount ?? SMOKE_COUNT)
        : (entry.case.count ?? (await calibrate(entry.bench)))
      if (entry.case.count !== undefined && entry.case.warmUp !== false && !options.smoke) {
        await timed(entry.bench, entry.count)
      }
    }
    for (let run = 0; run < (options.smoke ? 1 : RUNS); run++) {
      for (const entry of running) {
        await takeRun(entry, options.smoke)
      }
    }
  } finally {
    await closeAll(running)
  }
  return { name: group.name, cases: running.map((entry) => summarize(group, entry, running)) }
}

const selectCases = (group: Group, options: MeasureOptions): ReadonlyArray<string> => {
  const chosen = Object.keys(group.cases).filter((name) => options.includes(`${group.name}/${name}`))
  if (chosen.length === 0 || group.baseline === undefined || chosen.includes(group.baseline)) {
    return chosen
  }
  return [group.baseline, ...chosen]
}

/** The count whose run takes about `RUN_NS`. Warms the code up on the way. */
const calibrate = async (bench: Bench): Promise<number> => {
  let count = 1
  for (;;) {
    const { elapsedNs, operations } = await timed(bench, count)
    if (elapsedNs >= CALIBRATION_NS || count >= COUNT_MAX) {
      return Math.max(1, Math.min(COUNT_MAX, Math.round((operations * RUN_NS) / elapsedNs)))
    }
    count *= 2
  }
}

const timed = async (bench: Bench, count: number): Promise<Measurement> => {
  const start = process.hrtime.bigint()
  const pending = bench.run(count)
  const measurement = pending instanceof Promise ? await pending : pending
  return measurement ?? { operations: count, elapsedNs: Number(process.hrtime.bigint() - start) }
}

const takeRun = async (entry: Running, smoke: boolean): Promise<void> => {
  // The few operations of a smoke run would share out what the engine allocates to compile them.
  const countsAllocation = entry.case.allocation === true && !smoke
  const before = countsAllocation ? allocatedBytes() : undefined
  const measurement = await timed(entry.bench, entry.count)
  if (!(measurement.operations > 0 && measurement.elapsedNs > 0)) {
    throw new Error(`${entry.name} reports ${measurement.operations} operations in ${measurement.elapsedNs} ns`)
  }
  if (before !== undefined) {
    entry.allocated.push((allocatedBytes()! - before) / measurement.operations)
  }
  entry.measurements.push(measurement)
}

/** Bytes this isolate has allocated so far; Node counts them from version 26 on. */
const allocatedBytes = (): number | undefined => {
  const statistics: { readonly total_allocated_bytes?: number } = getHeapStatistics()
  return statistics.total_allocated_bytes
}

/** Closes what was opened, also when one of them fails, and fails with the first failure. */
const closeAll = async (running: ReadonlyArray<Running>): Promise<void> => {
  const closed = await Promise.allSettled(running.map(async (entry) => entry.bench.close?.()))
  const failed = closed.find((result) => result.status === "rejected")
  if (failed !== undefined) {
    throw failed.reason
  }
}

const rate = ({ elapsedNs, operations }: Measurement): number => (operations * 1e9) / elapsedNs

const summarize = (group: Group, entry: Running, running: ReadonlyArray<Running>): CaseResult => {
  const baseline = running.find((other) => other.name === group.baseline && other !== entry)
  const rates = entry.measurements.map(rate)
  const perSecond = spread(rates)
  const figures = summarizeFigures(entry.measurements)
  return {
    name: `${group.name}/${entry.name}`,
    runs: rates.length,
    operations: entry.measurements[0]!.operations,
    nsPerOperation: spread(rates.map((value) => 1e9 / value)),
    operationsPerSecond: perSecond,
    ...(entry.case.bytes === undefined ? {} : { bytesPerSecond: perSecond.median * entry.case.bytes }),
    ...(entry.allocated.length === 0 ? {} : { allocatedBytesPerOperation: spread(entry.allocated).median }),
    ...(baseline === undefined
      ? {}
      : { ratio: ratio(rates, baseline.measurements.map(rate)), baseline: baseline.name }),
    ...(figures === undefined ? {} : { figures }),
    ...(entry.case.goal === undefined ? {} : { goal: entry.case.goal })
  }
}

const summarizeFigures = (measurements: ReadonlyArray<Measurement>): Record<string, Spread> | undefined => {
  const names = Object.keys(measurements[0]!.figures ?? {})
  if (names.length === 0) {
    return undefined
  }
  const spreadOf = (name: string) => spread(measurements.flatMap((measurement) => measurement.figures?.[name] ?? []))
  return Object.fromEntries(names.map((name) => [name, spreadOf(name)]))
}
