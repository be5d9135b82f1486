/**
 * A clock of its own for a program: time stands still while fibers run, and goes to the next moment that one sleeps to
 * when all have come to rest. Hours pass in moments, and twice in the same way.
 */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

interface Sleeper {
  readonly dueNs: number
  readonly wake: () => void
}

/** Turns of the event loop between two moments: a fiber that is woken wakes others. */
const TURNS = 2
const START_MS = 1_700_000_000_000
const NS_PER_MS = 1e6

export class VirtualClock implements Clock.Clock {
  private nowNs = 0
  /** Who wakes first stands first; of those who wake at once, who fell asleep first. */
  private readonly sleepers: Array<Sleeper> = []
  private isRunning = false
  private turnsLeft = TURNS

  readonly currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
  readonly monotonicTimeNanos = Effect.sync(() => this.monotonicTimeNanosUnsafe())

  currentTimeMillisUnsafe(): number {
    return START_MS + Math.floor(this.nowNs / NS_PER_MS)
  }

  currentTimeNanosUnsafe(): bigint {
    return BigInt(START_MS) * BigInt(NS_PER_MS) + BigInt(this.nowNs)
  }

  monotonicTimeNanosUnsafe(): bigint {
    return BigInt(this.nowNs)
  }

  sleep(duration: Duration.Duration): Effect.Effect<void> {
    return Effect.callback((resume) => {
      const ns = Math.max(0, Math.round(Duration.toMillis(duration) * NS_PER_MS))
      const sleeper: Sleeper = { dueNs: this.nowNs + ns, wake: () => resume(Effect.void) }
      this.add(sleeper)
      return Effect.sync(() => this.remove(sleeper))
    })
  }

  start(): void {
    this.isRunning = true
    setImmediate(() => this.turn())
  }

  stop(): void {
    this.isRunning = false
  }

  private turn(): void {
    if (!this.isRunning) {
      return
    }
    if (--this.turnsLeft === 0) {
      this.turnsLeft = TURNS
      this.wakeNext()
    }
    setImmediate(() => this.turn())
  }

  private wakeNext(): void {
    const next = this.sleepers[0]?.dueNs
    if (next === undefined || next === Infinity) {
      return
    }
    this.nowNs = next
    while (this.sleepers[0]?.dueNs === next) {
      this.sleepers.shift()!.wake()
    }
  }

  private add(sleeper: Sleeper): void {
    const { sleepers } = this
    let index = sleepers.length
    while (index > 0 && sleepers[index - 1]!.dueNs > sleeper.dueNs) {
      index--
    }
    sleepers.splice(index, 0, sleeper)
  }

  private remove(sleeper: Sleeper): void {
    const index = this.sleepers.indexOf(sleeper)
    if (index >= 0) {
      this.sleepers.splice(index, 1)
    }
  }
}

/** Runs a program by such a clock, its finalizers too. */
export const run = <A, E, R>(effect: Effect.Effect<A, E, R>, clockRef: typeof Clock.Clock): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const clock = new VirtualClock()
      clock.start()
      return clock
    }),
    (clock) => Effect.provideService(effect, clockRef, clock),
    (clock) => Effect.sync(() => clock.stop())
  )
