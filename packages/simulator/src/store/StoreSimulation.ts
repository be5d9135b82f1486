/**
 * Some lives of one store, from one seed: messages are put while its disk fails, fills up and forgets, and each life ends
 * in order, with its process or with its machine. After each the store has every message that was promised, once, and
 * nothing that was never put. In the end nothing fails any more, and it takes and keeps messages as if nothing had been.
 */
import { SeededRandom } from "../../../transport/src/simulation/SeededRandom.ts"
import type { MessageInput } from "../../../store/src/commitlog/MessageInput.ts"
import { PutRefusal, type PutResult } from "../../../store/src/engine/PutResult.ts"
import * as FileNaming from "../../../store/src/mapped/FileNaming.ts"
import { FileFailure } from "../../../store/src/mapped/FileSystem.ts"
import type { FaultyOperation } from "../../../store/src/mapped/SimulatedDisk.ts"
import { DamagedLog } from "../../../store/src/recovery/Recovery.ts"
import { SimulatedStore } from "../../../store/test/fixtures/SimulatedStore.ts"
import { check, SimulationFailure } from "../SimulationFailure.ts"
import { Trace } from "../Trace.ts"
import * as StoreContents from "./StoreContents.ts"
import * as StoreReads from "./StoreReads.ts"
import { type StoreScenario, scenarioOf } from "./StoreScenario.ts"

export interface StoreLives {
  readonly seed: number
  /** Puts of all lives together. */
  readonly steps?: number | undefined
  /** A disk that says it has synced and has not, which a checker has to find. */
  readonly isLying?: boolean | undefined
  /** Breaks the store in a way that a checker has to find. */
  readonly sabotage?: ((store: SimulatedStore) => void) | undefined
}

export interface StoreReport {
  readonly seed: number
  readonly hash: string
  readonly put: number
  readonly promised: number
  readonly refused: number
  readonly faults: number
  readonly flips: number
  readonly unread: number
  readonly crashes: number
}

const STEPS_DEFAULT = 160
const HOUR_MS = 3_600_000
const TOPICS = 2
const QUEUES = 2
/** Openings that may fail before the disk lets one through. */
const OPENINGS_MAX = 4
/** Enough for every service to have had its turn. */
const QUIET_MS = 400

/** Others fail for want of room. */
const DEVICE_FAULTS: ReadonlySet<FaultyOperation> = new Set(["sync", "write", "prefetch"])

class Life {
  readonly random: SeededRandom
  readonly scenario: StoreScenario
  readonly store: SimulatedStore
  readonly trace = new Trace()
  faults = 0
  refused = 0
  flips = 0
  /** Reads that failed with their device. */
  unread = 0
  private nextNumber = 0
  private crashesBefore = 0
  private isFaulty = false
  private readonly lives: StoreLives
  /** Positions by number of what was put, and may be there. */
  private readonly known = new Map<number, number>()
  /** Positions by number of what has to be there. */
  readonly promised = new Map<number, number>()
  /** Length of the record at each position. */
  private readonly lengths = new Map<number, number>()
  /** Everything before this position was dispatched when the last life ended. */
  private dispatchedTo = 0

  constructor(lives: StoreLives) {
    this.lives = lives
    this.random = new SeededRandom(lives.seed)
    this.scenario = scenarioOf(this.random)
    const { capacityBytes, faults, options } = this.scenario
    this.store = new SimulatedStore(this.random.int32() || 1, options, capacityBytes, lives.isLying === true)
    this.store.filterBits = StoreContents.bitsOf
    const faultRandom = this.random.fork()
    this.store.disk.fault = (operation) => {
      if (!this.isFaulty || !faultRandom.chance(faults[operation])) {
        return undefined
      }
      this.faults++
      return DEVICE_FAULTS.has(operation) ? "EIO" : "ENOSPC"
    }
  }

  get put(): number {
    return this.nextNumber
  }

  live(steps: number): void {
    this.open(true)
    this.lives.sabotage?.(this.store)
    for (let step = 0; step < steps; step++) {
      this.putSome()
      if (this.random.chance(0.6)) {
        this.store.run(this.random.below(60))
      }
      if (this.random.chance(0.2)) {
        this.readSome()
      }
      if (this.scenario.isCleaning && this.random.chance(0.05)) {
        this.expire()
      }
    }
    this.end()
    if (this.scenario.isFlipping && this.random.chance(0.5)) {
      this.flipABit()
    }
    this.check()
  }

