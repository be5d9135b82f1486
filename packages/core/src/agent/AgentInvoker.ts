import { assert } from "../memory/Assert.ts"
import { type Agent, AgentTermination, type ErrorHandler } from "./Agent.ts"

type State = "initial" | "started" | "closed"

/**
 * Runs an agent under its caller: each `invoke` is one duty cycle.
 *
 * What `doWork` throws goes to the error handler and is counted, and the next call goes on. Only `AgentTermination`,
 * and a throw from `onStart`, close the agent.
 */
export class AgentInvoker {
  readonly agent: Agent
  readonly #onError: ErrorHandler
  #state: State = "initial"
  #errorCount: number = 0

  constructor(agent: Agent, onError: ErrorHandler) {
    this.agent = agent
    this.#onError = onError
  }

  /** How often the agent has thrown. */
  get errorCount(): number {
    return this.#errorCount
  }

  get isStarted(): boolean {
    return this.#state === "started"
  }

  get isClosed(): boolean {
    return this.#state === "closed"
  }

  /** Throws what `onStart` throws; the agent is closed then. */
  start(nowNs: number): void {
    assert(this.#state === "initial", "an agent is started once")
    this.#state = "started"
    try {
      this.agent.onStart?.(nowNs)
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** One duty cycle. Returns the agent's work count; 0 when it threw or is closed. */
  invoke(nowNs: number): number {
    if (this.#state !== "started") {
      return 0
    }
    try {
      return this.agent.doWork(nowNs)
    } catch (error) {
      if (error instanceof AgentTermination) {
        this.close()
      } else {
        this.#report(error)
      }
      return 0
    }
  }

  /** Closes the agent; what it throws then is reported as well. May be called more than once. */
  close(): void {
    const wasStarted = this.#state === "started"
    this.#state = "closed"
    if (wasStarted) {
      try {
        this.agent.onClose?.()
      } catch (error) {
        this.#report(error)
      }
    }
  }

  #report(error: unknown): void {
    this.#errorCount++
    this.#onError(error)
  }
}
