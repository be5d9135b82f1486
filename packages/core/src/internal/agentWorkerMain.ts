/** The side of the worker; `agentWorker` is the other. */
import { parentPort, workerData } from "node:worker_threads"
import { AgentInvoker } from "../agent/AgentInvoker.ts"
import type { WorkerAgent, WorkerContext } from "../AgentRunner.ts"
import { assert } from "../memory/Assert.ts"
import { WakeDescriptor } from "../native/WakeDescriptor.ts"
import { AgentLoop } from "./agentLoop.ts"
import { atMostOncePerSecond } from "./errorReporter.ts"
import { EventLoopPark } from "./eventLoopPark.ts"
import { makeIdleStrategy } from "./idleStrategies.ts"
import { systemClock } from "./systemClock.ts"
import { type FromWorker, portable, type ToWorker, type WorkerSetup } from "./workerProtocol.ts"

export const main = <Data>(build: (context: WorkerContext<Data>) => WorkerAgent | Promise<WorkerAgent>): void => {
  const setup = workerData as WorkerSetup
  let loop: AgentLoop | undefined
  let park: EventLoopPark | undefined
  let isStopped = false

  // Listened to before anything else: a stop may come while the agent is being built.
  port().on("message", (message: ToWorker) => {
    if (message._tag === "wake") {
      park?.wake()
    } else if (loop === undefined) {
      isStopped = true
      send({ _tag: "stopped" })
    } else {
      loop.stop()
    }
  })

  const start = (built: WorkerAgent): void => {
    if (isStopped) {
      return
    }
    const { agent } = built
    const invoker = new AgentInvoker(agent, counting(setup.errorCount, built.onError ?? tellParent))
    park = new EventLoopPark(agent, setup.wake === undefined ? undefined : WakeDescriptor.attach(setup.wake))
    const starting = new AgentLoop({
      invoker,
      idle: makeIdleStrategy(setup.idle),
      clock: systemClock,
      park,
      isThreadOwned: true,
      onEnd: () => send({ _tag: "stopped" })
    })
    starting.start()
    loop = starting
    send({ _tag: "ready", roleName: agent.roleName })
  }

  const fail = (error: unknown): void => send({ _tag: "failed", error: portable(error) })

  Promise.resolve()
    .then(() => build({ data: setup.data as Data, clock: systemClock }))
    .then(start)
    .catch(fail)
}

const port = (): NonNullable<typeof parentPort> => {
  assert(parentPort !== null, "workerMain runs in a worker that AgentRunner.runWorker started")
  return parentPort
}

const send = (message: FromWorker): void => port().postMessage(message)

const tellParent = atMostOncePerSecond(systemClock, (error) => send({ _tag: "error", error: portable(error) }))

const counting = (cell: SharedArrayBuffer, onError: (error: unknown) => void): ((error: unknown) => void) => {
  const count = new Int32Array(cell)
  return (error) => {
    Atomics.add(count, 0, 1)
    onError(error)
  }
}
