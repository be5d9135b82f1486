/** What one seed means: how many hosts and streams there are, of which kinds, and what goes wrong how often. */
import type { Threading } from "../../../transport/src/internal/driverThreads.ts"
import type { SeededRandom } from "../../../transport/src/simulation/SeededRandom.ts"

export interface StreamPlan {
  readonly streamId: number
  /** Undefined = over IPC, on every host. */
  readonly subscriberHost: number | undefined
  readonly isReliable: boolean
  /** Subscriptions that may be left behind are among those of the stream. */
  readonly hasUntethered: boolean
  readonly publicationChannel: string
  readonly subscriptionChannel: string
  readonly messageLengthMax: number
}

/** Chances a step. */
export interface FaultRates {
  readonly lossRate: number
  readonly duplicateRate: number
  readonly reorderRate: number
  readonly delayMaxNs: number
  readonly partition: number
  readonly networkChange: number
  readonly stall: number
  readonly clientDeath: number
  readonly clientClose: number
  readonly driverDeath: number
  readonly clockJump: number
  readonly publicationChange: number
  readonly subscriptionChange: number
  readonly reject: number
}

export interface Scenario {
  readonly hostCount: number
  readonly clientsPerHost: number
  readonly streams: ReadonlyArray<StreamPlan>
  readonly faults: FaultRates
  readonly imageLivenessMs: number
  readonly lingerMs: number
  readonly isMeasuringRtt: boolean
  /** Of publications over UDP, which each have one receiver here. */
  readonly flowControl: "unicast" | "max" | "min" | "tagged"
  /** How much of the time each subscriber reads. */
  readonly readChance: number
  readonly offersPerStep: number
  /** Threads of a driver have their turns in any order, and some of them more often than others. */
  readonly threading: Threading
}

export const HOSTS_MAX = 8

const MTUS = [1408, 1408, 512, 4096, 64]

export const addressOf = (host: number): Uint8Array => Uint8Array.of(10, 0, 0, host + 1)

export const nameOf = (host: number): string => `host${host}`

/** Behind the last term id that 31 bits hold, they go on with the most negative one. */
const parametersOf = (random: SeededRandom): string => {
  const parts = [`mtu=${random.pick(MTUS)}`, "term-length=64k"]
  if (random.chance(0.2)) {
    parts.push("eos=false")
  }
  return parts.join("|")
}

const streamOf = (random: SeededRandom, hostCount: number, index: number): StreamPlan => {
  const isIpc = random.chance(0.2)
  const isReliable = isIpc || random.chance(0.85)
  const subscriberHost = isIpc ? undefined : random.below(hostCount)
  const endpoint =
    subscriberHost === undefined
      ? "aeron:ipc?"
      : `aeron:udp?endpoint=${random.chance(0.5) ? nameOf(subscriberHost) : addressOf(subscriberHost).join(".")}:${20_000 + index}|`
  const parameters = parametersOf(random).split("|")
  const publication = parameters.filter((part) => !(isIpc && part.startsWith("eos"))).join("|")
  const subscription = [`reliable=${isReliable}`]
  if (!isIpc) {
    subscription.push(random.chance(0.5) ? "cc=cubic" : "cc=static")
    subscription.push(`rcv-wnd=${random.pick(["8k", "16k", "32k", "128k"])}`)
  }
  return {
    streamId: 1000 + index,
    subscriberHost,
    isReliable,
    hasUntethered: random.chance(0.25),
    publicationChannel: `${endpoint}${publication}`,
    subscriptionChannel: `${endpoint}${subscription.join("|")}`,
    messageLengthMax: random.pick([64, 300, 2000, 8000])
  }
}

/** Half of the seeds have only some kinds of faults, so that each is also seen without the noise of the others. */
const faultsOf = (random: SeededRandom): FaultRates => {
  const isCalm = random.chance(0.15)
  const some = (probability: number, rate: number): number =>
    !isCalm && random.chance(probability) ? rate * random.next() : 0
  return {
    lossRate: some(0.7, 0.25),
    duplicateRate: some(0.5, 0.2),
    reorderRate: some(0.5, 0.2),
    delayMaxNs: some(0.7, 20e6),
    partition: some(0.5, 0.004),
    networkChange: some(0.5, 0.005),
    stall: some(0.5, 0.01),
    clientDeath: some(0.4, 0.002),
    clientClose: some(0.4, 0.002),
    driverDeath: some(0.25, 0.001),
    clockJump: some(0.3, 0.002),
    publicationChange: some(0.6, 0.01),
    subscriptionChange: some(0.5, 0.008),
    reject: some(0.1, 0.002)
  }
}

export const scenarioOf = (random: SeededRandom, hosts: number | undefined): Scenario => {
  const hostCount = hosts ?? random.between(1, 4)
  const streamCount = random.between(1, 4)
  return {
    hostCount,
    clientsPerHost: random.between(1, 3),
    streams: Array.from({ length: streamCount }, (_, index) => streamOf(random, hostCount, index)),
    faults: faultsOf(random),
    imageLivenessMs: random.pick([2000, 5000, 10_000]),
    lingerMs: random.pick([500, 2000, 5000]),
    isMeasuringRtt: random.chance(0.3),
    readChance: random.pick([0.05, 0.3, 0.9, 1]),
    offersPerStep: random.pick([1, 3, 10]),
    flowControl: random.pick(["unicast", "unicast", "max", "min", "tagged"]),
    threading: random.pick(["shared", "sharedNetwork", "dedicated"])
  }
}