  /** Nothing fails any more: what is put is kept. */
  recover(): void {
    this.store.disk.capacityBytes = Number.MAX_SAFE_INTEGER
    this.open(false)
    this.store.run(QUIET_MS)
    const results = this.store.tryPut(...this.messages())
    check(!(results instanceof PutRefusal), "a store goes on when its disk does", () =>
      JSON.stringify(results instanceof PutRefusal ? results.reason : results)
    )
    this.onStored(results as ReadonlyArray<PutResult>)
    this.store.run(QUIET_MS)
    this.close()
    this.check()
  }

  /** A disk that fails may keep a store from opening; it opens when the disk lets it. */
  private open(isFaulty: boolean): void {
    this.isFaulty = isFaulty
    for (let attempt = 0; attempt < OPENINGS_MAX; attempt++) {
      try {
        this.store.open()
        this.isFaulty = isFaulty
        return
      } catch (error) {
        this.onOpenFailure(error)
      }
    }
    this.isFaulty = false
    try {
      this.store.open()
    } catch (error) {
      this.onOpenFailure(error)
      throw new SimulationFailure("a store opens when its disk lets it", String(error))
    }
    this.isFaulty = isFaulty
  }

  private onOpenFailure(error: unknown): void {
    if (error instanceof DamagedLog) {
      throw new SimulationFailure("a crash is no damage", error.message)
    }
    if (!(error instanceof FileFailure)) {
      throw error
    }
    this.trace.note(1)
    if (this.random.chance(0.5)) {
      this.isFaulty = false
    }
  }

  private messages(): ReadonlyArray<MessageInput> {
    const { random } = this
    return Array.from({ length: random.between(1, 5) }, () => {
      const number = this.nextNumber++
      return {
        topic: `topic${random.below(TOPICS)}`,
        queueId: random.below(QUEUES),
        body: StoreContents.bodyOf(number, 8 + random.below(this.scenario.bodyLengthMax)),
        keys: `key${number}`,
        tags: number % 2 === 0 ? "even" : "odd"
      }
    })
  }

  private putSome(): void {
    const first = this.nextNumber
    const outcome = this.store.tryPut(...this.messages())
    if (outcome instanceof PutRefusal) {
      this.refused++
      this.trace.note(2, outcome.stored.length)
      this.onStored(outcome.stored, first)
      check(outcome.reason._tag !== "Illegal", "lawful messages are not refused", () => JSON.stringify(outcome.reason))
    } else {
      this.onStored(outcome, first)
    }
  }

  private onStored(results: ReadonlyArray<PutResult>, first = this.nextNumber - results.length): void {
    // Until they are committed, messages of the pool are in memory of the process alone.
    const isSafeFromProcess = this.scenario.options.transientStorePoolEnable !== true
    results.forEach(({ length, position }, index) => {
      const number = first + index
      this.trace.note(3, number, position)
      this.known.set(number, position)
      this.lengths.set(position, length)
      if (!this.scenario.isMachineCrashing && isSafeFromProcess) {
        this.promised.set(number, position)
      }
      this.store.engine.flush.whenFlushed(position + length, (failure) => {
        this.trace.note(4, number, failure === undefined ? 1 : 0)
        if (failure === undefined) {
          this.promised.set(number, position)
        }
      })
    })
  }

  /** Reads on from anywhere, of earlier lives too: those messages have to come from the device. */
  private readSome(): void {
    const states = [...this.store.engine.queues.all()].filter(({ queue }) => queue.maxOffset > queue.minOffset)
    if (states.length > 0) {
      const state = this.random.pick(states)
      const { maxOffset, minOffset } = state.queue
      const count = StoreReads.read(this.store, state, this.random.between(minOffset, maxOffset - 1))
      this.unread += count < 0 ? 1 : 0
      this.trace.note(8, count)
    }
  }

  /** Hours later files of the log have expired, and are removed at the hour of cleaning. */
  private expire(): void {
    const { store } = this
    store.nowMs += 2 * HOUR_MS
    store.hour = 4
    store.run(QUIET_MS)
    store.hour = 12
  }

  private end(): void {
    const { random, scenario, store } = this
    this.dispatchedTo = store.engine.dispatchedPosition
    if (random.chance(0.2)) {
      this.close()
    } else if (scenario.isMachineCrashing && random.chance(0.8)) {
      store.crash()
    } else {
      store.kill()
    }
    this.trace.note(5, store.disk.crashCount, store.disk.syncCount)
  }

