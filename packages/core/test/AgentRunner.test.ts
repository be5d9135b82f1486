import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import { AgentTermination, type Agent } from "../src/agent/Agent.ts"
import * as AgentRunner from "../src/AgentRunner.ts"
import { CoreError } from "../src/CoreError.ts"
import * as IdleStrategy from "../src/IdleStrategy.ts"
import { WakeDescriptor } from "../src/native/WakeDescriptor.ts"
import { CLOSES, CYCLES, type ProbeData, STARTS } from "./agent/fixtures/probeData.ts"
import { startScript } from "@millrace/testkit/runScript"

const entry = new URL("agent/fixtures/probeWorker.ts", import.meta.url)
const parkedProcess = new URL("agent/fixtures/parkedProcess.ts", import.meta.url)

/** Parks for the longest time allowed from the first cycle without work on. */
const longestPark = IdleStrategy.sleeping(100_000_000)

const probe = (behaviour: ProbeData["behaviour"]): { readonly data: ProbeData; readonly cells: Int32Array } => {
  const counts = new SharedArrayBuffer(12)
  return { data: { behaviour, counts }, cells: new Int32Array(counts) }
}

/** An agent that completes a deferred at a given duty cycle. */
const counting = Effect.gen(function* () {
  const reached = yield* Deferred.make<number>()
  const calls = { cycles: 0, starts: 0, closes: 0 }
  const agentUntil = (cycles: number): Agent => ({
    roleName: "counting",
    onStart: () => void calls.starts++,
    doWork: () => {
      if (++calls.cycles === cycles) {
        Deferred.doneUnsafe(reached, Effect.succeed(cycles))
      }
      return 0
    },
    onClose: () => void calls.closes++
  })
  return { reached: Deferred.await(reached), calls, agentUntil }
})

const reasonOf = (exit: Exit.Exit<unknown, CoreError>): CoreError["reason"] => {
  assert(Exit.isFailure(exit))
  const error = Cause.squash(exit.cause)
  assert(error instanceof CoreError)
  return error.reason
}

/** Waits for something that another thread will do. */
const until = (condition: () => boolean): Effect.Effect<void> =>
  Effect.promise(async () => {
    while (!condition()) {
      await new Promise((resolve) => setImmediate(resolve))
    }
  })

