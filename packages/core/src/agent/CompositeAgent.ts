import { assert } from "../memory/Assert.ts"
import type { Agent } from "./Agent.ts"

/**
 * Several agents as one: a duty cycle is a duty cycle of each, in order.
 *
 * When one of them throws, the next call goes on with the one after it, so that a failing agent does not starve those
 * behind it.
 */
export class CompositeAgent implements Agent {
  readonly roleName: string
  readonly #agents: ReadonlyArray<Agent>
  #startedCount: number = 0
  #next: number = 0
  #parts: ReadonlyArray<ReadonlyArray<number>> = []
  #descriptors: ReadonlyArray<number> = []

  constructor(agents: ReadonlyArray<Agent>) {
    assert(agents.length > 0, "a composite agent has at least one part")
    this.#agents = agents
    this.roleName = `[${agents.map((agent) => agent.roleName).join(",")}]`
  }

  onWakeable(wake: () => void): void {
    for (const agent of this.#agents) {
      agent.onWakeable?.(wake)
    }
  }

  /** Starts each in order, up to the first that cannot: what it throws is thrown. */
  onStart(nowNs: number): void {
    for (const agent of this.#agents) {
      // Counted before the call: an agent whose start failed half-way is closed like the others.
      this.#startedCount++
      agent.onStart?.(nowNs)
    }
  }

  doWork(nowNs: number): number {
    const agents = this.#agents
    let workCount = 0
    while (this.#next < agents.length) {
      // Moved before the call, so that a throw leaves it at the following agent.
      workCount += agents[this.#next++]!.doWork(nowNs)
    }
    this.#next = 0
    return workCount
  }

  /** Closes every part that was started, also when one of them throws; then throws what was thrown. */
  onClose(): void {
    const errors: Array<unknown> = []
    for (const agent of this.#agents.slice(0, this.#startedCount)) {
      try {
        agent.onClose?.()
      } catch (error) {
        errors.push(error)
      }
    }
    this.#startedCount = 0
    if (errors.length === 1) {
      throw errors[0]
    }
    if (errors.length > 1) {
      throw new AggregateError(errors, "several agents failed to close")
    }
  }

  descriptors(): ReadonlyArray<number> {
    const parts = this.#agents.map((agent) => agent.descriptors?.() ?? NONE)
    if (parts.length !== this.#parts.length || parts.some((part, index) => part !== this.#parts[index])) {
      this.#parts = parts
      this.#descriptors = parts.flat()
    }
    return this.#descriptors
  }
}

const NONE: ReadonlyArray<number> = []
