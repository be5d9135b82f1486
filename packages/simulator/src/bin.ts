/**
 * `pnpm simulate transport|store`: lives of whole drivers and clients, or of a store, on simulated machines. The same
 * seed gives the same life, so what one run finds another replays.
 *
 *     --seed N    where to begin; by default chosen by chance and printed
 *     --count N   how many seeds, one after the other (1)
 *     --steps N   how long each life is
 *     --hosts N   machines of a network, 1 to 8; by default the seed decides (transport)
 */
import { randomInt } from "node:crypto"
import { parseArgs } from "node:util"
import { SimulationFailure } from "./SimulationFailure.ts"
import * as StoreSimulation from "./store/StoreSimulation.ts"
import { HOSTS_MAX } from "./transport/Scenario.ts"
import * as TransportSimulation from "./transport/TransportSimulation.ts"

const USAGE = "usage: pnpm simulate transport|store [--seed N] [--count N] [--steps N] [--hosts N]"
const SEED_MAX = 2 ** 31 - 1
/** Failures that are told in full. */
const TOLD_MAX = 10

interface Life {
  readonly seed: number
  readonly steps: number | undefined
  readonly hosts: number | undefined
}

interface Kind {
  readonly run: (life: Life) => { readonly hash: string }
  readonly describe: (report: object) => string
}

const describe = (report: object): string =>
  Object.entries(report)
    .map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join(", ")

const KINDS: Readonly<Record<string, Kind>> = {
  transport: { run: TransportSimulation.run, describe },
  store: { run: StoreSimulation.run, describe }
}

/** Undefined when it is none of the numbers that are allowed. */
const wholeNumber = (text: string | undefined, fallback: number | undefined, min: number, max: number) => {
  const value = text === undefined ? fallback : Number(text)
  if (value !== undefined && !(Number.isSafeInteger(value) && value >= min && value <= max)) {
    throw new RangeError(`${text} is no whole number from ${min} to ${max}`)
  }
  return value
}

const parse = () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: "string" },
      count: { type: "string" },
      steps: { type: "string" },
      hosts: { type: "string" }
    }
  })
  const [name = ""] = positionals
  const kind = KINDS[name]
  if (kind === undefined || positionals.length !== 1) {
    throw new RangeError("simulate the transport or the store")
  }
  return {
    name,
    kind,
    seed: wholeNumber(values.seed, randomInt(SEED_MAX), 0, SEED_MAX)!,
    count: wholeNumber(values.count, 1, 1, SEED_MAX)!,
    steps: wholeNumber(values.steps, undefined, 1, SEED_MAX),
    hosts: wholeNumber(values.hosts, undefined, 1, HOSTS_MAX)
  }
}

const replay = (name: string, { hosts, seed, steps }: Life): string =>
  [
    `pnpm simulate ${name} --seed ${seed}`,
    ...(steps === undefined ? [] : [`--steps ${steps}`]),
    ...(hosts === undefined ? [] : [`--hosts ${hosts}`])
  ].join(" ")

/** What a checker found speaks for itself; of what was thrown otherwise the place counts. */
const textOf = (error: unknown): string =>
  error instanceof Error && !(error instanceof SimulationFailure) ? (error.stack ?? error.message) : String(error)

const main = (): number => {
  const { count, hosts, kind, name, seed: first, steps } = parse()
  const failed: Array<number> = []
  for (let seed = first; seed < first + count; seed++) {
    const life = { seed, steps, hosts }
    try {
      const report = kind.run(life)
      if (count === 1) {
        console.log(kind.describe(report))
      }
    } catch (error) {
      failed.push(seed)
      if (failed.length <= TOLD_MAX) {
        console.log(`seed ${seed}: ${textOf(error)}\n  replay: ${replay(name, life)}`)
      }
    }
  }
  const seeds = count === 1 ? `seed ${first}` : `seeds ${first} to ${first + count - 1}`
  console.log(`${name}: ${seeds}: ${count - failed.length} passed, ${failed.length} failed`)
  return failed.length === 0 ? 0 : 1
}

try {
  process.exitCode = main()
} catch (error) {
  // What `parseArgs` and the ranges refuse.
  console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`)
  process.exitCode = 2
}