  /** A store that closes in order keeps all that it has, unless its disk fails. */
  private close(): void {
    const { store } = this
    const faultsBefore = this.faults
    const wasWriteable = store.engine.health.flushFailure === undefined
    try {
      store.close()
    } catch (error) {
      if (!(error instanceof FileFailure)) {
        throw error
      }
      store.kill()
    }
    if (wasWriteable && this.faults === faultsBefore) {
      for (const [number, position] of this.known) {
        this.promised.set(number, position)
      }
    }
  }

  /**
   * A bit of a record flips that must be there, in the file that every opening reads. The store is refused, for the right
   * place, while good messages stand behind it, and is as it was when the bit is back.
   */
  private flipABit(): void {
    const { random, store } = this
    const positions = [...this.promised.values()].filter((each) => this.isKept(each)).toSorted((a, b) => a - b)
    const last = positions.at(-1)
    if (last === undefined || store.disk.crashCount > this.crashesBefore) {
      // After a loss of power nobody knows what was there.
      this.crashesBefore = store.disk.crashCount
      return
    }
    const fileLength = store.options.mappedFileSizeCommitLog
    const fileStart = last - (last % fileLength)
    const position = random.pick(positions.filter((each) => each >= fileStart))
    const path = this.pathOf(position)
    const bit = (position - fileStart) * 8 + random.below(8 * this.lengths.get(position)!)
    store.disk.flipBit(path, bit)
    this.flips++
    const damage = this.damageFound()
    this.trace.note(7, position, damage ?? -1)
    if (damage === undefined && store.recovery.readFrom > position) {
      // The newest file has nothing that was promised, and an opening after a clean end reads no other.
      store.disk.flipBit(path, bit)
      return
    }
    if (damage === undefined) {
      const isBehind = positions.some((each) => each > position && each < this.dispatchedTo)
      check(!isBehind, "damage before good messages is refused", () => `a bit flipped at ${position} and was cut`)
      // What stood at the end of the log is like a write that was not finished.
      this.promised.forEach((each, number) => each >= position && this.promised.delete(number))
      return
    }
    check(damage === position, "damage is told where it is", () => `a bit flipped at ${position}, not at ${damage}`)
    store.disk.flipBit(path, bit)
  }

  /** What was promised may have expired since, the last of it too. */
  private isKept(position: number): boolean {
    return this.store.disk.exists(this.pathOf(position))
  }

  /** Path of the file that holds a position of the log. */
  private pathOf(position: number): string {
    const { mappedFileSizeCommitLog, storePathCommitLog } = this.store.options
    return `${storePathCommitLog[0]!}/${FileNaming.format(FileNaming.startOf(position, mappedFileSizeCommitLog))}`
  }

  /** Position of the damage that an opening finds; undefined where it opens. */
  private damageFound(): number | undefined {
    this.isFaulty = false
    try {
      this.store.open()
    } catch (error) {
      if (error instanceof DamagedLog) {
        return error.position
      }
      throw error
    }
    this.store.kill()
    return undefined
  }

  private check(): void {
    this.open(false)
    const { engine } = this.store
    const found = StoreContents.read(engine)
    for (const [number, position] of this.promised) {
      if (position < engine.commitLog.minOffset) {
        this.promised.delete(number)
        this.known.delete(number)
      } else {
        check(
          found.get(number) === position,
          "what was promised is there",
          () => `message ${number} at ${position} is ${found.has(number) ? `at ${found.get(number)}` : "gone"}`
        )
      }
    }
    for (const [number, position] of found) {
      check(this.known.get(number) === position, "nothing is there that was not put", () => `message ${number}`)
    }
    StoreContents.checkLinks(engine)
    if (this.scenario.options.messageIndexEnable === true) {
      StoreContents.checkIndex(engine, found)
    }
    // Recovery has read what came through, so it is on the device before anything new is promised.
    this.store.run(QUIET_MS)
    this.known.forEach((_position, number) => found.has(number) || this.known.delete(number))
    this.trace.note(6, found.size, engine.commitLog.maxOffset)
    this.store.kill()
  }
}

export const run = (lives: StoreLives): StoreReport => {
  const life = new Life(lives)
  const { steps = STEPS_DEFAULT } = lives
  const count = life.scenario.lives
  for (let index = 0; index < count; index++) {
    life.live(Math.ceil(steps / count))
  }
  life.recover()
  return {
    seed: lives.seed,
    hash: life.trace.hash,
    put: life.put,
    promised: life.promised.size,
    refused: life.refused,
    faults: life.faults,
    flips: life.flips,
    unread: life.unread,
    crashes: life.store.disk.crashCount
  }
}
