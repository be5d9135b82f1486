/** What goes wrong: drawn each step, by the rates of the scenario. */
import type { SeededRandom } from "../../../transport/src/simulation/SeededRandom.ts"
import type { Application } from "./Application.ts"
import type { Host } from "./Host.ts"
import { addressOf, type FaultRates, type StreamPlan } from "./Scenario.ts"
import type { World } from "./World.ts"

const SECOND_NS = 1e9
/** Longer than any liveness timeout. */
const OUTAGE_NS_MAX = 14 * SECOND_NS
/** Shorter than the time after which a client is given up. */
const STALL_NS_MAX = 3 * SECOND_NS
const HOUR_MS = 3_600_000

interface Partition {
  readonly source: string
  readonly target: string
  readonly untilNs: number
}

export class Faults {
  private readonly world: World
  private readonly random: SeededRandom
  private partitions: Array<Partition> = []
  /** Sessions that were closed, by the host that may take them again. */
  private readonly sessions = new Map<Host, Array<number>>()

  constructor(world: World) {
    this.world = world
    this.random = world.random.fork()
    this.changeNetwork()
  }

  step(): void {
    const { random, world } = this
    const { faults } = world.scenario
    const happens = (rate: keyof FaultRates): boolean => random.chance(faults[rate])
    this.partitions = this.partitions.filter(({ untilNs }) => untilNs > world.nowNs)
    if (happens("networkChange")) {
      this.changeNetwork()
    }
    if (happens("partition")) {
      this.partition()
    }
    if (happens("stall")) {
      this.stall()
    }
    if (happens("driverDeath")) {
      this.world.killDriver(random.pick(world.hosts), world.nowNs + random.next() * OUTAGE_NS_MAX)
    }
    if (happens("clockJump")) {
      this.jumpClock()
    }
    this.changeApplications(happens)
    this.restart()
  }

  /** Everything that was broken is whole again, and stays so. */
  end(): void {
    const { world } = this
    this.partitions = []
    world.network.heal()
    for (const host of world.hosts) {
      host.endStalls()
      host.restartNs = 0
      host.setClockRight()
    }
    for (const application of world.applications) {
      application.stalledUntilNs = 0
      for (const subscriber of application.subscribers) {
        subscriber.stalledUntilNs = 0
      }
      for (const publisher of application.publishers) {
        publisher.settle(true)
      }
    }
    this.restart()
  }

  /** A process with a client begins: it publishes some of the streams, and subscribes to some. */
  begin(host: Host, isFirst: boolean): void {
    const { random, world } = this
    const application = world.startApplication(host)
    for (const plan of world.scenario.streams) {
      if (isSubscribable(plan, host) && (isFirst || random.chance(0.5))) {
        world.subscribe(application, plan)
      }
      if (isFirst || random.chance(0.5)) {
        this.publish(application, plan)
      }
    }
  }

  private publish(application: Application, plan: StreamPlan): void {
    const { random } = this
    const isExclusive = random.chance(0.5)
    const extra: Array<string> = []
    if (isExclusive && random.chance(0.5)) {
      // Near the last term id that 31 bits hold, behind which they go on with the most negative one.
      const initial = random.chance(0.5) ? 2 ** 31 - random.between(1, 3) : random.int32()
      const offset = random.below(2048) * 32
      extra.push(`|init-term-id=${initial}|term-id=${(initial + random.below(3)) | 0}|term-offset=${offset}`)
    }
    const session = isExclusive && random.chance(0.5) ? this.sessions.get(application.host)?.pop() : undefined
    if (session !== undefined) {
      extra.push(`|session-id=${session}`)
    }
    this.world.publish(application, plan, isExclusive, extra.join(""))
  }

  private changeNetwork(): void {
    const { random, world } = this
    const { delayMaxNs, duplicateRate, lossRate, reorderRate } = world.scenario.faults
    const { network } = world
    network.faults.lossRate = lossRate * random.next()
    network.faults.duplicateRate = duplicateRate * random.next()
    network.faults.reorderRate = reorderRate * random.next()
    network.faults.reorderDelayNs = random.next() * 10e6
    network.faults.delayMaxNs = delayMaxNs * random.next()
    network.faults.delayMinNs = network.faults.delayMaxNs * random.next()
    network.faults.isPartitioned = (source, target) =>
      this.partitions.some((partition) => partition.source === source.host && partition.target === target.host)
  }

