/**
 * What an agent without work costs, after five seconds without any: ten seconds of each strategy, of which the processor
 * time of the whole process is the figure.
 */
import * as AgentRunner from "@millrace/core/AgentRunner"
import * as IdleStrategy from "@millrace/core/IdleStrategy"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { type Case, group } from "#harness/Group"

const BEFORE_MS = 5000

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** One operation is one millisecond. The agent is idle from `open` on. */
const idle = (strategy: IdleStrategy.IdleStrategy, goal?: string): Case => ({
  count: 10_000,
  smokeCount: 10,
  ...(goal === undefined ? {} : { goal }),
  open: async () => {
    const agent = { roleName: "idle", doWork: () => 0 }
    return {
      run: async (count) => {
        const scope = Effect.runSync(Scope.make())
        await Effect.runPromise(AgentRunner.run(agent, { idle: strategy }).pipe(Scope.provide(scope)))
        await wait(count < BEFORE_MS ? 0 : BEFORE_MS)
        const before = process.cpuUsage()
        const startMs = performance.now()
        await wait(count)
        const elapsedMs = performance.now() - startMs
        const { system, user } = process.cpuUsage(before)
        await Effect.runPromise(Scope.close(scope, Exit.void))
        return {
          operations: count,
          elapsedNs: elapsedMs * 1e6,
          figures: { "% of a core": (system + user) / (10 * elapsedMs) }
        }
      }
    }
  }
})

export default group("core/agent/Idle", {
  cases: {
    park: idle(IdleStrategy.park(), "under 1 % of a core"),
    backoff: idle(IdleStrategy.backoff())
  }
})
