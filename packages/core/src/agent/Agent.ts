/**
 * A service that works in small steps. Whoever runs it calls `doWork` again and again and tells it the time; it never
 * waits and never reads a clock. So the same agent runs in a fiber, in a worker, under its caller, or in a simulation.
 */
export interface Agent {
  /** Names the agent in errors, logs and thread lists. */
  readonly roleName: string
  /** Called once before the first `doWork`, on the thread that runs the agent. A throw means that it cannot start. */
  onStart?(nowNs: number): void
  /** One duty cycle. Returns how much was done; 0 lets the idle strategy decide what to do about it. */
  doWork(nowNs: number): number
  /** Called once after the last `doWork`, or after an `onStart` that threw, on the thread that ran the agent. */
  onClose?(): void
  /**
   * Descriptors whose readiness should end a park: sockets. The same array is returned until the set changes. A
   * descriptor that has left it is closed in a later duty cycle, not in the one in which it left: only then has the
   * runner let go of its number, which the next file to be opened will have.
   */
  descriptors?(): ReadonlyArray<number>
  /**
   * Called once before `onStart` by a runner that parks. `wake` ends the park, or the next one: for what arrives by
   * callbacks of the agent's own thread and has no descriptor.
   */
  onWakeable?(wake: () => void): void
}

/** Thrown from `doWork` by an agent that has nothing more to do: its runner closes it and ends. */
export class AgentTermination extends Error {
  readonly _tag = "AgentTermination"
  override readonly name = "AgentTermination"
}

/** Receives what an agent throws. Must not throw. */
export type ErrorHandler = (error: unknown) => void