  private partition(): void {
    const { random, world } = this
    const hostText = (): string => addressOf(random.below(world.scenario.hostCount)).join(".")
    const source = hostText()
    const target = hostText()
    const untilNs = world.nowNs + random.next() * OUTAGE_NS_MAX
    this.partitions.push({ source, target, untilNs })
    if (random.chance(0.5)) {
      this.partitions.push({ source: target, target: source, untilNs })
    }
  }

  private stall(): void {
    const { random, world } = this
    const untilNs = world.nowNs + random.next() * STALL_NS_MAX
    const application = world.applications.length === 0 ? undefined : random.pick(world.applications)
    switch (random.below(3)) {
      case 0:
        this.stallDriver(random.pick(world.hosts), untilNs)
        break
      case 1:
        if (application !== undefined) {
          application.stalledUntilNs = untilNs
        }
        break
      default:
        for (const subscriber of application?.subscribers ?? []) {
          subscriber.stalledUntilNs = world.nowNs + random.next() * OUTAGE_NS_MAX
        }
    }
  }

  /** All of its threads, or one while the others go on. */
  private stallDriver(host: Host, untilNs: number): void {
    const { length } = host.driver?.agents ?? []
    const thread = length > 1 ? this.random.below(length + 1) : length
    host.stall(untilNs, thread === length ? undefined : thread)
  }

  private jumpClock(): void {
    const { random, world } = this
    const jumpMs = random.pick([3000, HOUR_MS])
    random.pick(world.hosts).jumpClock(random.between(-jumpMs, jumpMs))
  }

  private changeApplications(happens: (rate: keyof FaultRates) => boolean): void {
    const { random, world } = this
    const living = world.applications.filter(({ isAlive }) => isAlive)
    if (living.length === 0) {
      return
    }
    const application = random.pick(living)
    if (happens("publicationChange")) {
      this.changePublications(application)
    }
    if (happens("subscriptionChange")) {
      this.changeSubscriptions(application)
    }
    if (happens("reject") && application.subscribers.length > 0) {
      application.rejectImage(random.pick(application.subscribers))
    }
    if (happens("clientDeath")) {
      world.endApplication(application, true)
    } else if (happens("clientClose")) {
      world.endApplication(application, false)
    }
  }

  private changePublications(application: Application): void {
    const { random, world } = this
    if (application.publishers.length > 0 && random.chance(0.5)) {
      const publisher = random.pick(application.publishers)
      const { isExclusive, sessionId } = publisher.publication
      application.closePublisher(publisher, isExclusive && random.chance(0.2))
      this.leaveSession(application.host, sessionId)
    } else {
      this.publish(application, random.pick(world.scenario.streams))
    }
  }

  /** One that others still publish to is not free. */
  private leaveSession(host: Host, sessionId: number): void {
    const isUsed = this.world.applications.some(({ publishers }) =>
      publishers.some(({ publication }) => publication.sessionId === sessionId)
    )
    if (!isUsed) {
      this.sessions.set(host, [...(this.sessions.get(host) ?? []), sessionId])
    }
  }

  private changeSubscriptions(application: Application): void {
    const { random, world } = this
    if (application.subscribers.length > 0 && random.chance(0.5)) {
      application.closeSubscriber(random.pick(application.subscribers))
      return
    }
    const plan = random.pick(world.scenario.streams)
    if (isSubscribable(plan, application.host)) {
      world.subscribe(application, plan)
    }
  }

  /** Drivers and processes that are gone are started again: as many as there were. */
  restart(): void {
    const { scenario, hosts, nowNs } = this.world
    for (const host of hosts) {
      for (const application of host.applications.filter(({ isAlive }) => !isAlive)) {
        this.world.endApplication(application, true)
      }
      if (host.driver === undefined && nowNs >= host.restartNs) {
        host.startDriver()
      }
      while (host.driver !== undefined && host.applications.length < scenario.clientsPerHost) {
        this.begin(host, host.applications.length === 0)
      }
    }
  }
}

const isSubscribable = (plan: StreamPlan, host: Host): boolean =>
  plan.subscriberHost === undefined || plan.subscriberHost === host.index
