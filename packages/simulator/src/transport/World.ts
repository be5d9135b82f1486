/** Hosts on one network in one time, and the streams between them. A step gives everybody a turn, in an order of chance. */
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import type { ClientPublication } from "../../../transport/src/client/ClientPublication.ts"
import type { ConcludedSettings } from "../../../transport/src/MediaDriverConfig.ts"
import { SimulatedNetwork } from "../../../transport/src/media/SimulatedNetwork.ts"
import type { NameResolver } from "../../../transport/src/naming/NameResolver.ts"
import { SeededRandom } from "../../../transport/src/simulation/SeededRandom.ts"
import { SimulatedTime } from "../../../transport/src/simulation/SimulatedClock.ts"
import type { SimulationFailure } from "../SimulationFailure.ts"
import { Trace } from "../Trace.ts"
import { Application } from "./Application.ts"
import { FlowCheck } from "./FlowCheck.ts"
import { Host } from "./Host.ts"
import { Ledger } from "./Ledger.ts"
import { Publisher } from "./Publisher.ts"
import { addressOf, nameOf, type Scenario, type StreamPlan } from "./Scenario.ts"
import { Subscriber } from "./Subscriber.ts"

/** Datagrams that a socket holds. */
const QUEUE_LENGTH = 1000
/** Steps between two looks at the positions of a driver. */
const STEPS_PER_LOOK = 4

export class World {
  readonly scenario: Scenario
  readonly trace = new Trace()
  readonly time = new SimulatedTime()
  readonly network: SimulatedNetwork
  readonly hosts: ReadonlyArray<Host>
  readonly random: SeededRandom
  /** Nobody offers or misbehaves any more: what is there is read to its end. */
  isDraining = false
  steps = 0
  private readonly ledgers = new Map<string, Ledger>()
  private readonly ledgerOfPublisher = new Map<number, Ledger>()
  private nextId = 0
  /** Of one host in one step. */
  private readonly turns: Array<number> = []
  private failure: SimulationFailure | undefined = undefined

  constructor(seed: number, scenario: Scenario, settings: ConcludedSettings) {
    this.scenario = scenario
    this.random = new SeededRandom(seed ^ 0x5eed)
    const networkRandom = this.random.fork()
    this.network = new SimulatedNetwork({
      nanoTime: () => this.time.nowNs,
      random: () => networkRandom.next(),
      queueLength: QUEUE_LENGTH
    })
    const flow = new FlowCheck(this.trace, (failure) => this.fail(failure))
    this.network.tap = (datagram, source, target) => flow.onDatagram(datagram, source, target)
    const resolver = resolverOf(scenario.hostCount)
    const { threading } = scenario
    const surroundings = { time: this.time, network: this.network, resolver, settings, threading }
    this.hosts = Array.from(
      { length: scenario.hostCount },
      (_, index) => new Host(index, surroundings, this.random.fork())
    )
  }

  get nowNs(): number {
    return this.time.nowNs
  }

  get applications(): ReadonlyArray<Application> {
    return this.hosts.flatMap(({ applications }) => applications)
  }

  /** Found where nothing may be thrown; the step ends with it. */
  fail(failure: SimulationFailure): void {
    this.failure ??= failure
  }

  step(elapsedNs: number): void {
    this.time.advance(elapsedNs)
    this.steps++
    const { hosts } = this
    const first = this.random.below(hosts.length)
    for (let i = 0; i < hosts.length; i++) {
      this.stepHost(hosts[(first + i) % hosts.length]!)
    }
    if (this.failure !== undefined) {
      throw this.failure
    }
  }

  startApplication(host: Host): Application {
    const application = new Application(host, (failure) => this.fail(failure))
    host.applications.push(application)
    return application
  }

  endApplication(application: Application, isKilled: boolean): void {
    const { applications } = application.host
    applications.splice(applications.indexOf(application), 1)
    if (isKilled) {
      application.kill()
    } else {
      application.close()
    }
  }

