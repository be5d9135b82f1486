import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { Agent } from "../agent/Agent.ts"
import { AgentInvoker } from "../agent/AgentInvoker.ts"
import type { AgentRunner, RunOptions } from "../AgentRunner.ts"
import { AgentFailed, CoreError } from "../CoreError.ts"
import * as IdleStrategy from "../IdleStrategy.ts"
import { AgentLoop } from "./agentLoop.ts"
import { atMostOncePerSecond, logging } from "./errorReporter.ts"
import { EventLoopPark } from "./eventLoopPark.ts"
import { makeIdleStrategy } from "./idleStrategies.ts"
import { systemClock } from "./systemClock.ts"

/** The fiber waits for the loop; the duty cycles themselves are plain calls, not steps of the fiber. */
export const run = Effect.fnUntraced(function* (
  agent: Agent,
  options?: RunOptions
): Effect.fn.Return<AgentRunner, CoreError, Scope.Scope> {
  const clock = options?.clock ?? systemClock
  const context = yield* Effect.context<never>()
  const onError = options?.onError ?? atMostOncePerSecond(clock, logging(context, agent.roleName))
  const invoker = new AgentInvoker(agent, onError)
  const park = new EventLoopPark(agent)
  const idle = makeIdleStrategy(options?.idle ?? IdleStrategy.park())

  const fiber = yield* Effect.callback<void, CoreError>((resume) => {
    const onEnd = () => resume(Effect.void)
    const loop = new AgentLoop({ invoker, idle, clock, park, isThreadOwned: false, onEnd })
    try {
      loop.start()
    } catch (cause) {
      resume(Effect.fail(startFailure(agent.roleName, cause)))
    }
    return Effect.sync(() => loop.stop())
  }).pipe(Effect.forkScoped({ startImmediately: true }))

  if (!invoker.isStarted) {
    yield* Fiber.join(fiber)
  }
  return {
    roleName: agent.roleName,
    await: Effect.asVoid(Fiber.await(fiber)),
    errorCount: Effect.sync(() => invoker.errorCount),
    wakeUnsafe: () => park.wake(),
    wakeHandle: undefined
  }
})

const startFailure = (roleName: string, cause: unknown): CoreError =>
  new CoreError({ reason: new AgentFailed({ roleName, detail: `it could not start: ${String(cause)}`, cause }) })
