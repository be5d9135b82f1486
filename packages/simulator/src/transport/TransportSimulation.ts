/**
 * One life of a few hosts, from one seed: they publish and subscribe while the network, the processes and the clocks go
 * wrong; then nothing goes wrong any more, and everything that is there has to arrive; then all of it is closed, and
 * nothing may be left.
 */
import * as Effect from "effect/Effect"
import * as MediaDriverConfig from "../../../transport/src/MediaDriverConfig.ts"
import * as SystemCounters from "../../../transport/src/driver/SystemCounters.ts"
import { SeededRandom } from "../../../transport/src/simulation/SeededRandom.ts"
import { check } from "../SimulationFailure.ts"
import type { Application } from "./Application.ts"
import { Faults } from "./Faults.ts"
import type { Host } from "./Host.ts"
import type { Publisher } from "./Publisher.ts"
import { type Scenario, scenarioOf } from "./Scenario.ts"
import type { Subscriber } from "./Subscriber.ts"
import { World } from "./World.ts"

export interface TransportOptions {
  readonly seed: number
  readonly hosts?: number | undefined
  readonly steps?: number | undefined
  /** Breaks the world in a way that a checker has to find. */
  readonly sabotage?: ((world: World) => void) | undefined
}

export interface TransportReport {
  readonly seed: number
  readonly hash: string
  readonly threading: Scenario["threading"]
  readonly steps: number
  readonly seconds: number
  readonly offered: number
  readonly read: number
  /** How often what the faults are for has happened, as the drivers that were there at the end have counted it. */
  readonly seen: Readonly<Record<string, number>>
}

const STEPS_DEFAULT = 2000
const MS = 1e6
const SECOND = 1e9
/** Enough for every timeout of a driver to pass, one after the other. */
const SETTLE_NS = 45 * SECOND
const NOTICE_NS = 15 * SECOND
const LAST_OFFER_NS = 60 * SECOND
const CLOSING_NS = 90 * SECOND

export const run = (options: TransportOptions): TransportReport => {
  const { seed, steps = STEPS_DEFAULT } = options
  const scenario = scenarioOf(new SeededRandom(seed), options.hosts)
  const world = new World(seed, scenario, settingsOf(scenario))
  for (const host of world.hosts) {
    host.startDriver()
  }
  const faults = new Faults(world)
  const counts = { offered: 0, read: 0 }
  options.sabotage?.(world)
  for (let step = 0; step < steps; step++) {
    faults.step()
    world.step(durationOf(world.random))
  }
  faults.end()
  world.isDraining = true
  // Clients of a driver that died notice it in this time, and their processes begin anew.
  pass(world, NOTICE_NS, 50 * MS)
  faults.restart()
  pass(world, SETTLE_NS, 20 * MS)
  checkDrained(world)
  publishLast(world)
  for (const { publishers, subscribers } of world.applications) {
    counts.offered += publishers.reduce((sum, { ledger }) => sum + ledger.entries.length, 0)
    counts.read += subscribers.reduce((sum, { readCount }) => sum + readCount, 0)
  }
  closeAll(world)
  const seen = seenBy(world)
  world.hosts.forEach(closeDriver)
  return {
    seed,
    hash: world.trace.hash,
    threading: scenario.threading,
    steps: world.steps,
    seconds: Math.round(world.nowNs / SECOND),
    ...counts,
    seen
  }
}

const settingsOf = (scenario: Scenario): MediaDriverConfig.ConcludedSettings =>
  Effect.runSync(
    MediaDriverConfig.conclude({
      termBufferLength: 64 * 1024,
      ipcTermBufferLength: 64 * 1024,
      imageLivenessTimeout: scenario.imageLivenessMs,
      publicationLingerTimeout: scenario.lingerMs,
      timerInterval: "250 millis",
      untetheredWindowLimitTimeout: "500 millis",
      untetheredRestingTimeout: "2 seconds",
      cubicMeasureRtt: scenario.isMeasuringRtt,
      unicastFlowControl: scenario.flowControl
    })
  )

/** Mostly short, as the turns of a busy loop are; now and then long, as if the machine had slept. */
const durationOf = (random: SeededRandom): number => {
  const kind = random.next()
  if (kind < 0.6) {
    return random.between(20_000, 500_000)
  }
  if (kind < 0.93) {
    return random.between(MS, 5 * MS)
  }
  return kind < 0.995 ? random.between(10 * MS, 60 * MS) : random.between(100 * MS, 500 * MS)
}

const pass = (world: World, durationNs: number, stepNs: number, isOver: () => boolean = () => false): boolean => {
  for (const endNs = world.nowNs + durationNs; world.nowNs < endNs;) {
    if (isOver()) {
      return true
    }
    world.step(stepNs)
  }
  return isOver()
}

interface Pair {
  readonly publisher: Publisher
  readonly subscriber: Subscriber
}

const isReaching = (from: Application, publisher: Publisher, to: Application, subscriber: Subscriber): boolean =>
  publisher.plan === subscriber.plan && (publisher.plan.subscriberHost !== undefined || from.host === to.host)