  killDriver(host: Host, restartNs: number): void {
    host.killDriver(restartNs)
    for (const [key, ledger] of this.ledgers) {
      ledger.isBroken ||= key.startsWith(`${host.index}/`)
    }
  }

  publish(application: Application, plan: StreamPlan, isExclusive: boolean, extra: string): void {
    const channel = `${plan.publicationChannel}${extra}`
    application.addPublication(channel, plan.streamId, isExclusive, (publication) =>
      this.onPublication(application, plan, publication)
    )
  }

  subscribe(application: Application, plan: StreamPlan): void {
    const isTether = !plan.hasUntethered || this.random.chance(0.5)
    const channel = `${plan.subscriptionChannel}|tether=${isTether}`
    application.addSubscription(channel, plan.streamId, (subscription) => {
      application.subscribers.push(
        new Subscriber(this.nextId++, plan, isTether, subscription, {
          trace: this.trace,
          ledgerOf: (publisherId) => this.ledgerOfPublisher.get(publisherId),
          onFailure: (failure) => this.fail(failure)
        })
      )
    })
  }

  private onPublication(application: Application, plan: StreamPlan, publication: ClientPublication): void {
    const { host } = application
    const key = `${host.index}/${host.generation}/${publication.originalRegistrationId}`
    const ledger = this.ledgers.get(key) ?? new Ledger(publication.sessionId, publication.streamId)
    this.ledgers.set(key, ledger)
    const publisher = new Publisher(this.nextId++, plan, publication, ledger)
    this.ledgerOfPublisher.set(publisher.id, ledger)
    application.publishers.push(publisher)
    this.trace.note(4, publisher.id, publication.sessionId)
  }

  /** Threads of the driver and processes of the host, in an order of chance. */
  private stepHost(host: Host): void {
    const { applications, driver, positions } = host
    const agents = driver?.agents ?? []
    const { turns } = this
    let left = agents.length + applications.length
    for (let index = 0; index < left; index++) {
      turns[index] = index
    }
    while (left > 0) {
      const chosen = this.random.below(left--)
      const turn = turns[chosen]!
      turns[chosen] = turns[left]!
      if (turn < agents.length) {
        this.stepAgent(host, agents[turn]!, turn)
      } else {
        this.stepApplication(applications[turn - agents.length]!)
      }
    }
    if (this.steps % STEPS_PER_LOOK === 0) {
      positions?.look()
    }
  }

  /** A driver of several threads has them run now and then twice, or not at all. */
  private stepAgent(host: Host, agent: Agent, thread: number): void {
    const isOneOfMany = this.scenario.threading !== "shared" && !this.isDraining
    for (let turns = isOneOfMany ? this.random.below(3) : 1; turns > 0; turns--) {
      if (!host.isStalled(thread, this.nowNs)) {
        agent.doWork(host.clock.nanoTime())
      }
    }
  }

  private stepApplication(application: Application): void {
    if (this.nowNs < application.stalledUntilNs || !application.isAlive) {
      return
    }
    application.doWork()
    if (!application.isAlive) {
      return
    }
    const { random, scenario } = this
    for (const subscriber of application.subscribers) {
      if (this.isDraining) {
        subscriber.drain()
      } else if (random.chance(scenario.readChance)) {
        subscriber.step(random, this.nowNs)
      }
    }
    if (this.isDraining) {
      return
    }
    for (const publisher of application.publishers) {
      for (let offers = random.below(scenario.offersPerStep + 1); offers > 0; offers--) {
        publisher.step(random, this.nowNs)
      }
    }
  }
}

/** Looking a name up takes a few looks. */
const resolverOf = (hostCount: number): NameResolver => ({
  resolve: (name) => {
    let looks = 2
    return {
      poll: () => {
        if (looks-- > 0) {
          return undefined
        }
        for (let host = 0; host < hostCount; host++) {
          if (nameOf(host) === name) {
            return { _tag: "Resolved", address: addressOf(host) }
          }
        }
        return { _tag: "Unknown", detail: `${name} is not known` }
      }
    }
  }
})