describe("an agent in a fiber", () => {
  const strategies: ReadonlyArray<readonly [string, IdleStrategy.IdleStrategy]> = [
    ["busy spin", IdleStrategy.busySpin],
    ["yielding", IdleStrategy.yielding],
    ["sleeping", IdleStrategy.sleeping(1_000_000)],
    ["backoff", IdleStrategy.backoff()],
    ["park", IdleStrategy.park()]
  ]
  for (const [name, idle] of strategies) {
    it.live(`works under ${name} beside the rest of the event loop, and is closed with its scope`, () =>
      Effect.gen(function* () {
        const { reached, calls, agentUntil } = yield* counting
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* AgentRunner.run(agentUntil(50), { idle })
            yield* reached
            // A timer fires although the agent is always ready to work.
            yield* Effect.sleep(1)
          })
        )
        const { cycles } = calls
        yield* Effect.sleep(1)
        assert.deepStrictEqual(calls, { cycles, starts: 1, closes: 1 })
      })
    )
  }

  it.live("gives the event loop its turn while there is always work", () =>
    Effect.gen(function* () {
      const { agentUntil } = yield* counting
      const agent: Agent = { ...agentUntil(0), doWork: () => 1 }
      yield* AgentRunner.run(agent)
      yield* Effect.sleep(5)
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    }).pipe(Effect.scoped)
  )

  it.live("is woken from a park by a call in its thread", () =>
    Effect.gen(function* () {
      const { reached, calls, agentUntil } = yield* counting
      const runner = yield* AgentRunner.run(agentUntil(200), { idle: longestPark })
      const waker = yield* until(() => {
        runner.wakeUnsafe()
        return calls.cycles >= 200
      }).pipe(Effect.forkScoped)
      // Without the wakes 200 cycles of 100 ms would be beyond the time of a test.
      yield* reached
      yield* Fiber.join(waker)
    }).pipe(Effect.scoped)
  )

  it.live("does not lose a wake that comes while it works", () =>
    Effect.gen(function* () {
      const { reached, agentUntil } = yield* counting
      const inner = agentUntil(200)
      const agent: Agent = {
        roleName: "self-waking",
        doWork: (nowNs) => {
          runner.wakeUnsafe()
          return inner.doWork(nowNs)
        }
      }
      const runner: AgentRunner.AgentRunner = yield* AgentRunner.run(agent, { idle: longestPark })
      yield* reached
    }).pipe(Effect.scoped)
  )

  it.live("is woken from a park by its descriptors, also by one that takes the number of another", () =>
    Effect.gen(function* () {
      let descriptor = WakeDescriptor.open()
      const { reached, calls, agentUntil } = yield* counting
      const inner = agentUntil(300)
      let watched: ReadonlyArray<number> = [descriptor.fd]
      yield* AgentRunner.run(
        {
          roleName: "watching",
          descriptors: () => watched,
          doWork: (nowNs) => {
            descriptor.drain()
            if (calls.cycles === 100) {
              watched = []
            } else if (calls.cycles === 101) {
              // The system gives the lowest free number: the one that has just become free.
              descriptor.close()
              descriptor = WakeDescriptor.open()
              watched = [descriptor.fd]
            }
            return inner.doWork(nowNs)
          },
          onClose: () => descriptor.close()
        },
        { idle: longestPark }
      )
      yield* until(() => {
        descriptor.wake()
        return calls.cycles >= 300
      }).pipe(Effect.forkScoped)
      yield* reached
    }).pipe(Effect.scoped)
  )

  it.live("is reported and counted when it throws, and goes on", () =>
    Effect.gen(function* () {
      const { reached, agentUntil } = yield* counting
      const inner = agentUntil(20)
      const errors: Array<unknown> = []
      const runner = yield* AgentRunner.run(
        {
          roleName: "throwing",
          doWork: (nowNs) => {
            inner.doWork(nowNs)
            throw new Error("bad cycle")
          }
        },
        { idle: IdleStrategy.yielding, onError: (error) => errors.push(error) }
      )
      yield* reached
      yield* Effect.yieldNow
      const count = yield* runner.errorCount
      assert(count >= 20)
      assert(errors.length >= 20)
    }).pipe(Effect.scoped)
  )

  it.live("is logged once a second at most when nobody else takes its errors", () => {
    const lines: Array<unknown> = []
    const logger = Logger.make(({ message }) => void lines.push(message))
    return Effect.gen(function* () {
      const { reached, agentUntil } = yield* counting
      const inner = agentUntil(500)
      let nowNs = 0
      const clock = { nanoTime: () => (nowNs += 1_000_000), epochMs: () => 0 }
      const agent: Agent = {
        roleName: "noisy",
        doWork: () => {
          inner.doWork(0)
          throw new Error("bad cycle")
        }
      }
      yield* AgentRunner.run(agent, { idle: IdleStrategy.yielding, clock })
      yield* reached
      yield* Effect.sleep(1)
      assert.match(String(lines[0]), /agent noisy threw and goes on/)
      // The clock of this test passes three milliseconds a cycle at most.
      assert(lines.length >= 1 && lines.length <= 4)
    }).pipe(Effect.scoped, Effect.provide(Logger.layer([logger])))
  })

  it.live("fails to start with the reason, closed", () =>
    Effect.gen(function* () {
      const { calls, agentUntil } = yield* counting
      const cause = new RangeError("no room")
      const agent: Agent = {
        ...agentUntil(0),
        onStart: () => {
          throw cause
        }
      }
      const reason = reasonOf(yield* Effect.exit(AgentRunner.run(agent)))
      assert(reason._tag === "AgentFailed")
      assert.strictEqual(reason.cause, cause)
      assert.match(reason.message, /agent counting failed: it could not start: RangeError: no room/)
      assert.deepStrictEqual(calls, { cycles: 0, starts: 0, closes: 1 })
    }).pipe(Effect.scoped)
  )

  it.live("ends by itself when it has nothing more to do", () =>
    Effect.gen(function* () {
      const { calls, agentUntil } = yield* counting
      const agent: Agent = {
        ...agentUntil(0),
        doWork: () => {
          throw new AgentTermination()
        }
      }
      const runner = yield* AgentRunner.run(agent)
      yield* runner.await
      assert.strictEqual(calls.closes, 1)
      assert.strictEqual(yield* runner.errorCount, 0)
    }).pipe(Effect.scoped)
  )

  it.live("is closed after its duty cycle when that ends its own scope", () =>
    Effect.gen(function* () {
      const { calls, agentUntil } = yield* counting
      const scope = yield* Scope.make()
      const closed = yield* Deferred.make<string>()
      let isInCycle = false
      const agent: Agent = {
        ...agentUntil(0),
        doWork: () => {
          isInCycle = true
          Effect.runFork(Scope.close(scope, Exit.void))
          isInCycle = false
          return 0
        },
        onClose: () => {
          calls.closes++
          Deferred.doneUnsafe(closed, Effect.succeed(isInCycle ? "inside its cycle" : "after its cycle"))
        }
      }
      yield* AgentRunner.run(agent).pipe(Scope.provide(scope))
      assert.strictEqual(yield* Deferred.await(closed), "after its cycle")
      assert.strictEqual(calls.closes, 1)
    })
  )
})