/** Every publication that is there, with every subscription of its stream that is there. */
const pairsOf = (world: World): ReadonlyArray<Pair> => {
  const living = world.applications.filter(({ isAlive }) => isAlive)
  return living.flatMap((from) =>
    from.publishers.flatMap((publisher) =>
      living.flatMap((to) =>
        to.subscribers
          .filter((subscriber) => isReaching(from, publisher, to, subscriber))
          .map((subscriber) => ({ publisher, subscriber }))
      )
    )
  )
}

const describe = ({ publisher, subscriber }: Pair): string =>
  `publisher ${publisher.id} (session ${publisher.publication.sessionId}, ${publisher.plan.publicationChannel}) to subscriber ${subscriber.id}`

/** Each image has come to where its publication stands. */
const checkDrained = (world: World): void => {
  for (const pair of pairsOf(world)) {
    const { publisher, subscriber } = pair
    const image = subscriber.subscription.current.find(({ sessionId }) => sessionId === publisher.publication.sessionId)
    const position = publisher.publication.position()
    if (image !== undefined) {
      check(
        image.position === position,
        "everything drains",
        () => `${describe(pair)} stands at ${image.position}, and was offered up to ${position}`
      )
    }
  }
}

/** A last message of each publication reaches each subscription of its stream. */
const publishLast = (world: World): void => {
  const pairs = pairsOf(world)
  const waiting = new Set(pairs.map(({ publisher }) => publisher))
  const isOffered = (): boolean => {
    for (const publisher of waiting) {
      if (publisher.offerLast()) {
        waiting.delete(publisher)
      }
    }
    return waiting.size === 0
  }
  const areOffered = pass(world, LAST_OFFER_NS, 20 * MS, isOffered)
  const describeWaiting = (publisher: Publisher): string =>
    describe(pairs.find((pair) => pair.publisher === publisher)!)
  check(areOffered, "streams connect again", () => [...waiting].map(describeWaiting).join("; "))
  const isUnread = ({ publisher, subscriber }: Pair): boolean => !subscriber.hasReadAll(publisher.ledger)
  const areRead = pass(world, LAST_OFFER_NS, 20 * MS, () => !pairs.some(isUnread))
  check(areRead, "everything drains", () => pairs.filter(isUnread).map(describe).join("; "))
}

/** Everybody leaves; when all timeouts have passed there is nothing left of them. */
const closeAll = (world: World): void => {
  for (const application of world.applications) {
    if (world.random.chance(0.5)) {
      application.publishers.slice().forEach((publisher) => application.closePublisher(publisher, false))
      application.subscribers.slice().forEach((subscriber) => application.closeSubscriber(subscriber))
      pass(world, 100 * MS, 10 * MS)
    }
    world.endApplication(application, world.random.chance(0.2))
  }
  pass(world, CLOSING_NS, 100 * MS)
  for (const host of world.hosts) {
    checkNothingLeft(host)
  }
  const { bound } = world.network
  check(bound.length === 0, "no resource is left", () => `sockets are bound: ${bound.join(", ")}`)
}

const closeDriver = ({ driver, files }: Host): void => {
  driver?.close()
  check(files.paths.length === 0, "no resource is left", () => `a closed driver left ${files.paths.join()}`)
}

const SEEN = {
  naks: SystemCounters.NAK_MESSAGES_SENT,
  retransmits: SystemCounters.RETRANSMITS_SENT,
  gapsFilled: SystemCounters.LOSS_GAP_FILLS,
  limitsReached: SystemCounters.SENDER_FLOW_CONTROL_LIMITS,
  duplicates: SystemCounters.FLOW_CONTROL_UNDER_RUNS,
  unblocked: SystemCounters.UNBLOCKED_PUBLICATIONS,
  clientsTimedOut: SystemCounters.CLIENT_TIMEOUTS,
  revoked: SystemCounters.PUBLICATIONS_REVOKED,
  rejected: SystemCounters.IMAGES_REJECTED
}

const seenBy = ({ hosts }: World): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(SEEN).map(([name, id]) => [
      name,
      hosts.reduce((sum, { driver }) => sum + (driver?.counters.position(id) ?? 0), 0)
    ])
  )

const checkNothingLeft = ({ directory, driver, files }: Host): void => {
  const counters: Array<string> = []
  driver?.counters.forEach(({ label, typeId }) => {
    if (typeId !== 0) {
      counters.push(label)
    }
  })
  check(counters.length === 0, "no resource is left", () => `${directory} has the counters ${counters.join("; ")}`)
  const left = files.paths.filter((path) => path.endsWith(".logbuffer"))
  check(left.length === 0, "no resource is left", () => `${directory} has the logs ${left.join("; ")}`)
  const mapped = driver?.mappings.names.filter((name) => name.endsWith(".logbuffer")) ?? []
  check(mapped.length === 0, "no resource is left", () => `${directory} has mapped ${mapped.join("; ")}`)
  const errors = driver?.errors.filter((text) => !isExpectedError(text)) ?? []
  check(errors.length === 0, "drivers note no errors", () => `${directory}: ${errors.join("\n")}`)
}

/** Commands that were refused for a good reason. */
const isExpectedError = (text: string): boolean =>
  /WARN|session-id|clash|unknown publication|unknown subscription|resolve image/i.test(text)
