/**
 * Runs the duty cycles of an agent on an event loop.
 *
 * Cycles follow each other in one turn of the loop for at most a millisecond; then whatever else waits for the thread
 * gets its turn. A thread that is the agent's own (a worker) spins and takes short waits inside the turn; the loop of an
 * application is handed back after every cycle without work.
 */
import type { AgentInvoker } from "../agent/AgentInvoker.ts"
import type { Clock } from "../agent/Clock.ts"
import { type IdleStrategy, SPIN, TURN, YIELD } from "../agent/IdleStrategy.ts"
import { yieldProcessor } from "../native/Processor.ts"
import type { EventLoopPark } from "./eventLoopPark.ts"

/** How long the agent may keep the event loop. */
const TURN_NS = 1_000_000

/** Shorter waits are beyond the resolution of a timer. */
const PARK_NS_MIN = 1_000_000

const NS_PER_MS = 1_000_000

export interface AgentLoopOptions {
  readonly invoker: AgentInvoker
  readonly idle: IdleStrategy
  readonly clock: Clock
  readonly park: EventLoopPark
  /** Whether the thread has nothing else to do than this agent. */
  readonly isThreadOwned: boolean
  /** Called once, after the agent was closed, however that came. */
  readonly onEnd: () => void
}

export class AgentLoop {
  readonly #options: AgentLoopOptions
  readonly #turn: () => void
  /** Nobody notifies it: a wait on it is a sleep of microseconds, which no timer offers. */
  readonly #sleepCell: Int32Array = new Int32Array(new SharedArrayBuffer(4))
  #isInTurn: boolean = false
  #isStopping: boolean = false
  #isEnded: boolean = false

  constructor(options: AgentLoopOptions) {
    this.#options = options
    this.#turn = () => {
      if (this.#isEnded) {
        return
      }
      this.#isInTurn = true
      this.#runTurn()
      this.#isInTurn = false
      if (this.#isStopping) {
        this.#end()
      }
    }
  }

  /** Starts the agent, which throws what its `onStart` throws, and schedules the first turn. */
  start(): void {
    const { invoker, park } = this.#options
    invoker.agent.onWakeable?.(() => park.wake())
    this.#options.invoker.start(this.#options.clock.nanoTime())
    setImmediate(this.#turn)
  }

  /** Closes the agent: at once, or after its duty cycle when that is what calls. */
  stop(): void {
    this.#isStopping = true
    if (!this.#isInTurn) {
      this.#end()
    }
  }

  #runTurn(): void {
    const { invoker, idle, clock, park, isThreadOwned } = this.#options
    let nowNs = clock.nanoTime()
    const turnEndNs = nowNs + TURN_NS
    while (!this.#isStopping && nowNs < turnEndNs) {
      const workCount = invoker.invoke(nowNs)
      if (invoker.isClosed) {
        this.#isStopping = true
        return
      }
      park.update()
      const waitNs = idle.idle(workCount)
      if (waitNs >= PARK_NS_MIN) {
        park.park(waitNs, this.#turn)
        return
      }
      if (waitNs === YIELD && isThreadOwned) {
        // A turn of the event loop alone keeps the processor from those that the agent waits for. A driver that always
        // yields, with publisher and subscriber over UDP on two busy cores: 1.3 to 1.5 times the messages.
        yieldProcessor()
      }
      if (waitNs === TURN || waitNs === YIELD || (workCount === 0 && !isThreadOwned)) {
        break
      }
      if (waitNs > SPIN && isThreadOwned) {
        Atomics.wait(this.#sleepCell, 0, 0, waitNs / NS_PER_MS)
      }
      nowNs = clock.nanoTime()
    }
    if (!this.#isStopping) {
      setImmediate(this.#turn)
    }
  }

  #end(): void {
    if (!this.#isEnded) {
      this.#isEnded = true
      this.#options.park.close()
      this.#options.invoker.close()
      this.#options.onEnd()
    }
  }
}