describe("an agent in a worker", () => {
  it.live("starts and works on its thread, and is closed with the scope", () =>
    Effect.gen(function* () {
      const { data, cells } = probe("idle")
      yield* Effect.scoped(
        Effect.gen(function* () {
          const runner = yield* AgentRunner.runWorker({ entry, data })
          assert.strictEqual(runner.roleName, "probe-idle")
          yield* until(() => Atomics.load(cells, CYCLES) > 10)
          assert.strictEqual(cells[CLOSES], 0)
        })
      )
      assert.strictEqual(cells[STARTS], 1)
      assert.strictEqual(cells[CLOSES], 1)
    })
  )

  it.live("is woken from a park by any thread that has its handle", () =>
    Effect.gen(function* () {
      const { data, cells } = probe("idle")
      const runner = yield* AgentRunner.runWorker({ entry, data, idle: longestPark })
      assert(runner.wakeHandle !== undefined)
      const other = WakeDescriptor.attach(runner.wakeHandle)
      yield* until(() => {
        runner.wakeUnsafe()
        other.wake()
        return Atomics.load(cells, CYCLES) >= 400
      })
    }).pipe(Effect.scoped)
  )

  it.live("tells what it throws to the thread that started it, is counted, and goes on", () =>
    Effect.gen(function* () {
      const { data, cells } = probe("throws")
      const told = yield* Deferred.make<unknown>()
      const onError = (error: unknown) => void Deferred.doneUnsafe(told, Effect.succeed(error))
      const runner = yield* AgentRunner.runWorker({ entry, data, onError })
      assert.deepInclude(yield* Deferred.await(told), { name: "Error", message: "probe failure" })
      yield* until(() => Atomics.load(cells, CYCLES) > 20)
      assert((yield* runner.errorCount) >= 20)
    }).pipe(Effect.scoped)
  )

  it.live("fails to start with what onStart threw, and leaves no thread", () =>
    Effect.gen(function* () {
      const { data, cells } = probe("cannotStart")
      const reason = reasonOf(yield* Effect.exit(Effect.scoped(AgentRunner.runWorker({ entry, data }))))
      assert(reason._tag === "AgentFailed")
      assert.match(reason.message, /it could not start: no room for the probe/)
      assert.deepInclude(reason.cause, { name: "RangeError" })
      assert.strictEqual(cells[CLOSES], 1)
    })
  )

  it.live("fails to start with the fields of what its build threw", () =>
    Effect.gen(function* () {
      const { data } = probe("cannotBuild")
      const reason = reasonOf(yield* Effect.exit(Effect.scoped(AgentRunner.runWorker({ entry, data }))))
      assert(reason._tag === "AgentFailed")
      assert.deepInclude(reason.cause, { _tag: "NoSuchProbe", limit: 3, message: "no such probe" })
    })
  )

  it.live("fails to start when its file is not there", () =>
    Effect.gen(function* () {
      const { data } = probe("idle")
      const missing = new URL("no-such-file.ts", import.meta.url)
      const reason = reasonOf(yield* Effect.exit(Effect.scoped(AgentRunner.runWorker({ entry: missing, data }))))
      assert.match(reason.message, /its worker died: Cannot find module/)
    })
  )

  it.live("says that it died, whoever waits for it", () =>
    Effect.gen(function* () {
      const { data } = probe("dies")
      const runner = yield* AgentRunner.runWorker({ entry, data })
      const reason = reasonOf(yield* Effect.exit(runner.await))
      assert.match(reason.message, /agent probe-dies failed: its worker ended with code 7 before it was stopped/)
    }).pipe(Effect.scoped)
  )

  it.live("is ended although its duty cycle never comes back", () =>
    Effect.gen(function* () {
      const { data, cells } = probe("hangs")
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* AgentRunner.runWorker({ entry, data, stopTimeoutMs: 50 })
          yield* until(() => Atomics.load(cells, CYCLES) > 0)
        })
      )
      assert.strictEqual(cells[CLOSES], 0)
    })
  )

  it.live("leaves no descriptor behind", () => {
    const openCount = (): number => fs.readdirSync("/dev/fd").length
    const runAndStop = Effect.scoped(AgentRunner.runWorker({ entry, data: probe("idle").data }))
    return Effect.gen(function* () {
      yield* runAndStop
      const before = openCount()
      yield* runAndStop
      yield* runAndStop
      assert.strictEqual(openCount(), before)
    })
  })

  it.live("is ended when its start is interrupted", () =>
    Effect.gen(function* () {
      const { data, cells } = probe("neverBuilt")
      const fiber = yield* Effect.forkChild(Effect.scoped(AgentRunner.runWorker({ entry, data })), {
        startImmediately: true
      })
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(cells[STARTS], 0)
    })
  )
})

describe("a process whose agents are all parked", () => {
  const sorted = (lines: string): ReadonlyArray<string> => lines.trim().split("\n").toSorted()

  it("ends at once by process.exit", async () => {
    const child = startScript(parkedProcess, ["exit"])
    const ended = await child.ended
    assert.deepStrictEqual([ended.code, ended.signal, ended.stderr], [9, null, ""])
  })

  it("closes its agents and ends by SIGINT", async () => {
    const child = startScript(parkedProcess, ["wait"])
    await child.line("parked")
    child.process.kill("SIGINT")
    const ended = await child.ended
    assert.deepStrictEqual([ended.code, ended.signal, ended.stderr], [130, null, ""])
    assert.deepStrictEqual(sorted(ended.stdout), [...Array<string>(4).fill("closed"), "parked"])
  })

  it("keeps its thread pool free for files, compression and syncs", async () => {
    // A pool of one thread: each operation would have to wait for a park if one were in it.
    const child = startScript(parkedProcess, ["pool"], { UV_THREADPOOL_SIZE: "1" })
    const ended = await child.ended
    assert.deepStrictEqual([ended.code, ended.stderr], [0, ""])
    const [, operations, parks] = /^(\d+) (\d+)$/m.exec(ended.stdout) ?? assert.fail(ended.stdout)
    assert.strictEqual(Number(operations), 300)
    assert(Number(parks) < 300, `${parks} parks ended during ${operations} operations`)
  })
})
